package install

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A command is how an installer is called.
type command struct {
	argv     []string
	env      []string
	unset    []string
	linkFrom string
	binDir   string
	before   []Step // to be done first
}

// A refusal is why a recipe is passed over.
type refusal struct {
	why   string
	lacks string // the installer that would have to be here, if that is why
	bad   bool   // whether it is for what the recipe says, wherever it is read
	shell bool   // whether it is for holding a shell command alone
}

func lacks(installer string) *refusal {
	return &refusal{why: installer + " is not on this machine", lacks: installer}
}

// Variables by which an installer would put things elsewhere, or take them
// from elsewhere, than its own configuration says.
var (
	unsetPython = []string{"PIP_*", "UV_*", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "CONDA_PREFIX"}
	unsetNode   = []string{"npm_config_location", "npm_config_dry_run", "NPM_CONFIG_LOCATION", "NPM_CONFIG_DRY_RUN"}
	unsetGo     = []string{"GOFLAGS", "GOOS", "GOARCH", "GO111MODULE", "GOEXPERIMENT"}
	unsetBrew   = []string{"HOMEBREW_ASK"}
)

// command returns how packages, which are checked, are installed or removed
// with the installer of a kind. undo is the step that installed what is to be
// removed, or nil.
//
// How apt-get, npm, go and pip are called is tested with the programs
// themselves. How the others are called, brew and uv among them, is written from
// their documentation, and no test has run them.
//
// Each package manager puts programs where it always does if that is on PATH
// and can be written, and else where they are found in the bin folder of the
// state folder. Whether a folder can be written cannot be told without trying:
// those of the home folder are taken to be, and all are with Superuser.
func (m *machine) command(kind metadata.Kind, packages []string, undo *Step) (command, *refusal) {
	if len(packages) > 1 && undo == nil {
		switch kind {
		case metadata.KindGo, metadata.KindUv, metadata.KindPipx, metadata.KindWinget:
			return command{}, &refusal{why: string(kind) + " takes one package at a time; a recipe for each is needed"}
		}
	}
	switch kind {
	case metadata.KindBrew:
		return m.brew(packages, undo)
	case metadata.KindApt, metadata.KindDnf:
		return m.system(kind, packages, undo)
	case metadata.KindNpm:
		return m.node(packages, undo)
	case metadata.KindGo:
		return m.goInstall(packages)
	case metadata.KindPip:
		return m.pip(packages, undo)
	case metadata.KindUv, metadata.KindPipx:
		return m.pythonTool(kind, packages, undo)
	case metadata.KindCargo, metadata.KindGem:
		return m.cargoOrGem(kind, packages, undo)
	case metadata.KindChoco, metadata.KindWinget:
		return m.windows(kind, packages, undo)
	}
	return command{}, &refusal{why: "kind " + quote(string(kind)) + " is not known"}
}

// inState reports whether programs go into the state folder: if the place of
// the package manager will not do, or to undo a step for which it did not.
func (m *machine) inState(undo *Step, own bool) bool {
	if undo != nil {
		return undo.BinDir == m.state("bin")
	}
	return !own
}

// verbFor returns what an installer calls it to install, or to remove what undo
// installed.
func verbFor(undo *Step, install, remove string) string {
	if undo != nil {
		return remove
	}
	return install
}

// brew(1). A name without --cask is that of a formula or else of a cask, and
// one of a tap adds the tap. brew brings its list of packages up to date
// itself, at most once a day, which installing needs. What it does not link
// into its folder for programs, since the system has the like, lies in a folder
// of the formula.
func (m *machine) brew(packages []string, undo *Step) (command, *refusal) {
	brew, onPath := m.program("brew")
	switch {
	case brew == "":
		return command{}, lacks("brew")
	case m.Superuser:
		return command{}, &refusal{why: "brew refuses to run as root"}
	}
	c := command{
		argv:  append([]string{brew, verbFor(undo, "install", "uninstall")}, packages...),
		env:   []string{"NONINTERACTIVE=1", "HOMEBREW_NO_ENV_HINTS=1"},
		unset: unsetBrew,
	}
	switch {
	case !onPath:
		c.linkFrom, c.binDir = filepath.Dir(brew), m.state("bin")
	case len(packages) == 1:
		c.binDir = filepath.Join(filepath.Dir(filepath.Dir(brew)), "opt", path.Base(packages[0]), "bin")
	}
	return c, nil
}

// system is apt-get(8) and dnf(8), which need root.
func (m *machine) system(kind metadata.Kind, packages []string, undo *Step) (command, *refusal) {
	verb := verbFor(undo, "install", "remove")
	if kind == metadata.KindDnf {
		argv, no := m.asRoot("dnf", verb, "-y", "--")
		return command{argv: append(argv, packages...)}, no
	}
	// Without Pattern-Only the name of a package that is not there is a
	// regular expression, in which a dot stands for anything. A changed
	// configuration file is kept rather than asked about, see dpkg(1).
	argv, no := m.asRoot("apt-get", verb, "-q", "-y", "-o", "APT::Cmd::Pattern-Only=true", "-o", "Dpkg::Options::=--force-confold", "--")
	if no != nil {
		return command{}, no
	}
	c := command{argv: append(argv, packages...)}
	c.env = m.aptEnv()
	if undo == nil {
		update, _ := m.asRoot("apt-get", "update", "-q")
		c.before = []Step{{
			ID: "apt-update", Kind: metadata.KindApt, Label: "Refresh the lists of packages (apt)",
			Argv: update, Env: m.aptEnv(), Optional: true,
			Reason: "apt-get installs from lists that may be old, or not there yet",
		}}
	}
	return c, nil
}

func (m *machine) aptEnv() []string {
	if m.Superuser {
		return []string{"DEBIAN_FRONTEND=noninteractive"}
	}
	return nil // sudo drops it; it stands in the command
}

// asRoot returns a command that runs as root. sudo does not ask for a password.
func (m *machine) asRoot(program string, args ...string) ([]string, *refusal) {
	file, _ := m.program(program)
	if file == "" {
		return nil, lacks(program)
	}
	argv := append([]string{file}, args...)
	if m.Superuser {
		return argv, nil
	}
	sudo, _ := m.program("sudo")
	if sudo == "" {
		return nil, &refusal{why: program + " needs root, and sudo is not on this machine"}
	}
	prefix := []string{sudo, "-n"}
	if program == "apt-get" {
		env, _ := m.program("env")
		prefix = append(prefix, cmp.Or(env, "/usr/bin/env"), "DEBIAN_FRONTEND=noninteractive")
	}
	return append(prefix, argv...), nil
}

// node is npm-install(1) and the like of the other managers of Node packages.
func (m *machine) node(packages []string, undo *Step) (command, *refusal) {
	manager := cmp.Or(m.NodeManager, "npm")
	if !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, manager) {
		return command{}, &refusal{why: quote(manager) + " is not a manager of Node packages"}
	}
	file, onPath := m.program(manager)
	if file == "" {
		return command{}, lacks(manager)
	}
	c := command{unset: unsetNode}
	bin := m.state("bin")
	verb := verbFor(undo, "add", "remove")
	switch manager {
	case "npm":
		verb = verbFor(undo, "install", "uninstall")
		c.argv = []string{file, verb, "--global", "--no-fund", "--no-audit", "--no-update-notifier"}
		prefix := m.npmPrefix(file)
		if m.inState(undo, m.writable(prefix) && onPath && m.onPath(m.nodeBin(prefix))) {
			c.argv = append(c.argv, "--prefix", m.state("npm"))
			c.linkFrom, c.binDir = m.nodeBin(m.state("npm")), bin
		}
		c.argv = append(c.argv, "--")
	case "pnpm":
		c.argv = []string{file, verb, "--global"}
		if home := m.getenv("PNPM_HOME"); m.inState(undo, m.onPath(home) || m.onPath(filepath.Join(home, "bin"))) {
			// pnpm refuses a folder that is not on PATH; [Run] puts binDir there.
			c.argv = append(c.argv, "--global-dir", m.state("npm", "pnpm"), "--global-bin-dir", bin)
			c.binDir = bin
		}
	case "yarn": // 1; later ones install nothing globally
		c.argv = []string{file, "global", verb, "--non-interactive", "--prefix", m.state("npm")}
		c.linkFrom, c.binDir = m.nodeBin(m.state("npm")), bin
	case "bun":
		c.argv = []string{file, verb, "--global"}
		if m.inState(undo, m.onPath(filepath.Join(cmp.Or(m.getenv("BUN_INSTALL"), filepath.Join(m.home(), ".bun")), "bin"))) {
			c.env = []string{"BUN_INSTALL_BIN=" + bin, "BUN_INSTALL_GLOBAL_DIR=" + m.state("npm", "bun")}
			c.binDir = bin
		}
	}
	c.argv = append(c.argv, packages...)
	return c, nil
}

// npmPrefix returns where npm puts global packages, see npm-folders(5), unless
// a file of its configuration says otherwise.
func (m *machine) npmPrefix(npm string) string {
	if prefix := cmp.Or(m.getenv("npm_config_prefix"), m.getenv("NPM_CONFIG_PREFIX")); prefix != "" {
		return prefix
	}
	if m.GOOS == "windows" {
		return filepath.Join(m.getenv("APPDATA"), "npm")
	}
	return filepath.Dir(filepath.Dir(npm))
}

// nodeBin returns where npm links programs below a prefix.
func (m *machine) nodeBin(prefix string) string {
	if m.GOOS == "windows" {
		return prefix
	}
	return filepath.Join(prefix, "bin")
}

// goInstall is `go help install`. Without a version it would build what is in
// the current folder.
func (m *machine) goInstall(packages []string) (command, *refusal) {
	file, _ := m.program("go")
	if file == "" {
		return command{}, lacks("go")
	}
	gopath := filepath.Join(m.home(), "go")
	if list := filepath.SplitList(m.getenv("GOPATH")); len(list) > 0 {
		gopath = list[0]
	}
	bin := cmp.Or(m.getenv("GOBIN"), filepath.Join(gopath, "bin"))
	if !m.onPath(bin) || !m.writable(bin) {
		bin = m.state("bin")
	}
	return command{
		argv: append([]string{file, "install", "--"}, packages...),
		env:  []string{"GOBIN=" + bin}, unset: unsetGo, binDir: bin,
	}, nil
}

// pip installs into the managed environment, with uv where that is here. The
// option -I keeps the current folder out of the interpreter's path.
func (m *machine) pip(packages []string, undo *Step) (command, *refusal) {
	env := Step{
		ID: "python", Kind: metadata.KindPip, Label: "Make the managed Python environment", Unset: unsetPython,
		Reason: "packages go into an environment of their own, never into that of the system",
	}
	python := m.python()
	names := []string{"python3", "python"}
	if m.GOOS == "windows" {
		names = []string{"python"} // python3 may be a link to a shop
	}
	base, _ := m.program(names...)
	uv, _ := m.program("uv")
	c := command{unset: unsetPython, linkFrom: filepath.Dir(python), binDir: m.state("bin")}
	switch {
	case uv != "":
		env.Argv = []string{uv, "venv", "--system-site-packages", "--allow-existing"}
		if base != "" {
			env.Argv = append(env.Argv, "--python", base)
		}
		env.Argv = append(env.Argv, m.state("python"))
		env.Creates = python
		c.argv = []string{uv, "pip", verbFor(undo, "install", "uninstall"), "--python", python}
	case base != "":
		env.Argv = []string{base, "-I", "-m", "venv", "--system-site-packages", m.state("python")}
		env.Creates = filepath.Join(filepath.Dir(python), "pip"+filepath.Ext(python)) // made last
		c.argv = []string{python, "-I", "-m", "pip", verbFor(undo, "install", "uninstall"), "--no-input", "--disable-pip-version-check"}
		if undo != nil {
			c.argv = append(c.argv, "--yes")
		}
	default:
		return command{}, lacks(names[0])
	}
	if undo == nil {
		c.before = []Step{env}
		c.argv = append(c.argv, m.indexArgs()...)
	}
	c.argv = append(append(c.argv, "--"), packages...)
	return c, nil
}

func (m *machine) indexArgs() []string {
	if m.PythonIndex == "" {
		return nil
	}
	return []string{"--index-url", m.PythonIndex}
}

// pythonTool is `uv tool` and pipx, each of which makes an environment for a
// program.
func (m *machine) pythonTool(kind metadata.Kind, packages []string, undo *Step) (command, *refusal) {
	file, _ := m.program(string(kind))
	if file == "" {
		return command{}, lacks(string(kind))
	}
	bin := filepath.Join(m.home(), ".local", "bin")
	if m.inState(undo, m.onPath(bin)) {
		bin = m.state("bin")
	}
	c := command{unset: unsetPython, binDir: bin}
	verb := verbFor(undo, "install", "uninstall")
	if kind == metadata.KindUv {
		c.argv = []string{file, "tool", verb}
		c.env = []string{"UV_TOOL_BIN_DIR=" + bin}
	} else {
		c.argv = []string{file, verb}
		c.env = []string{"PIPX_BIN_DIR=" + bin}
	}
	if undo == nil {
		c.argv = append(c.argv, m.indexArgs()...)
	}
	c.argv = append(append(c.argv, "--"), packages...)
	return c, nil
}

// cargoOrGem is cargo-install(1) and `gem help install`.
func (m *machine) cargoOrGem(kind metadata.Kind, packages []string, undo *Step) (command, *refusal) {
	file, _ := m.program(string(kind))
	if file == "" {
		return command{}, lacks(string(kind))
	}
	c := command{argv: []string{file, verbFor(undo, "install", "uninstall")}}
	if kind == metadata.KindGem {
		if undo != nil {
			c.argv = append(c.argv, "--all", "--executables")
		} else {
			c.argv = append(c.argv, "--no-document")
		}
		if m.inState(undo, m.Superuser) {
			c.argv = append(c.argv, "--user-install", "--bindir", m.state("bin"))
			c.binDir = m.state("bin")
		}
		c.argv = append(c.argv, packages...)
		return c, nil
	}
	if undo == nil {
		c.argv = append(c.argv, "--locked")
	}
	c.unset = []string{"CARGO_INSTALL_ROOT", "CARGO_BUILD_TARGET"}
	if m.inState(undo, m.onPath(filepath.Join(cmp.Or(m.getenv("CARGO_HOME"), filepath.Join(m.home(), ".cargo")), "bin"))) {
		c.argv = append(c.argv, "--root", m.State) // into its folder bin
		c.binDir = m.state("bin")
	}
	c.argv = append(append(c.argv, "--"), packages...)
	return c, nil
}

// windows is choco and winget.
func (m *machine) windows(kind metadata.Kind, packages []string, undo *Step) (command, *refusal) {
	file, _ := m.program(string(kind))
	if file == "" {
		return command{}, lacks(string(kind))
	}
	verb := verbFor(undo, "install", "uninstall")
	if kind == metadata.KindChoco {
		return command{argv: append([]string{file, verb, "-y", "--no-progress"}, packages...)}, nil
	}
	argv := []string{file, verb, "--exact", "--silent", "--disable-interactivity", "--accept-source-agreements"}
	if undo == nil {
		argv = append(argv, "--accept-package-agreements")
	}
	return command{argv: append(append(argv, "--id"), packages...)}, nil
}
