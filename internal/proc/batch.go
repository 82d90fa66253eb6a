package proc

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// ErrUnquotable is wrapped by the error for an argument that cannot be given to a
// batch file without cmd.exe making something else of it.
var ErrUnquotable = errors.New("cannot be quoted for a batch file")

// IsBatch reports whether a program of Windows is a batch file, which cmd.exe
// runs. CreateProcess does so too, but takes the rules of other programs for the
// arguments, by which one can end and a command begin ("BatBadBut").
func IsBatch(program string) bool {
	switch strings.ToLower(path.Ext(trimName(program))) {
	case ".bat", ".cmd":
		return true
	}
	return false
}

// trimName drops the dots and spaces at the end of a name, as Windows does.
func trimName(name string) string { return strings.TrimRight(name, ". ") }

// BatchLine returns the command line by which cmd.exe, whose path is given, runs
// a batch file with arguments as they are. All are quoted, so that no character
// but two means anything to it:
//
//   - A quote is doubled: quoting ends and begins again.
//   - A percent sign is followed by a variable that is empty, so that no name
//     of one is between two of them.
//
// Backslashes before a quote are doubled, for the program that the batch file
// gives its arguments to. Delayed expansion, which would see exclamation marks,
// and the user's AutoRun commands are off. The error wraps [ErrUnquotable]: for
// line breaks and NUL, behind which cmd.exe drops what follows.
func BatchLine(cmd, batch string, args []string) (string, error) {
	if strings.ContainsAny(batch, "\"%\r\n\x00") || strings.HasSuffix(batch, `\`) {
		return "", fmt.Errorf("the path %q %w", batch, ErrUnquotable)
	}
	var b strings.Builder
	// With /s, cmd.exe takes off the outer quotes and leaves the rest alone.
	fmt.Fprintf(&b, `"%s" /d /e:on /v:off /s /c ""%s"`, cmd, batch)
	for i, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return "", fmt.Errorf("argument %d of %s %w: it holds a line break or NUL", i+1, batch, ErrUnquotable)
		}
		b.WriteString(` "`)
		slashes := 0
		for _, r := range arg {
			switch r {
			case '"':
				b.WriteString(strings.Repeat(`\`, slashes) + `""`)
			case '%':
				b.WriteString(`%%cd:~,%`)
			default:
				b.WriteRune(r)
			}
			slashes++
			if r != '\\' {
				slashes = 0
			}
		}
		b.WriteString(strings.Repeat(`\`, slashes) + `"`)
	}
	b.WriteString(`"`)
	return b.String(), nil
}
