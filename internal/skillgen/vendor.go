package skillgen

import (
	"slices"
	"strings"
)

var (
	programs = strings.Fields("curl jq git gh ffmpeg python3 node uv docker kubectl psql op rg tesseract pdftotext yt-dlp g++ terraform")
	envNames = strings.Fields("GITHUB_TOKEN OPENAI_API_KEY NOTION_API_KEY SLACK_BOT_TOKEN DATABASE_URL TAVILY_API_KEY HOME_ASSISTANT_URL")
	configs  = strings.Fields("github.host channels.slack browser.enabled notion.database.id plugins.entries.voice-call.enabled")
	packages = []string{"matplotlib", "seaborn", "PyYAML", "requests>=2.31", "uvicorn[standard]", "opencv-python", "beautifulsoup4==4.12.3", "Pillow"}
	emojis   = []string{"🔎", "📈", "🐙", "☁️", "🧾", "🇯🇵", "rocket"}
)

// some returns one to three elements of list, each once.
func (d *draft) some(list []string) []string {
	out := make([]string, 0, 3)
	for range 1 + d.IntN(3) {
		if s := oneOf(d.Rand, list...); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// vendor draws a vendor block and sets Requires to what it declares. camel
// says how its keys are spelled. The weights are those of 7,530 blocks.
func (d *draft) vendor(camel bool) object {
	d.Requires = Requires{}
	var o object
	rate := func(files int) bool { return d.IntN(7530) < files }
	add := func(key string, value any) { o = append(o, member{spell(key, camel), value}) }
	if rate(5570) {
		add("emoji", oneOf(d.Rand, emojis...))
	}
	if rate(135) {
		add("always", oneOf(d.Rand, true, true, false))
	}
	if rate(1031) {
		add("homepage", "https://example.com/docs?a=1#top")
	}
	if !camel || rate(77) {
		add("skill_key", d.text.slug())
	}
	if !camel {
		add("execution_mode", oneOf(d.Rand, "prompt", "bash", "python", "api", "hybrid"))
		add("category_name", "data-analysis")
	} else if rate(311) {
		add("category", "productivity")
	}
	if rate(1206) {
		add("os", d.systems(camel))
	}
	if rate(6108) {
		add("requires", d.requires(camel))
	}
	if rate(1563) && len(d.Requires.Env) > 0 {
		add("primary_env", d.Requires.Env[0])
	}
	if rate(1727) {
		add("install", d.install())
	}
	if rate(300) { // keys that nobody documents
		add("config", object{{"stateDirs", anys[any]("~/.cache")}, {"requires", "nothing"}})
		add("files", anys[any]("scripts/*"))
	}
	if len(o) == 0 {
		add("emoji", "📄")
	}
	return o
}

// spell turns the documented snake_case spelling into the one that is found.
func spell(key string, camel bool) string {
	if !camel {
		return key
	}
	head, tail, ok := strings.Cut(key, "_")
	if !ok {
		return key
	}
	return head + strings.ToUpper(tail[:1]) + tail[1:]
}

// systems draws a value for os, in the spellings of the wild or, if not
// camel, in the documented ones.
func (d *draft) systems(camel bool) any {
	spellings := map[string][]string{"darwin": {"darwin", "darwin", "darwin", "macos", "mac", "macOS"},
		"linux": {"linux", "linux", "linux", "Linux"}, "windows": {"win32", "win32", "win32", "windows"}}
	if !camel {
		spellings = map[string][]string{"darwin": {"macos"}, "linux": {"linux"}, "windows": {"windows"}}
	}
	if d.IntN(1206) < 3 {
		d.Faults = append(d.Faults, "os: any")
		return anys(oneOf(d.Rand, "any", "all"))
	}
	goos := [][]string{{"darwin"}, {"darwin"}, {"linux"}, {"darwin", "linux"}, {"linux", "darwin"},
		{"darwin", "linux", "windows"}, {"darwin", "linux", "windows"}, {"linux", "windows"}}[d.IntN(8)]
	d.Requires.OS = goos
	var list []string
	for _, s := range goos {
		list = append(list, oneOf(d.Rand, spellings[s]...))
	}
	if camel && d.IntN(1206) < 4 {
		d.Faults = append(d.Faults, "os: one string")
		return strings.Join(list, oneOf(d.Rand, ",", ", "))
	}
	if camel && d.IntN(1206) < 4 {
		d.Faults = append(d.Faults, "os: with a release")
		d.Requires.OS = []string{"windows"}
		return anys("Windows 10+")
	}
	return anys(list...)
}

// requires draws a requires block; the weights are those of 6,108 blocks.
func (d *draft) requires(camel bool) any {
	q := &d.Requires
	rate := func(files int) bool { return d.IntN(6108) < files }
	if rate(15) {
		d.Faults = append(d.Faults, "requires: a list")
		d.Unclear = true
		q.Bins = d.some(programs)
		return anys(q.Bins...)
	}
	if rate(1) {
		return nil
	}
	o := object{}
	add := func(key string, value any) { o = append(o, member{spell(key, camel), value}) }
	if rate(4522) {
		add("bins", d.bins(rate))
	}
	if rate(272) || !camel {
		q.AnyBins = d.some(programs)
		add("any_bins", anys(q.AnyBins...))
	}
	if rate(2610) {
		add("env", d.env(rate))
	}
	if rate(52) {
		name := "EXTRA_" + oneOf(d.Rand, envNames...)
		q.OptionalEnv = append(q.OptionalEnv, name)
		add("optional_env", anys(name))
	}
	if rate(207) || !camel {
		q.Config = d.some(configs)
		if rate(5 * 6108 / 207) {
			d.Faults = append(d.Faults, "config: maps")
			add("config", named(q.Config))
		} else {
			add("config", anys(q.Config...))
		}
	}
	if rate(150) || !camel {
		key := "python_packages"
		if camel {
			key = oneOf(d.Rand, "python", "pip", "pip", "packages", "python_packages")
		}
		if key == "python" && d.IntN(2) == 0 {
			d.Faults = append(d.Faults, "python: a version")
			o = append(o, member{key, oneOf(d.Rand, ">=3.10", "3.11", "3.8+")})
		} else {
			q.PythonPackages = d.some(packages)
			o = append(o, member{key, anys(q.PythonPackages...)})
		}
	}
	if rate(61) {
		add("skills", anys[any]("git-helper"))
	}
	if rate(35) {
		add("tools", anys[any]("exec", "browser"))
	}
	if rate(32) && q.OS == nil {
		d.Faults = append(d.Faults, "requires: os inside")
		q.OS = []string{"darwin"}
		add("os", anys("darwin"))
	}
	return o
}

func named(list []string) (out []any) {
	for _, s := range list {
		out = append(out, object{{"name", s}})
	}
	return out
}

func (d *draft) bins(rate func(int) bool) any {
	list := d.some(programs)
	odd := func(kind string, want []string, value any) any {
		d.Faults = append(d.Faults, "bins: "+kind)
		d.Requires.Bins = want
		return value
	}
	switch {
	case rate(5):
		return odd("a list of maps", list, named(list))
	case rate(5):
		return odd("one string", list, strings.Join(list, ", "))
	case rate(5):
		return odd("null", nil, nil)
	case rate(5):
		return odd("empty entries", list, append(anys[any](nil, ""), anys(list...)...))
	case rate(7):
		s := oneOf(d.Rand, "python3 {baseDir}/x.py", "/usr/local/bin/op")
		d.Unclear = s[0] != '/' // a path says what it means, even if nobody may follow it
		return odd("not a name", []string{s}, anys(s))
	}
	d.Requires.Bins = list
	return anys(list...)
}

func (d *draft) env(rate func(int) bool) any {
	list := d.some(envNames)
	q := &d.Requires
	q.Env = list
	switch {
	case rate(65):
		d.Faults = append(d.Faults, "env: a list of maps")
		if len(list) > 1 && d.IntN(3) == 0 {
			q.Env, q.OptionalEnv = list[:1], list[1:]
		}
		var out []any
		for i, s := range list {
			o := object{{"name", s}, {"description", "where to get it"}}
			if i >= len(q.Env) {
				o = append(o, member{"required", false})
			}
			out = append(out, o)
		}
		return out
	case rate(40):
		d.Faults = append(d.Faults, "env: a map")
		var o object
		for _, s := range list {
			o = append(o, member{s, "where to get it"})
		}
		return o
	case rate(12):
		d.Faults = append(d.Faults, "env: one string")
		return strings.Join(list, ", ")
	case rate(65):
		d.Faults = append(d.Faults, "env: with a remark")
		d.Unclear = true
		q.Env, q.OptionalEnv = nil, list[:1]
		return anys(list[0] + " (optional)")
	}
	return anys(list...)
}

// install draws recipes. What they say is not part of what is required.
func (d *draft) install() any {
	recipe := func() any {
		bin := oneOf(d.Rand, programs...)
		o := [...]object{
			{{"id", "brew"}, {"kind", "brew"}, {"formula", bin}, {"bins", anys(bin)}, {"label", "Install " + bin + " (brew)"}},
			{{"id", "node"}, {"kind", "node"}, {"package", "@acme/" + d.Folder}, {"bins", anys(bin)}, {"global", true}},
			{{"id", "pip"}, {"kind", "pip"}, {"package", "matplotlib seaborn"}, {"label", "Install (pip)"}},
			{{"id", "go"}, {"kind", "go"}, {"module", "example.com/cmd/" + bin + "@latest"}, {"bins", anys(bin)}},
			{{"id", "uv"}, {"kind", "uv"}, {"package", bin}},
			{{"kind", "shell"}, {"command", "curl -fsSL https://example.com/i.sh | sh -s -- --yes"}},
			{{"id", "dl"}, {"kind", "download"}, {"url", "https://example.com/a.tar.gz"}, {"archive", "tar.gz"},
				{"extract", true}, {"stripComponents", 1}, {"targetDir", "runtime"}, {"os", anys("darwin", "linux")}},
			{{"id", "apt"}, {"kind", "apt"}, {"packages", anys("jq", "curl")}},
			{{"type", "brew"}, {"formula", bin}},
			{{"pip", "requests"}},
		}
		return o[d.IntN(len(o))]
	}
	switch n := d.IntN(1727); {
	case n < 58:
		return []any{}
	case n < 58+55:
		d.Faults = append(d.Faults, "install: a map")
		return recipe()
	case n < 58+55+11:
		d.Faults = append(d.Faults, "install: a string")
		return "pip install requests"
	case n < 58+55+11+10:
		d.Faults = append(d.Faults, "install: a list of strings")
		return anys[any]("brew install jq", "pip install requests")
	}
	var list []any
	for range 1 + d.IntN(3) {
		list = append(list, recipe())
	}
	return list
}
