package proc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

// B34: arguments reach a batch file as they are, or not at all.
func TestB34BatchLine(t *testing.T) {
	const cmd, npx = `C:\Windows\System32\cmd.exe`, `C:\Program Files\nodejs\npx.cmd`
	const before = `"C:\Windows\System32\cmd.exe" /d /e:on /v:off /s /c ""C:\Program Files\nodejs\npx.cmd"`
	tests := []struct {
		name string
		arg  string
		want string
	}{
		{"plain", `server`, `"server"`},
		{"empty", ``, `""`},
		{"spaces", `my server`, `"my server"`},
		{"a second command", `a&calc`, `"a&calc"`},
		{"a quote that would end the argument", `"&calc.exe`, `"""&calc.exe"`},
		{"JSON", `{"a": 1}`, `"{""a"": 1}"`},
		{"variable", `%PATH%`, `"%%cd:~,%PATH%%cd:~,%"`},
		{"delayed variable", `!PATH!`, `"!PATH!"`},
		{"caret, redirection and pipe", `^<>|()`, `"^<>|()"`},
		{"path that ends in a backslash", `C:\dir\`, `"C:\dir\\"`},
		{"backslash before a quote", `a\"b`, `"a\\""b"`},
		{"other letters", `Grüße 世界`, `"Grüße 世界"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := proc.BatchLine(cmd, npx, []string{tt.arg})
			if want := before + " " + tt.want + `"`; got != want || err != nil {
				t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
			}
			// Within quotes cmd.exe takes nothing for itself but percent
			// signs; what stands outside of them is ours.
			for i, part := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(got, before), `"`), `"`) {
				if i%2 == 0 && strings.Trim(part, " ") != "" {
					t.Errorf("%q is outside of quotes in %s", part, got)
				}
			}
		})
	}
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b"} {
		if _, err := proc.BatchLine(cmd, npx, []string{"ok", arg}); !errors.Is(err, proc.ErrUnquotable) || !strings.Contains(err.Error(), "argument 2") {
			t.Errorf("BatchLine(%q): got %v", arg, err)
		}
	}
	for _, batch := range []string{`C:\100%\a.cmd`, "C:\\\"\\a.cmd", `C:\a\`} {
		if _, err := proc.BatchLine(cmd, batch, nil); !errors.Is(err, proc.ErrUnquotable) {
			t.Errorf("BatchLine of %q: got %v", batch, err)
		}
	}
}

func TestIsBatch(t *testing.T) {
	for program, want := range map[string]bool{
		`C:\a\npx.cmd`: true, `C:\a\X.BAT`: true, `C:\a\x.bat. .`: true, `C:\a.cmd\x.exe`: false, `C:\a\x`: false, ``: false,
	} {
		if got := proc.IsBatch(program); got != want {
			t.Errorf("IsBatch(%q) = %v", program, got)
		}
	}
}

func FuzzBatchLine(f *testing.F) {
	f.Add(`a "b" %c% \`)
	f.Fuzz(func(t *testing.T, arg string) {
		line, err := proc.BatchLine("cmd", "b", []string{arg})
		if err != nil {
			return
		}
		rest, ok := strings.CutPrefix(line, `"cmd" /d /e:on /v:off /s /c ""b" "`)
		if !ok || !strings.HasSuffix(rest, `""`) {
			t.Fatalf("got %q", line)
		}
		rest = strings.TrimSuffix(rest, `""`)
		// Quotes come in pairs: what is between them never is outside.
		if strings.Contains(strings.ReplaceAll(rest, `""`, ""), `"`) {
			t.Errorf("a quote that ends the argument in %q", line)
		}
		if strings.Contains(strings.ReplaceAll(rest, `%%cd:~,%`, ""), "%") {
			t.Errorf("a percent sign that is not followed by an empty variable in %q", line)
		}
	})
}
