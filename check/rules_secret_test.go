package check_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// random returns n characters of the alphabet that look random and are the same
// on each run: no secret stands in this file.
func random(alphabet string, n int) string {
	var b strings.Builder
	x := uint32(2463534242)
	for range n {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteByte(alphabet[x%uint32(len(alphabet))])
	}
	return b.String()
}

const (
	hexDigits = "0123456789abcdef"
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// pem returns a private key that opens nothing.
func pem(kind string) string {
	body := random(letters+"+/", 200)
	return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + body[:64] + "\n" + body[64:128] + "\n" + body[128:] + "\n-----END " + kind + "PRIVATE KEY-----"
}

func jwt(claims string) string {
	e := base64.RawURLEncoding.EncodeToString
	return e([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + e([]byte(claims)) + "." + random(letters, 43)
}

// found returns the IDs of the rules that find something in the text of a body
// and the findings.
func found(t *testing.T, body string) (string, []check.Finding) {
	t.Helper()
	return foundIn(t, fstest.MapFS{"deploy/SKILL.md": {Data: []byte(bodyStart + body + "\n")}})
}

const bodyStart = "---\nname: deploy\ndescription: Roll out a release. Use when a release is due.\n" +
	"metadata: {\"matrix\": {\"execution_mode\": \"prompt\", \"category_name\": \"operations\"}}\n---\n\n# Deploy\n\nRoll out a release.\n\n"

// bodyLine is the line of the file on which the text given to found starts.
const bodyLine = 11

func foundIn(t *testing.T, tree fstest.MapFS) (string, []check.Finding) {
	t.Helper()
	list := secureTree(t, tree, nil)
	var ids []string
	for _, f := range list {
		ids = append(ids, f.Rule)
	}
	return strings.Join(ids, " "), list
}

// ours are the rules that have tests with the help of foundIn.
var ours = []string{
	"secret", "secret-suspected",
	"hidden-text", "bidi-control", "zero-width", "homoglyph", "control-character", "replacement-character",
	"prompt-injection", "prompt-injection-quoted",
	"fetch-execute", "fetch-execute-untrusted", "encoded-execute", "sudo", "destructive-delete", "insecure-tls",
	"package-source", "crypto-mining", "credential-access", "dynamic-code",
	"env-file", "credential-file", "executable-file", "file-type-mismatch", "archive-file", "archive-content", "archive-unsafe",
	"bytecode-without-source", "dependency-folder", "junk-file", "hidden-file", "symlink", "symlink-outside", "symlink-broken",
	"special-file", "text-not-utf8", "folder-too-large", "file-large", "publish-file-too-large", "publish-too-large", "reserved-file",
	"many-files", "file-name-unportable", "file-name-collision", "file-name-blank",
}

// secureTree returns what our rules find in a tree.
func secureTree(t *testing.T, tree fstest.MapFS, opts *check.Options) []check.Finding {
	t.Helper()
	c, err := check.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := check.Find(t.Context(), tree, ".", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Check(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	var list []check.Finding
	for _, f := range report.Findings {
		for _, id := range ours {
			if f.Rule == id {
				list = append(list, f)
			}
		}
	}
	return list
}

func TestSecrets(t *testing.T) {
	for _, c := range []struct {
		name   string
		prefix string // what no scanner of this file must see together with the rest
		rest   string
		want   string
	}{
		{"AWS", "AKIA", random(upperCase, 16), "secret"},
		{"AWS, too short", "AKIA", random(upperCase, 15), ""},
		{"AWS, too long", "AKIA", random(upperCase, 17), ""},
		{"AWS, of the manual", "AKIA", "IOSFODNN7EXAMPLE", ""},
		{"GitHub", "ghp_", random(letters, 36), "secret"},
		{"GitHub, too short", "ghp_", random(letters, 35), ""},
		{"GitHub, stands for one", "ghp_", strings.Repeat("x", 36), ""},
		{"GitHub, counts up", "ghp_", "abcdefghijklmnopqrstuvwxyz0123456789", ""},
		{"GitHub, OAuth", "gho_", random(letters, 36), "secret"},
		{"GitHub, fine-grained", "github_pat_", random(letters, 22) + "_" + random(letters, 59), "secret"},
		{"GitLab", "glpat-", random(letters, 20), "secret"},
		{"Slack", "xoxb-", "73" + random("0123456789", 10) + "-" + random(letters, 24), "secret"},
		{"Stripe", "sk_live_", random(letters, 24), "secret"},
		{"Stripe, for tests", "sk_test_", random(letters, 24), ""},
		{"Google", "AIza", random(letters, 35), "secret"},
		{"OpenAI", "sk-proj-", random(letters, 60), "secret"},
		{"OpenAI, old", "sk-", random(letters, 48), "secret"},
		{"OpenAI, stands for one", "sk-", "...", ""},
		{"OpenAI, stands for one in words", "sk-", "your-api-key-goes-here-0123", ""},
		{"Anthropic", "sk-ant-", "api03-" + random(letters, 80), "secret"},
		{"npm", "npm_", random(letters, 36), "secret"},
		{"PyPI", "pypi-AgEIcHlwaS5vcmc", random(letters, 80), "secret"},
		{"SendGrid", "SG.", random(letters, 22) + "." + random(letters, 43), "secret"},
		{"Twilio", "SK", random(hexDigits, 32), "secret"},
		{"Telegram", "738201946:AA", random(letters, 33), "secret"},
		{"webhook", "hooks.slack.com/services/T", "0A1B2C3D/B9Z8Y7X6W/" + random(letters, 24), "secret"},
		{"private key", pem("RSA ")[:20], pem("RSA ")[20:], "secret"},
		{"private key in JSON", `{"private_key": "`, strings.ReplaceAll(pem(""), "\n", `\n`) + `"}`, "secret"},
		{"private key that is only named", "-----BEGIN RSA PRI", "VATE KEY-----\n...\n-----END RSA PRIVATE KEY-----", ""},
		{"public key", "-----BEGIN PUBLIC KEY-----\n", random(letters, 64) + "\n-----END PUBLIC KEY-----", ""},
		{"JWT", "", jwt(`{"sub":"u-83","iat":1716239022}`), "secret-suspected"},
		{"JWT of the manual", "", jwt(`{"sub":"1234567890","name":"John Doe"}`), ""},
		{"JWT that is public", "", jwt(`{"iss":"supabase","role":"anon"}`), ""},
		{"connection", "postgres://app:", random(letters, 12) + "@db.acme.io:5432/app", "secret-suspected"},
		{"connection to this machine", "postgres://app:", random(letters, 12) + "@localhost:5432/app", ""},
		{"connection, stands for one", "postgres://user:", "password1@db.acme.io/app", ""},
		{"connection, a variable", "postgres://app:", "${DB_PASSWORD_1}@db.acme.io/app", ""},
		{"assignment", `api_key = "`, random(letters, 24) + `"`, "secret-suspected"},
		{"assignment in JSON", `"clientSecret": "`, random(letters, 24) + `"`, "secret-suspected"},
		{"assignment in a shell", `export ACME_API_KEY=`, random(letters, 24), "secret-suspected"},
		{"header", `X-Api-Key: `, random(letters, 24), "secret-suspected"},
		{"bearer", `Authorization: Bearer `, random(letters, 24), "secret-suspected"},
		{"token of a service, assigned", `API_KEY="ghp_`, random(letters, 36) + `"`, "secret"},
		{"assignment of a variable", `api_key = `, `os.environ["ACME_API_KEY_2"]`, ""},
		{"assignment of a word", `api_key = "`, `my-production-key-number-2"`, ""},
		{"assignment, stands for one", `api_key = "`, `YOUR_API_KEY_123456"`, ""},
		{"something else", `sha256 = "`, random(hexDigits, 64) + `"`, ""},
		{"page token", `pageToken: "`, random(letters, 24) + `"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, around := range []string{"%s", "Use `%s` here.", "```\n%s\n```", "- a: %s"} {
				text := fmt.Sprintf(around, c.prefix+c.rest)
				got, list := found(t, text)
				if got != c.want {
					t.Errorf("%q: got %q, want %q", around, got, c.want)
				}
				for _, f := range list {
					shown := f.String() + check.Redact(bodyStart+text)
					for _, part := range strings.FieldsFunc(c.rest, func(r rune) bool { return !strings.ContainsRune(letters, r) }) {
						if len(part) >= 12 && strings.Contains(shown, part) {
							t.Errorf("%q is shown: %s", part, shown)
						}
					}
				}
			}
		})
	}
}

// A secret is found wherever it stands.
func TestSecretPlaces(t *testing.T) {
	key := "ghp" + "_" + random(letters, 36)
	tree := fstest.MapFS{
		"deploy/SKILL.md":         {Data: []byte("---\nname: deploy\ndescription: Roll out.\ntoken: " + key + "\n---\n# Deploy\n\n```\n" + key + "\n```\n")},
		"deploy/scripts/run.py":   {Data: []byte("#!/usr/bin/env python3\n\nTOKEN = '" + key + "'\n")},
		"deploy/config.json":      {Data: []byte("{\"a\": \"é" + key + "\"}\r\n")},
		"deploy/assets/image.png": {Data: []byte(pngHead + key)}, // not a text
	}
	_, list := foundIn(t, tree)
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%s:%v-%v", f.File, f.Position, f.End))
	}
	want := []string{
		"deploy/SKILL.md:4:8-4:48", "deploy/SKILL.md:9:1-9:41",
		"deploy/config.json:1:9-1:49", "deploy/scripts/run.py:3:10-3:50",
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
}

// No rule quotes a secret, nor does a fix write one.
func TestSecretInOtherFindings(t *testing.T) {
	key := "ghp" + "_" + random(letters, 36)
	for _, field := range []string{"name: deploy\ndescription: Use: " + key, "name: " + key + "\ndescription: Roll out.", "name: deploy\nos: [" + key + "]\n" + key + ": 1"} {
		c, err := check.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run(t, c, "---\n"+field+"\n---\n# Deploy\n") {
			text := f.Message
			if f.Fix != nil {
				text += fmt.Sprint(*f.Fix)
			}
			if strings.Contains(text, key[4:12]) {
				t.Errorf("%s: %s", f, text)
			}
		}
	}
}

func TestRedactKeepsOffsets(t *testing.T) {
	text := "a\r\n" + pem("EC ") + "\nü " + "npm" + "_" + random(letters, 36) + " z\n"
	got := check.Redact(text)
	if len(got) != len(text) || strings.Count(got, "\n") != strings.Count(text, "\n") || !strings.HasSuffix(got, " z\n") || !strings.HasPrefix(got, "a\r\n-----BEGIN EC PRIVATE KEY-----\n****") {
		t.Errorf("got %q", got)
	}
	if plain := "nothing to hide: token=$TOKEN\n"; check.Redact(plain) != plain {
		t.Errorf("got %q, want %q", check.Redact(plain), plain)
	}
}

// So many faults of one kind are not told one by one.
func TestManyHits(t *testing.T) {
	_, list := found(t, strings.Repeat("\U000E0041 ", 25))
	if len(list) != 20 || !strings.HasSuffix(list[19].Message, "(and 5 more)") {
		t.Errorf("got %d findings, the last %v", len(list), list[len(list)-1])
	}
	if list[0].Position != (metadata.Position{Line: bodyLine, Column: 1}) || list[0].End != (metadata.Position{Line: bodyLine, Column: 2}) {
		t.Errorf("got the first at %v to %v", list[0].Position, list[0].End)
	}
}
