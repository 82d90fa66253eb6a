package check

import (
	"strings"
	"sync"
)

// basePrograms are those that come with a system or with a language, so that
// nobody needs to be told how to get them: the utilities of POSIX and what is on
// most machines beside them.
const basePrograms = `
alias ar awk basename bc bg cal cat cd chgrp chmod chown cksum clear cmp comm command cp crontab csplit cut date dd df diff dirname du
echo ed egrep env ex expand expr false fc fg fgrep file find fold fuser getconf getopts grep groups hash head hostname iconv id jobs join kill
less link ln locale localedef logger login logname lp ls m4 mail make man mesg mkdir mkfifo mktemp more mv newgrp nice nl nohup nproc od
passwd paste patch pathchk pax pgrep pkill pr printenv printf ps pwd read readlink realpath renice rev rm rmdir sed seq shuf shred sleep sort
split stat stdbuf strings strip stty su sudo sum sync tac tail talk tee test time timeout top touch tput tr true truncate tsort tty type
ulimit umask unalias uname uncompress uniq unlink uptime users uudecode uuencode vi vim nano wait watch wc who whoami write xargs yes zcat
sh bash zsh dash ksh fish pwsh powershell cmd
base32 base64 md5 md5sum sha1sum sha256sum sha512sum shasum openssl xxd hexdump
tar gzip gunzip bzip2 bunzip2 xz unxz zip unzip cpio
curl wget ssh scp sftp ssh-keygen ssh-add ssh-agent rsync nc netcat ping ping6 dig host nslookup telnet traceroute ifconfig ip netstat ss route lsof
git svn gcc cc clang g++ c++ ld cmake
python python3 python2 pip pip3 pipx uv uvx conda poetry pytest node npm npx pnpm pnpx yarn bun bunx deno corepack tsx
go gofmt cargo rustc rustup java javac jar mvn gradle ruby gem bundle perl php composer lua swift swiftc dotnet
brew apt apt-get apt-cache dpkg dnf yum rpm pacman apk snap flatpak choco winget scoop port nix
systemctl journalctl service launchctl crontab mount umount dmesg free lsblk fdisk useradd usermod
open osascript defaults say security pbcopy pbpaste sw_vers system_profiler plutil mdfind mdls sips screencapture caffeinate pmset diskutil shortcuts xcrun xcodebuild codesign
xdg-open xclip notify-send where which start tasklist taskkill reg wmic icacls
docker docker-compose podman
`

// addedPrograms are some that come with no system, and that skills run most.
const addedPrograms = `
jq yq rg fd fzf bat ffmpeg ffprobe yt-dlp magick exiftool tesseract pandoc pdftotext pdftoppm pdfinfo pdfimages qpdf tmux gh glab
kubectl helm terraform aws gcloud az doctl flyctl vercel psql mysql redis-cli mongosh duckdb rclone shellcheck hugo
`

var addedSet = sync.OnceValue(func() map[string]bool { return set(addedPrograms) })

// addedProgram reports whether a program is certainly one that has to be
// installed.
func addedProgram(name string) bool { return addedSet()[name] }

var baseSet = sync.OnceValue(func() map[string]bool { return set(basePrograms) })

func set(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// baseProgram reports whether a program is one that needs no recipe.
func baseProgram(name string) bool {
	return baseSet()[strings.TrimSuffix(strings.ToLower(name), ".exe")]
}
