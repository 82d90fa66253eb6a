package config_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/matrix-nexus/skillkit/config"
)

// What is between » and « in want is all that may be new. An empty want means
// that the file is refused.
func TestSetEnvText(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"an empty file", "", "»skills:\n  a:\n    env:\n      T: \"new\"\n«"},
		{"comments only", "# mine\n", "# mine\n»skills:\n  a:\n    env:\n      T: \"new\"\n«"},
		{"comments without a line end", "# mine", "# mine»\nskills:\n  a:\n    env:\n      T: \"new\"«"},
		{"BOM", "\ufeffroots: [x]\n", "\ufeffroots: [x]»\nskills:\n  a:\n    env:\n      T: \"new\"«\n"},
		{"BOM alone", "\ufeff", "\ufeff»skills:\n  a:\n    env:\n      T: \"new\"\n«"},
		{"a document of nothing", "---\n", "---\n»skills:\n  a:\n    env:\n      T: \"new\"\n«"},
		{"a document of null", "null\n", ""},
		{
			"other keys", "roots:\n- x # why\n\n# the end\n",
			"roots:\n- x # why»\nskills:\n  a:\n    env:\n      T: \"new\"«\n\n# the end\n",
		},
		{"braces at the end", "roots: [\n x, # why\n]", "roots: [\n x, # why\n]»\nskills:\n  a:\n    env:\n      T: \"new\"«"},
		{"before the next document", "roots: [x]\n---\nb: 1\n", "roots: [x]»\nskills:\n  a:\n    env:\n      T: \"new\"«\n---\nb: 1\n"},
		{"before the end of the document", "roots: [x]\n...\n", "roots: [x]»\nskills:\n  a:\n    env:\n      T: \"new\"«\n...\n"},
		{"two documents of nothing", "---\n---\n", ""},
		{
			"another skill", "skills:\n    b: {}\n# end\nroots: []\n",
			"skills:\n    b: {}»\n    a:\n        env:\n            T: \"new\"«\n# end\nroots: []\n",
		},
		{
			"CRLF", "skills:\r\n  a:\r\n    api_key: x\r\n\r\nroots: []\r\n",
			"skills:\r\n  a:\r\n    api_key: x»\r\n    env:\r\n      T: \"new\"«\r\n\r\nroots: []\r\n",
		},
		{"CR", "skills:\r  a:\r    env: {}\r", "skills:\r  a:\r    env: {»T: \"new\"«}\r"},
		{
			"wide indentation", "skills:\n        a:\n                env:\n                        U: 1\n",
			"skills:\n        a:\n                env:\n                        U: 1»\n                        T: \"new\"«\n",
		},
		{
			"narrow indentation", "skills:\n a:\n  enabled: true\n",
			"skills:\n a:\n  enabled: true»\n  env:\n   T: \"new\"«\n",
		},
		{"skills of nothing", "skills: # all\nroots: []\n", "skills: # all»\n  a:\n    env:\n      T: \"new\"«\nroots: []\n"},
		{"a skill of nothing", "skills:\n  a:", "skills:\n  a:»\n    env:\n      T: \"new\"«"},
		{"an env of nothing", "skills:\n  a:\n    env: # none\n", "skills:\n  a:\n    env: # none»\n      T: \"new\"«\n"},
		{"an env of null", "skills:\n  a:\n    env: null # none\n", "skills:\n  a:\n    env: »{T: \"new\"}« # none\n"},
		{"skills of ~", "skills: ~\n", "skills: »{a: {env: {T: \"new\"}}}«\n"},
		{"a root in braces", "{}", "{»skills: {a: {env: {T: \"new\"}}}«}"},
		{"a root in braces with keys", "{roots: [x], }\n", "{roots: [x]», skills: {a: {env: {T: \"new\"}}}«, }\n"},
		{"skills in braces", "skills: { }\n", "skills: {»a: {env: {T: \"new\"}}« }\n"},
		{"case of the brief", "skills: {a: {}}\n", "skills: {a: {»env: {T: \"new\"}«}}\n"},
		{
			"braces on several lines", "skills: {\n  a: { # mine\n    env: {\n      U: 'it''s', # why\n    } } }\n",
			"skills: {\n  a: { # mine\n    env: {\n      U: 'it''s'», T: \"new\"«, # why\n    } } }\n",
		},
		{"names without values in braces", "skills: {a: {env: {U, V: }}}", "skills: {a: {env: {U, V: », T: \"new\"«}}}"},
		{"a list in braces", "skills: {a: {config: {x: [b, {c: d}]}}}", "skills: {a: {config: {x: [b, {c: d}]}», env: {T: \"new\"}«}}"},
		{"null in braces", "skills: {a: , b: {}}", "skills: {a: »{env: {T: \"new\"}}«, b: {}}"},

		{"a value", "skills:\n  a:\n    env:\n      T: old # why\n      U: x\n", "skills:\n  a:\n    env:\n      T: »\"new\"« # why\n      U: x\n"},
		{"a value in quotes", "skills: {a: {env: {T: 'o''l # d', U: x}}}", "skills: {a: {env: {T: »\"new\"«, U: x}}}"},
		{"a value in double quotes", "skills: {a: {env: {T: \"o\\\"l\n  d\\\\\", U: x}}}", "skills: {a: {env: {T: »\"new\"«, U: x}}}"},
		{"a value on several lines", "skills:\n  a:\n    env:\n      T: one\n         two\n\n         three # why\n      U: x\n", "skills:\n  a:\n    env:\n      T: »\"new\"« # why\n      U: x\n"},
		{"a value on a line of its own", "skills:\n  a:\n    env:\n      T:\n        old\n", "skills:\n  a:\n    env:\n      T:\n        »\"new\"«\n"},
		{
			"a literal", "skills:\n  a:\n    env:\n      T: |- # key\n        one\n\n          two\n\n      # why\n      U: x\n",
			"skills:\n  a:\n    env:\n      T: »\"new\" # key«\n\n      # why\n      U: x\n",
		},
		{"a literal of nothing", "skills:\n  a:\n    env:\n      T: |\n      U: x\n", "skills:\n  a:\n    env:\n      T: »\"new\"«\n      U: x\n"},
		{"a literal that keeps", "skills:\n  a:\n    env:\n      T: |+\n       one\n\n      U: x\n", "skills:\n  a:\n    env:\n      T: »\"new\"«\n      U: x\n"},
		{"a folded literal", "skills:\n  a:\n    env:\n      T: >\n       one\n       two\nroots: []\n", "skills:\n  a:\n    env:\n      T: »\"new\"«\nroots: []\n"},
		{"a literal with an indentation of its own", "skills:\n  a:\n    env:\n      T: |2\n          one\n        two\n", ""},
		{"after a literal", "skills:\n  a:\n    env:\n      U: |\n        one\n\n# end\n", "skills:\n  a:\n    env:\n      U: |\n        one»\n      T: \"new\"«\n\n# end\n"},
		{"after a literal that keeps", "skills:\n  a:\n    env:\n      U: |+\n        one\n\n# end\n", "skills:\n  a:\n    env:\n      U: |+\n        one\n»\n      T: \"new\"«\n# end\n"},
		{"after a literal without a line end", "skills:\n  a:\n    env:\n      U: |\n        one", ""},
		{"a name without a value", "skills:\n  a:\n    env:\n      T: # none\n      U: x\n", "skills:\n  a:\n    env:\n      T:» \"new\"« # none\n      U: x\n"},
		{"a name alone", "skills: {a: {env: {T}}}", ""},
		{"a value that is null", "skills: {a: {env: {T: null}}}", "skills: {a: {env: {T: »\"new\"«}}}"},
		{"the same value in another style", "skills: {a: {env: {T: new }}}", "skills: {a: {env: {T: new }}}"},
		{"equal keys", "skills:\n  a: {env: {T: x}}\n  a:\n    env: {T: y, T: z}\n", "skills:\n  a: {env: {T: x}}\n  a:\n    env: {T: y, T: »\"new\"«}\n"},
		{"keys in quotes", "\"skills\":\n  'a':\n    env:\n      \"U\": x\n", "\"skills\":\n  'a':\n    env:\n      \"U\": x»\n      T: \"new\"«\n"},
		{"wide characters", "skills: {Überblick: {env: {É: ö}}, a: {env: {T: ü}}}", "skills: {Überblick: {env: {É: ö}}, a: {env: {T: »\"new\"«}}}"},
		{"a line separator", "skills:\n  a:\n    env: {U: \"a\u2028b\", T: x}\n", "skills:\n  a:\n    env: {U: \"a\u2028b\", T: »\"new\"«}\n"},
		{"after an anchor", "skills:\n  a: &x\n    env: &y {U: x}\n", "skills:\n  a: &x\n    env: &y {U: x», T: \"new\"«}\n"},
		{"after an alias", "skills:\n  b: &x {}\n  c: *x # why\n", "skills:\n  b: &x {}\n  c: *x # why»\n  a:\n    env:\n      T: \"new\"«\n"},
		{"after a tag", "skills:\n  a:\n    env:\n      U: !x y\n      V: !x\n", "skills:\n  a:\n    env:\n      U: !x y\n      V: !x»\n      T: \"new\"«\n"},

		{"a value with an anchor", "skills: {a: {env: {T: &x y}}}", ""},
		{"a value with a tag", "skills: {a: {env: {T: !x y}}}", ""},
		{"a value that is a list", "skills: {a: {env: {T: [x]}}}", ""},
		{"an env that is a list", "skills: {a: {env: [T]}}", ""},
		{"a skill that is an alias", "skills: {b: &x {}, a: *x}", ""},
		{"skills that are text", "skills: a\n", ""},
		{"empty braces with an anchor", "skills: {a: &x {}}", ""},
		{"question marks", "? skills\n: ? a\n  : env:\n      U: x\n", "? skills\n: ? a\n  : env:\n      U: x»\n      T: \"new\"«\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.SetEnvText("c.yaml", []byte(tt.file), "a", "T", "new")
			if tt.want == "" {
				e, ok := errors.AsType[*config.SyntaxError](err)
				if !ok || !e.Pos.IsValid() || !strings.HasSuffix(e.Msg, "; write skills.a.env.T by hand") || strings.Contains(e.Msg, "new") {
					t.Fatalf("got error %v and\n%s", err, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.NewReplacer("»", "", "«", "").Replace(tt.want), string(got)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			before, _, _ := strings.Cut(tt.want, "»")
			_, after, _ := strings.Cut(tt.want, "«")
			if !strings.HasPrefix(tt.file, before) || !strings.HasSuffix(tt.file, after) {
				t.Error("what is wanted changes more than is marked")
			}
		})
	}
}

// values are hard to write in YAML.
var values = []string{
	"", " ", "x", "ghp_example", "0123", "1e3", "true", "No", "null", "~", "it's", `say "x"`, `a\b`, "a: b", "a #b", "#b", "- a",
	"*a", "&a", "!a", "@a", "`a", "%a", "|", ">", "{a: b}", "[a]", "?", "---", "...", " leading", "trailing ", "\ttab\t",
	"one\ntwo\n", "\n", "\r\n", "\r", "a\u0085b\u2028c\u2029d", "\ufeff", "\u202e", "\x01\x1b[2J\x7f\u009b", "Ünïcödé 🎉 日本",
	"\ufffd\ufffe\uffff", "\U0010ffff", "$HOME $(x)", strings.Repeat("long ", 2000),
}

// Every value comes back as it was, under every name.
func TestSetEnvValues(t *testing.T) {
	names := append([]string{"a-b", "_", "A.B", "a b", "key: x", "-", "<<", "y", "日本"}, values[1:]...)
	var data []byte
	var want []string
	for i, value := range values {
		var err error
		name := fmt.Sprintf("T%02d", i)
		if data, err = config.SetEnvText("c.yaml", data, "a", name, value); err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		want = append(want, name+"="+value)
	}
	if diff := cmp.Diff(want, parse(t, string(data)).Skill("a", "").Environ("")); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	for _, file := range []string{"", "skills: {}"} {
		for _, name := range names {
			data, err := config.SetEnvText("c.yaml", []byte(file), name, name, "x")
			if len(name) > 1000 { // too long for a key
				if err == nil {
					t.Errorf("a name of %d bytes is accepted", len(name))
				}
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", name, err)
				continue
			}
			c, _, err := config.Parse("c.yaml", data)
			if err != nil || !slices.Equal(c.Skill(name, "").Environ(""), []string{name + "=x"}) {
				t.Errorf("%q: %v in\n%s", name, err, data)
			}
		}
	}
}

// A writer writes configuration files in all styles.
type writer struct {
	*rand.Rand
	strings.Builder
	newline string
	step    int
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// file writes a whole file. It has the skills a, b and c at most.
func (w *writer) file() []byte {
	w.newline, w.step = w.pick("\n", "\n", "\r\n"), 1+w.IntN(4)
	w.WriteString(w.pick("", "", "\ufeff"))
	w.comment(0)
	w.WriteString(w.pick("", "", "---"+w.newline))
	keys := []string{"roots", "workspace", "skills", "unknown"}
	w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:w.IntN(len(keys)+1)] {
		w.comment(0)
		w.WriteString(key + ":")
		switch key {
		case "skills":
			w.mapping(1, false, w.skill, "a", "b", "c")
		case "roots":
			w.WriteString(w.pick(" [/a, \"b]\" , 'it''s'", " [ # all"+w.newline+" ~/x") + w.pick("", ",") + "]")
		default:
			w.scalar(1, false)
		}
		w.lineEnd()
	}
	text := w.String()
	if w.IntN(4) == 0 && !strings.ContainsAny(text, "|>") {
		text = strings.TrimSuffix(text, w.newline)
	}
	return []byte(text)
}

func (w *writer) comment(indent int) {
	for w.IntN(3) == 0 {
		w.WriteString(strings.Repeat(" ", indent) + w.pick("# it's: {a \"comment", "#", "") + w.newline)
	}
}

// lineEnd ends a line, unless it was ended.
func (w *writer) lineEnd() {
	if !strings.HasSuffix(w.String(), w.newline) {
		w.WriteString(w.pick("", "", " # why: [", "\t") + w.newline)
	}
}

// mapping writes, behind a colon, some of the keys with what value writes.
func (w *writer) mapping(level int, flow bool, value func(level int, flow bool, key string), keys ...string) {
	w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:w.IntN(len(keys)+1)]
	if flow || w.IntN(4) == 0 {
		w.WriteString(w.pick(" {", " { ", " { # open"+w.newline))
		for i, key := range keys {
			w.WriteString(key + ":")
			value(level+1, true, key)
			if i < len(keys)-1 || w.IntN(4) == 0 {
				w.WriteString(w.pick(", ", " , ", ", # next"+w.newline+"  "))
			}
		}
		w.WriteString(w.pick("}", " }"))
		return
	}
	if len(keys) == 0 {
		w.WriteString(w.pick("", " null", " ~", " {}"))
	}
	w.lineEnd()
	for _, key := range keys {
		indent := level * w.step
		w.comment(indent)
		w.WriteString(strings.Repeat(" ", indent) + w.pick(key, "'"+key+"'", `"`+key+`"`) + ":")
		value(level+1, false, key)
		w.lineEnd()
	}
}

func (w *writer) skill(level int, flow bool, _ string) {
	w.mapping(level, flow, func(level int, flow bool, key string) {
		switch key {
		case "enabled":
			w.WriteString(w.pick(" false", " on", ""))
		case "api_key":
			w.scalar(level, flow)
		default:
			w.mapping(level, flow, func(level int, flow bool, _ string) { w.scalar(level, flow) }, "T", "U", "V")
		}
	}, "enabled", "api_key", "env", "config")
}

func (w *writer) scalar(level int, flow bool) {
	indent := w.newline + strings.Repeat(" ", level*w.step)
	styles := []string{
		" plain", " 0123", " null", " http://x/#y", " 'it''s'", ` "a\"# b\\"`, ` ""`,
		" two" + indent + "lines", " 'two" + indent + "lines'", ` "two\` + indent + `lines"`,
	}
	if flow {
		w.WriteString(w.pick(append(styles, " ")...))
		return
	}
	w.WriteString(w.pick(append(styles, "",
		w.pick(" |", " |-", " |+", " >", " >- # sign")+indent+"one"+indent+"  two"+w.newline+indent+"# three"+w.newline+w.pick("", w.newline),
		indent+"below")...))
}

// Whatever a file looks like, one call changes one value in it.
func TestSetEnvGenerated(t *testing.T) {
	for seed := range uint64(1000) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 0))}
		before := w.file()
		if _, _, err := config.Parse("c.yaml", before); err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, before)
		}
		skill, name, value := w.pick("a", "b", "new", "new one"), w.pick("T", "U", "NEW"), w.pick(values...)
		after, err := config.SetEnvText("c.yaml", before, skill, name, value)
		if err != nil {
			t.Fatalf("seed %d: %s.%s: %v in\n%s", seed, skill, name, err, before)
		}
		checkEdit(t, before, after, skill, name, value)
		if t.Failed() {
			t.Fatalf("seed %d: %s.%s = %q turned\n%s\ninto\n%s", seed, skill, name, value, before, after)
		}
	}
}

// checkEdit checks that after is before with one variable set, and nothing
// else changed.
func checkEdit(t *testing.T, before, after []byte, skill, name, value string) {
	t.Helper()
	old, oldProblems, err := config.Parse("c.yaml", before)
	if err != nil {
		t.Fatal(err)
	}
	c, problems, err := config.Parse("c.yaml", after)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old, c, cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Errorf("Config (-want +got):\n%s", diff)
	}
	want := old.Dump()
	s := want[skill]
	if s.Env == nil {
		s.Env = make(map[string]string)
	}
	s.Env[name] = value
	want[skill] = s
	if diff := cmp.Diff(want, c.Dump()); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	// A value that could not be read may have been replaced.
	if len(problems) > len(oldProblems) || len(problems) < len(oldProblems)-1 {
		t.Errorf("problems were\n%s\nand are\n%s", lines(oldProblems), lines(problems))
	}
	again, err := config.SetEnvText("c.yaml", after, skill, name, value)
	if err != nil || string(again) != string(after) {
		t.Errorf("a second call makes %q of %q, %v", again, after, err)
	}
}

func FuzzSetEnv(f *testing.F) {
	for _, seed := range []string{"", "skills: {a: {env: {T: x}}}", "skills:\r\n  a:\r\n    env:\r\n      T: |+\r\n        x\r\n\r\n", "\ufeff---\n...\n", "? skills\n: &x {!t a: *x}"} {
		f.Add([]byte(seed), "a", "T", "x\ny: #")
	}
	f.Fuzz(func(t *testing.T, before []byte, skill, name, value string) {
		if config.CheckEnv(skill, name, value) != nil {
			return
		}
		after, err := config.SetEnvText("c.yaml", before, skill, name, value)
		if _, ok := errors.AsType[*config.SyntaxError](err); ok == (err == nil) || ok && after != nil {
			t.Fatalf("got %q, %v", after, err)
		}
		if err == nil {
			checkEdit(t, before, after, skill, name, value)
		}
	})
}
