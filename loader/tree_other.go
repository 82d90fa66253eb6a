//go:build !linux

package loader

// openTree returns a tree over the folder dir.
func openTree(dir string) (tree, error) { return openRootTree(dir) }
