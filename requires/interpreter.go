package requires

import "path/filepath"

// noPython is the Where of a Python package where there is no interpreter.
const noPython = "no python3 or python on PATH"

// VenvPython returns the path of the interpreter of the virtual environment in
// the folder dir. goos is a GOOS.
func VenvPython(goos, dir string) string {
	if goos == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}
