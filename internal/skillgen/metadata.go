package skillgen

import "strings"

// documented is how many files keep their metadata in the documented form,
// under matrix or nexus and in snake_case. In the wild next to none do; the
// skills of this project do.
const documented = 500

// metadata adds the metadata key to the share of files that has it, and
// requires at the top level to the few that have that.
func (d *draft) metadata() {
	switch n := d.IntN(WithFrontmatter); {
	case n < 8771:
		d.shape(d.blob())
	case n < 8771+documented:
		key := oneOf(d.Rand, "matrix", "matrix", "nexus")
		d.set("metadata", "metadata: "+style{}.json(object{{key, d.vendor(false)}}, "")+"\n")
	case n < 8771+documented+126:
		d.topRequires()
	case n < 8771+documented+126+16:
		d.Faults = append(d.Faults, "vendor: at the top level")
		key := oneOf(d.Rand, "openclaw", "clawdbot")
		d.set(key, key+":\n"+block(d.vendor(true), "  ", false))
		d.Unclear = true
	}
}

// blob draws the value of metadata; the weights are those of 8,771 files.
func (d *draft) blob() object {
	n := d.IntN(8771)
	for _, k := range []struct {
		files int
		key   string
	}{{4323, "openclaw"}, {2895, "clawdbot"}, {132, "moltbot"}, {44, "clawdis"}, {32, "clawhub"}, {10, "clawdhub"}, {15, "nanobot"}, {4, "hermes"}} {
		if n -= k.files; n < 0 {
			return d.under(k.key)
		}
	}
	switch {
	case n < 51:
		d.Faults = append(d.Faults, "vendor: two equal blocks")
		v := d.vendor(true)
		return object{{"openclaw", v}, {"clawdbot", v}}
	case n < 72:
		d.Faults = append(d.Faults, "vendor: two different blocks")
		other := d.vendor(true)
		v := d.vendor(true) // the documented key counts, wherever it stands
		if len(d.Requires.list()) == 0 {
			d.Unclear = true
		}
		return object{{"clawdbot", other}, {"openclaw", v}}
	case n < 72+184:
		d.Faults = append(d.Faults, "vendor: no key")
		return d.vendor(d.IntN(3) > 0)
	case n < 72+184+41:
		d.Faults = append(d.Faults, "vendor: unknown key")
		v := d.vendor(true)
		d.Unclear = v.get("requires") != nil || v.get("os") != nil
		return object{{oneOf(d.Rand, "4claw", "molthunt", "acme"), v}}
	}
	return object{{"version", "1.0.0"}, {"author", "jo"}, {"category", "tools"}, {"tags", anys[any]("search", "web")}}
}

// under returns a vendor block below key, now and then with other keys beside.
func (d *draft) under(key string) object {
	v := d.vendor(true)
	o := object{{key, v}}
	if d.IntN(7) == 0 {
		o = append(object{{"version", "1.2.0"}, {"author", "jo"}}, o...)
	}
	if v.get("requires") == nil && d.IntN(1400) < 22 {
		d.Faults = append(d.Faults, "vendor: requires beside the block")
		d.Unclear = true
		d.Requires.Bins = d.some(programs)
		o = append(o, member{"requires", object{{"bins", anys(d.Requires.Bins...)}}})
	}
	return o
}

// list returns all that is required, systems apart.
func (q Requires) list() []string {
	var out []string
	for _, l := range [][]string{q.Bins, q.AnyBins, q.Env, q.Config, q.PythonPackages} {
		out = append(out, l...)
	}
	return out
}

// shape writes the metadata in one of its forms; the weights are their counts.
func (d *draft) shape(o object) {
	n := d.IntN(8720)
	kind := func(s string) { d.Faults = append(d.Faults, "metadata: "+s) }
	set := func(text string) { d.set("metadata", "metadata:"+text) }
	switch {
	case n < 4460:
		kind("one line of JSON")
		set(" " + style{spaces: d.IntN(4) == 0}.json(o, "") + "\n")
	case n < 4483:
		kind("one line, bare keys")
		set(" " + style{spaces: true, bare: true, single: d.IntN(2) == 0}.json(o, "") + "\n")
	case n < 4710:
		kind("lines of JSON")
		set(d.lines(style{lines: true}, o))
	case n < 5187:
		kind("trailing commas")
		set(d.lines(style{lines: true, trailing: true}, o))
	case n < 5194:
		kind("lines of JSON5")
		set(d.lines(style{lines: true, trailing: d.IntN(2) == 0, bare: true, single: d.IntN(2) == 0}, o))
	case n < 8566:
		kind("block map")
		set("\n" + block(o, oneOf(d.Rand, "  ", "  ", "    "), d.IntN(2) == 0))
	case n < 8594:
		kind("flow in a block map")
		set("\n  " + o[0].key + ": " + style{spaces: true}.json(o[0].value, "") + "\n" + block(o[1:], "  ", false))
	case n < 8597:
		kind("JSON text in a block map")
		set("\n  " + o[0].key + ": '" + strings.ReplaceAll(style{}.json(o[0].value, ""), "'", "''") + "'\n" + block(o[1:], "  ", false))
	case n < 8630:
		kind("quoted JSON")
		set(" '" + strings.ReplaceAll(style{}.json(o, ""), "'", "''") + "'\n")
	case n < 8640:
		kind("JSON in a literal block")
		set(" |\n  " + style{lines: true}.json(o, "  ") + "\n")
	case n < 8664:
		d.Faults, d.Requires, d.Unclear = nil, Requires{}, false
		kind("null")
		set(oneOf(d.Rand, "\n", " null\n", " ~\n"))
	default:
		d.Faults, d.Requires, d.Unclear = nil, Requires{}, false
		kind("empty")
		set(" {}\n")
	}
}

// lines starts multi-line JSON on the line of the key or on the next.
func (d *draft) lines(s style, o object) string {
	if d.IntN(2) == 0 {
		return "\n  " + s.json(o, "  ") + "\n"
	}
	return " " + s.json(o, "") + "\n"
}

// topRequires declares the requirements at the top level, where no page puts
// them; the weights are those of 210 files.
func (d *draft) topRequires() {
	d.Faults = append(d.Faults, "requires: at the top level")
	switch n := d.IntN(210); {
	case n < 156:
		q := &d.Requires
		var o object
		if d.IntN(156) < 101 {
			q.Env = d.some(envNames)
			o = append(o, member{"env", anys(q.Env...)})
		}
		if d.IntN(156) < 68 || o == nil {
			q.Bins = d.some(programs)
			o = append(o, member{oneOf(d.Rand, "bins", "bins", "bins", "binaries"), anys(q.Bins...)})
		}
		d.set("requires", "requires:\n"+block(o, "  ", d.IntN(2) == 0))
	case n < 207:
		d.Unclear = true
		q := d.some(programs)
		d.Requires.Bins = q
		d.set("requires", "requires:\n"+strings.ReplaceAll("- "+strings.Join(q, "\n- ")+"\n", "- ", "  - "))
	default:
		d.Unclear = true
		d.Requires.Bins = []string{"curl"}
		d.set("requires", "requires: curl\n")
	}
}
