package executa

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// encodings are ways in which programs write a string into JSON.
var encodings = map[string]func(string) string{
	"html": func(s string) string { // as Go has it
		b, _ := json.Marshal(s)
		return string(b)
	},
	"plain": func(s string) string { // as JavaScript has it
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s)
		return strings.TrimSuffix(b.String(), "\n")
	},
	"ascii": func(s string) string { // as Python has it
		var b strings.Builder
		for _, r := range encodingsPlain(s) {
			escapeRune(&b, r, r > 0x7e, "%04x")
		}
		return b.String()
	},
	"slash": func(s string) string { // as PHP has it
		return strings.ReplaceAll(encodingsPlain(s), "/", `\/`)
	},
	"all": func(s string) string {
		var b strings.Builder
		for _, r := range s {
			escapeRune(&b, r, true, "%04X")
		}
		return `"` + b.String() + `"`
	},
	"twice": func(s string) string {
		b, _ := json.Marshal(encodingsPlain(s))
		return string(b)
	},
	"query": func(s string) string { return encodingsPlain("https://h/?a=" + url.QueryEscape(s) + "&b") },
	"path":  func(s string) string { return encodingsPlain("https://h/" + strings.ToLower(url.PathEscape(s))) },
}

func encodingsPlain(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func escapeRune(b *strings.Builder, r rune, yes bool, format string) {
	switch {
	case !yes:
		b.WriteRune(r)
	case r > 0xffff:
		r -= 0x10000
		fmt.Fprintf(b, `\u`+format+`\u`+format, 0xd800+r>>10, 0xdc00+r&0x3ff)
	default:
		fmt.Fprintf(b, `\u`+format, r)
	}
}

func TestRedactEncodings(t *testing.T) {
	for _, secret := range []string{
		"ghp_abcDEF123", `qu"ote\slash`, "a/b<c>&d'e", "пароль-密码-🔑", "line one\nline two", "tab\tand\u2028sep", "100%25&+ 1",
	} {
		var r redactor
		r.add(secret)
		for name, encode := range encodings {
			if name == "path" && strings.ToLower(secret) != secret {
				continue // its letters are changed
			}
			t.Run(name+" "+secret, func(t *testing.T) {
				line := []byte(`{"a":[1,"x` + "é" + `\n"],` + encode("k") + `:` + encode(secret) + `,"b":{"c":null}}`)
				if !json.Valid(line) {
					t.Fatalf("the test is at fault: %s", line)
				}
				got := r.bytes(bytes.Clone(line))
				if !json.Valid(got) {
					t.Fatalf("got %s", got)
				}
				if !bytes.Contains(got, []byte(redacted)) || !bytes.HasPrefix(got, []byte(`{"a":[1,"x`+"é"+`\n"],`)) || !bytes.HasSuffix(got, []byte(`,"b":{"c":null}}`)) {
					t.Errorf("got %s", got)
				}
				// In a log it is not known to be JSON.
				if got := r.string("plugin: " + string(line)); !strings.Contains(got, redacted) {
					t.Errorf("got %s", got)
				}
			})
		}
	}
}

func TestRedactBytes(t *testing.T) {
	var r redactor
	r.add("secret1", "secret12", "12345678", `{"key":"v"}`, "nsecret9", "[redacted]", "redacted", "short", "d]\nabc")
	for _, tt := range []struct{ in, want string }{
		{`{"a":"secret1"}`, `{"a":"[redacted]"}`},
		{`{"a":"xsecret12x"}`, `{"a":"x[redacted]x"}`}, // the longest
		{`{"secret1":1}`, `{"[redacted]":1}`},
		{`{"a":12345678,"b":0.12345678e1,"c":-1}`, `{"a":"[redacted]","b":"[redacted]","c":-1}`},
		{`{"a":"\nsecret9"}`, `{"a":"[redacted]"}`}, // not half of an escape
		{`{"a":"\\nsecret9"}`, `{"a":"\\[redacted]"}`},
		{`{"a":{"key":"v"}}`, `"[redacted]"`},
		{`{"a":"secret1\nabc"}`, `"[redacted]"`}, // which would show another value
		{`{"a":"short [redacted]"}`, `{"a":"short [redacted]"}`},
		{`secret1 {`, `[redacted] {`},
		{`secret1`, `[redacted]`},
		{``, ``},
		{`"\ud83d \uZZZZ"`, `"\ud83d \uZZZZ"`},
	} {
		if got := r.bytes([]byte(tt.in)); string(got) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
	clean := []byte(`{"a":"b\n%41"}`)
	if got := r.bytes(clean); &got[0] != &clean[0] {
		t.Error("what holds no value is copied")
	}
	if got := r.string(`a\nsecret9 100%secret1`); got != `a\[redacted] 100%[redacted]` {
		t.Errorf("got %s", got)
	}
}

// A key in the PEM format is written to a log line by line.
func TestRedactLines(t *testing.T) {
	var r redactor
	r.add("-----BEGIN KEY-----\r\nMIIEvQIBADANBg\n  kqhkiG9w0BAQEF \nab\n")
	if got := r.string("key: MIIEvQIBADANBg, kqhkiG9w0BAQEF, ab"); got != "key: [redacted], [redacted], ab" {
		t.Error(got)
	}
}

func TestRedactNothing(t *testing.T) {
	var r redactor
	r.add("", "12345")
	if !r.empty() || r.string("12345") != "12345" {
		t.Error("a value of 5 bytes is hidden")
	}
	if n := testing.AllocsPerRun(100, func() { r.string("12345"); r.bytes(nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	r.add("123456")
	if r.empty() || r.string("123456") != redacted {
		t.Error("a value of 6 bytes is not hidden")
	}
	if n := testing.AllocsPerRun(100, func() { r.add("123456"); r.string("12345") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Of too many values the ones that were added longest ago are forgotten.
func TestRedactLimit(t *testing.T) {
	var r redactor
	value := func(i int) string { return fmt.Sprintf("value-%03d", i) }
	for i := range maxRedact {
		r.add(value(i))
	}
	r.add(value(0)) // again
	r.add("one-more")
	if got := len(r.values.Load().list); got != maxRedact {
		t.Errorf("keeps %d values, want %d", got, maxRedact)
	}
	if got := r.string(value(0) + " " + value(1) + " " + value(2) + " one-more"); got != redacted+" value-001 "+redacted+" "+redacted {
		t.Error(got)
	}
}

func TestRedactAtOnce(t *testing.T) {
	var r redactor
	r.add("secret0")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 50 {
				secret := fmt.Sprintf("secret-%d-%d", i, j)
				r.add(secret)
				if got := r.string("secret0 " + secret); got != redacted+" "+redacted {
					t.Error(got)
				}
			}
		})
	}
	wg.Wait()
}

// No value survives, as it is or in what the JSON means, and JSON stays JSON.
func FuzzRedact(f *testing.F) {
	f.Add("secret1", "secret12", "a secret12 b")
	f.Add(`a"b\cd`, "пароль", `пар"оль a\"b\\cd`)
	f.Add("12345678", `","b":"`, "x")
	f.Add("d]secret", "secret", "secretsecret")
	f.Add("aaaaaaa", "\\\\\\\\\\\\", "aaaaaaaaaaa\\\\\\\\\\\\\\\\\\\\")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		a, b, text = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""), strings.ToValidUTF8(text, "")
		var r redactor
		r.add(a, b)
		var values []string
		for _, v := range []string{a, b} {
			if len(v) >= minRedact && !strings.Contains(redacted, v) {
				values = append(values, v)
			}
		}
		check := func(what, s string) {
			for _, v := range values {
				if strings.Contains(s, v) {
					t.Fatalf("%s: %q is in %q", what, v, s)
				}
			}
		}
		check("text", r.string(text+a+text+b))
		check("no JSON", string(r.bytes([]byte(text+a+text+b))))
		for name, encode := range encodings {
			if name == "path" {
				continue
			}
			got := r.bytes([]byte(`{"a":[` + encode(text+a+text) + `,"",` + encode(b+text) + `],` + encode(a+b) + `:0}`))
			check(name, string(got))
			var value any
			if err := json.Unmarshal(got, &value); err != nil {
				t.Fatalf("%s: %v in %s", name, err, got)
			}
			check(name+", decoded", fmt.Sprint(value))
		}
		if b := []byte(text); json.Valid(b) && !json.Valid(r.bytes(b)) {
			t.Fatalf("%s becomes %s", text, r.bytes(b))
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	var r redactor
	r.add("ghp_0123456789abcdefghij", "xoxb-0123456789")
	line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"success":true,"data":"` + strings.Repeat(`some text\n`, 100) + `"}}`)
	for name, line := range map[string][]byte{"clean": bytes.ReplaceAll(line, []byte(`\`), nil), "escapes": line, "found": bytes.Replace(line, []byte("some"), []byte("ghp_0123456789abcdefghij"), 1)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				r.bytes(line)
			}
		})
	}
}
