package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/unpack"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A RecipeError says why a recipe is refused for what it says.
type RecipeError struct {
	// Field is the documented name of the field at fault: package, bins,
	// command, url, sha256, archive or target_dir.
	Field string
	Err   error // names the value
}

func (e *RecipeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RecipeError) Unwrap() error { return e.Err }

// CheckRecipe says why a recipe is never run, on no machine and whatever the
// options, for what it says: a package that would be an option, a path or a URL to
// its installer, a download that is not https, and the like. It says nothing of
// what a recipe lacks, nor of kinds that are not run. The error is a *[RecipeError]
// for the first fault.
func CheckRecipe(r *metadata.Recipe) error {
	for _, name := range r.Bins {
		if err := checkBin(name); err != nil {
			return &RecipeError{"bins", err}
		}
	}
	switch {
	case r.Kind == metadata.KindShell, r.Kind == metadata.KindDownload && r.URL == "":
		if strings.TrimSpace(r.Command) == "" {
			return nil // nothing to run
		}
		if err := checkCommand(r.Command); err != nil {
			return &RecipeError{"command", err}
		}
	case r.Kind == metadata.KindDownload:
		return checkDownload(r)
	case packageForms[r.Kind].re != nil:
		for _, pkg := range r.Packages {
			if err := checkPackage(r.Kind, pkg); err != nil {
				return &RecipeError{"package", err}
			}
			if _, err := operand(&metadata.Manifest{}, r, pkg); err != nil {
				return &RecipeError{"package", err}
			}
		}
	}
	return nil
}

func checkDownload(r *metadata.Recipe) error {
	u, err := checkURL(r.URL)
	if err != nil {
		return &RecipeError{"url", err}
	}
	if sum := strings.ToLower(strings.TrimSpace(r.SHA256)); sum != "" && !sha256Form.MatchString(sum) {
		return &RecipeError{"sha256", fmt.Errorf("sha256 %s is not 64 hex digits", quote(r.SHA256))}
	}
	archive, err := archiveOf(r, u)
	if err != nil {
		return &RecipeError{"archive", err}
	}
	if format := unpack.Format(archive); (format == "" || format.Single()) && len(r.Bins) != 1 && checkBin(downloadName(u, archive)) != nil {
		return &RecipeError{"url", fmt.Errorf("no file can be named after %s; the recipe must list one program in bins", quote(r.URL))}
	}
	dir := strings.TrimSpace(r.TargetDir)
	if dir != "" && (!filepath.IsLocal(dir) || strings.ContainsAny(dir, `\:~`)) {
		return &RecipeError{"target_dir", fmt.Errorf("target folder %s leads out of the folder of the skill", quote(dir))}
	}
	return nil
}
