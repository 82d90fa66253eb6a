// Package layers holds the import policy of the module as a test, and other rules
// that hold for all of it.
package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/matrix-nexus/skillkit"

// policy lists, for each package, the packages of this module that it may
// import, directly or through another. It is a statement of policy: a change
// to fix a build is a change of the architecture. Packages below internal may
// be imported by all and import none; commands may import everything.
var policy = map[string][]string{
	"metadata":            {},
	"registry":            {},
	"bundled":             {},
	"skills":              {"metadata"},
	"requires":            {"metadata"},
	"loader":              {"skills", "metadata"},
	"config":              {"metadata", "requires", "executa/manifest"},
	"converter":           {"skills", "registry", "metadata"},
	"install":             {"metadata", "requires"},
	"executa/manifest":    {"metadata"},
	"executa":             {"registry", "executa/manifest", "metadata"},
	"executa/credentials": {"executa/manifest"},
	"executa/doctor":      {"executa", "registry", "executa/manifest", "check", "metadata"},
	"executa/executatest": {"executa", "executa/doctor"},
	"publish":             {"skills", "metadata"},
	"check":               {"skills", "requires", "install", "metadata", "registry", "executa/manifest"},
}

// osUsers are the packages that may touch the operating system, and pureFiles
// those of their files that may not.
var (
	osUsers   = []string{"loader", "config", "requires", "install", "publish", "executa", "executa/credentials", "executa/doctor", "executa/executatest"}
	pureFiles = []string{
		"requires/check.go", "requires/report.go",
		"config/parse.go", "config/install.go", "config/edit.go", "config/extent.go", "config/plugin.go",
		"install/install.go", "install/plan.go", "install/argv.go", "install/name.go", "install/recipe.go", "install/step.go", "install/need.go", "install/job.go",
		"publish/skill.go", "publish/leave.go", "publish/ignore.go", "publish/name.go", "publish/digest.go", "publish/diff.go",
		"publish/pack.go", "publish/payload.go", "publish/json.go", "publish/listing.go",
		"install/machine.go", "install/output.go", "install/plainremoval.go", "install/removal.go",
	}
)

// osPackages are the imports that touch it.
var osPackages = []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows"}

func TestPolicy(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			nested := err == nil && rel != "."
			if nested || rel == "cache" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		// The file is read here rather than by go list, whose run the test
		// cache does not see.
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := path.Dir(rel)
		seen[pkg], seen[rel] = true, true
		checkFile(t, pkg, rel, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(policy)), osUsers, pureFiles) {
		if !seen[name] {
			t.Errorf("the policy names %q, which is not there", name)
		}
	}
}

func checkFile(t *testing.T, pkg, file string, f *ast.File) {
	t.Helper()
	internal := strings.HasPrefix(pkg, "internal/")
	command := strings.HasPrefix(pkg, "cmd/")
	allowed, known := policy[pkg]
	if !known && !internal && !command {
		t.Errorf("%s: package %q is not in the import policy", file, pkg)
		return
	}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if slices.Contains(osPackages, imp) && !internal && !command &&
			(!slices.Contains(osUsers, pkg) || slices.Contains(pureFiles, file)) {
			t.Errorf("%s must not touch the operating system, but imports %q", file, imp)
		}
		if imp != module && !strings.HasPrefix(imp, module+"/") {
			continue
		}
		imp = strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
		switch {
		case internal:
			t.Errorf("%s: internal packages import nothing of this module, but it imports %q", file, imp)
		case command, strings.HasPrefix(imp, "internal/"), slices.Contains(allowed, imp):
		default:
			t.Errorf("%s: package %q must not import %q", file, pkg, imp)
		}
	}
	if command {
		return
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "init" && fn.Recv == nil {
			t.Errorf("%s: init function below cmd", file)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" {
			switch sel.Sel.Name {
			case "Getenv", "LookupEnv", "Environ", "Exit", "Setenv":
				t.Errorf("%s: os.%s below cmd: take the value from the caller", file, sel.Sel.Name)
			}
		}
		return true
	})
}
