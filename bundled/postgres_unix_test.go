//go:build unix

package bundled_test

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// postgresKit starts a PostgreSQL server on a Unix socket, for the duration of
// t, and gives each block a fresh copy of the sample database.
func postgresKit(t *testing.T) func(*testing.T) box {
	need(t, "psql")
	dir := startPostgres(t)
	dsn := func(database string) string {
		u := url.URL{Scheme: "postgresql", User: url.User("postgres"), Path: "/" + database}
		return u.String() + "?host=" + url.QueryEscape(dir)
	}
	query := func(t *testing.T, database, sql string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "psql", "-Xqw", "-v", "ON_ERROR_STOP=1", dsn(database))
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		cmd.Stdin = strings.NewReader(sql)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("psql: %v\n%s", err, out)
		}
	}
	for _, f := range samples(t, "postgres-client") {
		if f.Name == "sample.sql" {
			query(t, "postgres", "CREATE DATABASE sample;")
			query(t, "sample", string(f.Data))
		}
	}
	n := 0
	return func(t *testing.T) box {
		n++
		name := "copy" + strconv.Itoa(n)
		query(t, "postgres", "CREATE DATABASE "+name+" TEMPLATE sample;")
		return box{env: []string{"DATABASE_URL=" + dsn(name)}}
	}
}

// untilEOF runs the server given by its arguments, and shuts it down when
// standard input ends: that happens too when the test is killed.
const untilEOF = `exec 3<&0
{ cat <&3 >/dev/null; kill -INT $$; } 2>/dev/null &
exec "$0" "$@" 3<&-`

// startPostgres makes a database cluster in a temporary folder, starts the
// server, waits until it takes connections, and returns the folder of its
// socket. The server ends with t.
func startPostgres(t *testing.T) (dir string) {
	t.Helper()
	initdb, postgres := postgresPrograms(t)
	// Not t.TempDir: its parent is closed to the user the server runs as, and
	// its path can be too long for a socket.
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attr := unprivileged(t, dir)

	data := filepath.Join(dir, "data")
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + dir}
		cmd.SysProcAttr = attr
		return cmd
	}
	out, err := run(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}

	server := run("bash", "-c", untilEOF, postgres, "-D", data, "-k", dir, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "autovacuum=off")
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Cancel = stdin.Close
	server.WaitDelay = 10 * time.Second
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan struct{}), make(chan struct{})
	var log strings.Builder // read after done only
	go func() {
		defer close(done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			fmt.Fprintln(&log, lines.Text())
			if strings.Contains(lines.Text(), "database system is ready to accept connections") {
				close(ready)
				break
			}
		}
		io.Copy(io.Discard, stderr)
	}()
	t.Cleanup(func() { // t.Context has ended by now, and the server with it
		<-done
		server.Wait()
	})
	select {
	case <-ready:
	case <-done:
		t.Fatalf("postgres ended:\n%s", log.String())
	}
	return dir
}

// postgresPrograms returns the paths of initdb and postgres, which Debian keeps
// off PATH, and skips the test if they are missing.
func postgresPrograms(t *testing.T) (initdb, postgres string) {
	t.Helper()
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is good
	if p, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	for _, dir := range dirs {
		initdb, err1 := exec.LookPath(filepath.Join(dir, "initdb"))
		postgres, err2 := exec.LookPath(filepath.Join(dir, "postgres"))
		if err1 == nil && err2 == nil {
			return initdb, postgres
		}
	}
	t.Skip("initdb and postgres are neither in /usr/lib/postgresql/*/bin nor on PATH")
	return "", ""
}

// unprivileged returns how to start a process that may use dir and is not
// root's, since PostgreSQL refuses to run as root.
func unprivileged(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 != nil || err2 != nil {
			continue
		}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	t.Skip("running as root, and there is no user postgres or nobody to run the server as")
	return nil
}
