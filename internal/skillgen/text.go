package skillgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// words makes text: names, sentences, bodies.
type words struct{ *rand.Rand }

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

var (
	topics = strings.Fields(`pdf csv image video audio mail calendar weather git docker kube cloud
		sql graph chart token wallet market news search browser scraper memory note task
		test review deploy release lint code api schema data report slide sheet meeting
		voice music photo map travel recipe health fitness stock crypto game story blog
		social post tweet chat bot agent prompt skill tool file backup sync secret`)
	roles = strings.Fields(`helper manager reader writer builder runner tracker watcher finder
		maker parser converter generator analyzer assistant monitor client server guard
		planner reviewer summarizer exporter importer checker optimizer kit hub pro lite`)
	verbs   = strings.Fields(`read write convert summarize search track review generate export clean merge compare plan explain deploy translate`)
	objects = []string{"PDF files", "calendar events", "git history", "C# projects", "Markdown notes", "CSV/TSV tables",
		"the user's mail", "API keys", "release notes", "unit tests (Go, Rust)", "log files", "web pages at https://example.com/a?b=c&d#e",
		"images – PNG, JPEG", "SQL queries", "\"smart\" quotes", "node.js services", "50% of the budget", "issues 12 and 13"}
	uses = []string{"Use when the user asks for it", "Use this skill for daily work", "Works offline; no account needed",
		"Supports dry runs and --json output", "Don't use it for secrets", "Handles key=value pairs, a:b ratios and times like 10:30",
		"Output is <b>HTML</b> & text", "Needs {placeholder} values [optional]", "Try it — it's fast", "日本語も OK です", "Prints 📈 and ✅"}
	han = []string{"读取和编辑文档", "自动生成每日报告", "当用户要求总结网页时使用", "支持多种格式（如 PDF、Word）", "管理日历事件与提醒",
		"通过命令行查询天气", "分析市场数据并绘制图表", "用于代码审查、测试和部署", "无需 API 密钥", "适用于 OpenClaw 代理"}
)

// slug returns a kebab-case name. In a large series some come twice, as they
// do in public collections.
func (w words) slug() string {
	s := oneOf(w.Rand, topics...) + "-" + oneOf(w.Rand, roles...)
	if w.IntN(10) < 8 {
		s = oneOf(w.Rand, topics...) + "-" + s
	}
	return s
}

// quantile is a point of a cumulative distribution.
type quantile struct{ share, value float64 }

// size draws from the distribution that runs through points, a straight line
// between two of them when the values are on a logarithmic scale.
func (w words) size(points ...quantile) int {
	x := w.Float64()
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if x <= b.share {
			t := (x - a.share) / (b.share - a.share)
			return int(math.Exp(math.Log(a.value) + t*(math.Log(b.value)-math.Log(a.value))))
		}
	}
	return int(points[len(points)-1].value)
}

// fileSize draws the size of a SKILL.md in bytes.
func (d *draft) fileSize() int {
	return d.text.size(quantile{0, 300}, quantile{.5, 4590}, quantile{.9, 13_292},
		quantile{.99, 30_911}, quantile{.999, 69_509}, quantile{1, 176_876})
}

// sentences returns the sentences of a description. All can stand in a plain
// YAML scalar: none holds a colon or a hash that YAML would take for its own,
// and none starts with an indicator.
func (w words) sentences() []string {
	size := w.size(quantile{0, 15}, quantile{.5, 150}, quantile{.9, 380}, quantile{.99, 900}, quantile{1, 2400})
	chinese := w.IntN(10) < 4
	var list []string
	for n := 0; n < size; {
		var s string
		switch {
		case chinese:
			s = oneOf(w.Rand, han...) + "。"
		case len(list) == 0 || w.IntN(2) == 0:
			verb := oneOf(w.Rand, verbs...)
			s = strings.ToUpper(verb[:1]) + verb[1:] + " and " + oneOf(w.Rand, verbs...) + " " + oneOf(w.Rand, objects...) + "."
		default:
			s = oneOf(w.Rand, uses...) + "."
		}
		list = append(list, s)
		n += len(s) + 1
	}
	return list
}

var paragraphs = []string{
	"## Usage\n\nRun the commands below from the skill's folder and read what they print.\n",
	"```bash\ncurl -s \"https://api.example.com/v1/items?limit=10\" | jq '.items[] | .name'\n```\n",
	"- **Fast**: answers from the cache.\n- **Safe**: asks before it writes.\n- See `references/guide.md`.\n",
	"| option | meaning |\n|---|---|\n| `--json` | print JSON |\n| `--dry-run` | change nothing |\n",
	"```yaml\n---\nname: sample\ndescription: a frontmatter inside a code block\n---\n```\n",
	"```makefile\nall:\n\tgo build ./...\n\tKEY\tVALUE\n```\n",
	"### 步骤\n\n1. 先读取输入文件。\n2. 再生成报告，并说明来源。\n",
	"Note: values with a colon: they are common in prose. # not a heading\n",
	"```python\nimport json, sys\n\nfor row in json.load(sys.stdin):\n    print(row[\"id\"], row.get(\"name\"))\n```\n",
	"Ask the user for a key if `API_KEY` is not set, then call {baseDir}/scripts/run.sh with it.\n",
}

// body returns Markdown of about size bytes. One in six has a thematic break,
// which must not be taken for a fence.
func (w words) body(size int) string {
	var b strings.Builder
	b.Grow(size + 400)
	fmt.Fprintf(&b, "\n# %s %s\n\n", oneOf(w.Rand, topics...), oneOf(w.Rand, roles...))
	rules := w.IntN(6) == 0
	for b.Len() < size {
		b.WriteString(oneOf(w.Rand, paragraphs...))
		b.WriteByte('\n')
		if rules && w.IntN(4) == 0 {
			b.WriteString("---\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
