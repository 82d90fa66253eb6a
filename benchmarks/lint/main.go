// Lint compares skillcheck with another linter on planted faults, on skills
// that are clean, and in time, and its speed with a floor. See README.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

// peer is the other linter, as npm names it.
const peer = "skill-check@1.2.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: go run ./lint [flags] [DIR...]\nWithout a DIR the speed is measured on a generated tree.")
		flags.PrintDefaults()
	}
	n := flags.Int("n", 18000, "skills in the generated tree; 0 leaves the speed out")
	rounds := flags.Int("rounds", 5, "how often each thing is timed")
	nopeer := flags.Bool("nopeer", false, "do not install and run the other linter")
	if err := flags.Parse(args); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "skillkit-lint-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	linters, err := install(ctx, tmp, !*nopeer)
	if err != nil {
		return err
	}
	missed, err := compare(ctx, filepath.Join(tmp, "planted"), linters)
	if err != nil {
		return err
	}
	if err := onClean(ctx, tmp, linters); err != nil {
		return err
	}
	dirs := flags.Args()
	if len(dirs) == 0 && *n > 0 {
		dirs = []string{filepath.Join(tmp, "tree")}
		if _, err := skillgen.Tree(dirs[0], *n, 1); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		if err := speed(ctx, dir, *rounds); err != nil {
			return err
		}
	}
	if len(dirs) > 0 {
		if err := commands(ctx, tmp, *rounds, linters); err != nil {
			return err
		}
	}
	if missed > 0 {
		return fmt.Errorf("skillcheck missed %d planted faults", missed)
	}
	return nil
}

// A linter is a command that prints findings as JSON.
type linter struct {
	name string
	argv []string // with the path to check to be added
	read func([]byte) ([]finding, error)
}

// A finding is what a linter printed of one.
type finding struct{ rule, severity string }

func (f finding) String() string { return f.rule }

// install builds skillcheck and installs the peer below tmp.
func install(ctx context.Context, tmp string, withPeer bool) ([]linter, error) {
	bin := filepath.Join(tmp, "skillcheck")
	// It is built in its own module, which knows what it needs.
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/matrix-nexus/skillkit").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	if err := command(ctx, "go", "build", "-C", strings.TrimSpace(string(root)), "-o", bin, "./cmd/skillcheck"); err != nil {
		return nil, err
	}
	list := []linter{{"skillcheck", []string{bin, "--format", "json"}, readOurs}}
	if !withPeer {
		return list, nil
	}
	dir := filepath.Join(tmp, "peer")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := command(ctx, "npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", dir, peer); err != nil {
		return nil, err
	}
	js := filepath.Join(dir, "node_modules", "skill-check", "bin", "skill-check.js")
	return append(list, linter{"skill-check", []string{"node", js, "check", "--no-security-scan", "--format", "json"}, readPeer}), nil
}

func command(ctx context.Context, argv ...string) error {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}

// check runs l on dir. A linter exits with 1 when it finds something.
func (l linter) check(ctx context.Context, dir string) ([]finding, error) {
	cmd := exec.CommandContext(ctx, l.argv[0], append(slices.Clone(l.argv[1:]), dir)...)
	// The peer ends before all of a long output has gone through a pipe.
	file, err := os.CreateTemp("", "skillkit-lint-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	cmd.Stdout = file
	err = cmd.Run()
	out, rerr := os.ReadFile(file.Name())
	if rerr != nil {
		return nil, rerr
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		err = nil
	}
	list, jerr := l.read(out)
	if jerr != nil || err != nil {
		return nil, fmt.Errorf("%s %s: %w", l.name, dir, errors.Join(err, jerr))
	}
	return list, nil
}

func readOurs(data []byte) ([]finding, error) {
	var out struct {
		Findings []struct{ Rule, Severity string }
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	var list []finding
	for _, f := range out.Findings {
		list = append(list, finding{f.Rule, f.Severity})
	}
	return list, nil
}

func readPeer(data []byte) ([]finding, error) {
	var out struct {
		Diagnostics []struct{ RuleID, Severity string }
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	var list []finding
	for _, d := range out.Diagnostics {
		list = append(list, finding{d.RuleID, d.Severity})
	}
	return list, nil
}

// compare prints what each linter finds of each planted fault. A fault counts
// as found by any rule that has more to say than about the clean skill,
// whether that is what the rule is about or not: this favours the peer, of
// which we do not judge what it means.
func compare(ctx context.Context, dir string, linters []linter) (missed int, err error) {
	baseline := make([]map[string]int, len(linters))
	for i, l := range linters {
		baseline[i] = map[string]int{}
		for j, t := range []tree{clean(), cleanTool()} {
			at := filepath.Join(dir, fmt.Sprintf("clean%d", j))
			if err := t.write(at); err != nil {
				return 0, err
			}
			found, err := l.check(ctx, at)
			if err != nil && j == 0 {
				return 0, err
			}
			for _, f := range found {
				baseline[i][f.rule]++
			}
		}
		fmt.Printf("%s says about the clean skill: %v\n", l.name, slices.Sorted(maps.Keys(baseline[i])))
	}
	fmt.Println("\n| planted fault | skillcheck | skill-check | agnix |\n|---|---|---|---|")
	list := faults()
	found := make([]int, len(linters))
	agnix := 0
	for i, p := range list {
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := p.files.write(at); err != nil {
			return 0, err
		}
		cells := []string{p.name, "", "", p.agnix}
		for j, l := range linters {
			findings, err := l.check(ctx, at)
			if err != nil {
				cells[1+j] = "fails"
				if j == 0 {
					return 0, err
				}
				continue
			}
			count := map[string]int{}
			var rules []string
			for _, f := range findings {
				if count[f.rule]++; count[f.rule] == baseline[j][f.rule]+1 {
					rules = append(rules, "`"+f.rule+"`")
				}
			}
			if len(rules) > 0 {
				found[j]++
			} else if j == 0 {
				missed++
			}
			cells[1+j] = strings.Join(rules, " ")
		}
		if p.agnix != "" {
			agnix++
		}
		fmt.Printf("| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Printf("\n%d planted faults:", len(list))
	for j, l := range linters {
		fmt.Printf(" %s finds %d,", l.name, found[j])
	}
	fmt.Printf(" agnix has a rule for %d by its list.\n", agnix)
	return missed, nil
}

// onClean prints how much each linter says about skills without a fault.
func onClean(ctx context.Context, tmp string, linters []linter) error {
	dir := filepath.Join(tmp, "bundled")
	if err := os.CopyFS(dir, bundledFS()); err != nil {
		return err
	}
	fmt.Println("\n| linter | errors on the bundled skills | warnings | advice |\n|---|---|---|---|")
	for _, l := range linters {
		found, err := l.check(ctx, dir)
		if err != nil {
			return err
		}
		n := map[string]int{}
		for _, f := range found {
			n[strings.TrimSuffix(f.severity, "ing")]++
		}
		fmt.Printf("| %s | %d | %d | %d |\n", l.name, n["error"], n["warn"], n["info"])
	}
	return nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
