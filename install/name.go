package install

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/metadata"
)

// Limits of what a recipe may say, in bytes.
const (
	MaxName    = 256  // a package with its version, or a program
	MaxURL     = 2048 // a URL
	MaxCommand = 8192 // a shell command
)

// packageForms are what the operands of each installer look like. What else an
// installer takes in that place (files, folders, URLs, groups, patterns) is
// left out on purpose: a recipe names a package of the installer's index.
var packageForms = map[metadata.Kind]struct {
	re   *regexp.Regexp
	want string
}{
	// Two slashes make a formula of a tap. One alone would be a file.
	metadata.KindBrew: {regexp.MustCompile(`^[A-Za-z0-9][\w@+.-]*(/[A-Za-z0-9][\w@+.-]*/[A-Za-z0-9][\w@+.-]*)?$`), "a formula, or user/tap/formula"},
	// Debian Policy 5.6.1, with an architecture and a version.
	metadata.KindApt: {regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?(=[A-Za-z0-9.+~:-]+)?$`), "a package, as in name or name=version"},
	metadata.KindNpm: {regexp.MustCompile(`^(@[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*(@[A-Za-z0-9~][\w.~+-]*)?$`), "name, @scope/name, or one of them and @version"},
	// What is not under a host name is of the standard library, or a folder.
	metadata.KindGo: {regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+(/[\w~+-]([\w.~+-]*[\w~+-])?)+(@[A-Za-z0-9][\w.+-]*)?$`), "the path of a package, as in example.com/cmd/name@version"},

	metadata.KindPip:  {pythonForm, pythonWant},
	metadata.KindUv:   {pythonForm, pythonWant},
	metadata.KindPipx: {pythonForm, pythonWant},

	metadata.KindCargo:  {regexp.MustCompile(`^[A-Za-z0-9][\w-]*(@[0-9A-Za-z][0-9A-Za-z.+-]*)?$`), "a crate, as in name or name@version"},
	metadata.KindGem:    {regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(:[0-9][0-9A-Za-z.-]*)?$`), "a gem, as in name or name:version"},
	metadata.KindDnf:    {regexp.MustCompile(`^[A-Za-z0-9][\w.+:~-]*$`), "a package"},
	metadata.KindChoco:  {regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`), "a package"},
	metadata.KindWinget: {regexp.MustCompile(`^[A-Za-z0-9][\w.+-]*$`), "the id of a package"},
}

// pythonForm is a requirement of PEP 508 without blanks, URL and marker: a
// name, extras, and clauses of PEP 440.
var pythonForm = regexp.MustCompile(`^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(\[[A-Za-z0-9][\w.,-]*\])?((?:(?:===|==|~=|!=|<=|>=|<|>)[A-Za-z0-9][\w.*+!-]*(?:,|$))*)$`)

const pythonWant = "a package of the index, as in name, name[extra] or name>=1.2"

// fileSuffixes are the ends of names that some installer reads as a file.
var fileSuffixes = []string{".tgz", ".tar", ".gz", ".bz2", ".xz", ".zip", ".whl", ".egg", ".rb", ".deb", ".rpm", ".gem", ".nupkg", ".config"}

// checkPackage says why name must not be an operand of an installer.
func checkPackage(kind metadata.Kind, name string) error {
	form, ok := packageForms[kind]
	if !ok {
		return fmt.Errorf("kind %q takes no packages", kind)
	}
	why := ""
	switch {
	case name == "":
		why = "is empty"
	case len(name) > MaxName:
		return fmt.Errorf("package %q… is longer than %d bytes", name[:32], MaxName)
	case name[0] == '-':
		why = "starts with a hyphen and would be an option"
	case strings.Contains(name, "://") || strings.HasPrefix(name, "git+") || strings.HasPrefix(name, "file:"):
		why = "is a URL; want " + form.want
	case form.re == pythonForm && strings.Contains(name, "@"):
		why = "is to be got from elsewhere; want " + form.want
	case form.re == pythonForm && strings.Contains(name, ";"):
		why = "has a condition behind a semicolon; want " + form.want
	case name[0] == '.' || name[0] == '/' || name[0] == '~' || strings.Contains(name, `\`):
		why = "is a path; want " + form.want
	case kind != metadata.KindGo && slices.ContainsFunc(fileSuffixes, func(s string) bool { return strings.HasSuffix(strings.ToLower(name), s) }):
		why = "would be read as a file"
	case strings.Contains(name, "...") || strings.Contains(name, "/../"):
		why = "is a pattern or a path; want " + form.want
	case !form.re.MatchString(name) || (form.re == pythonForm && strings.HasSuffix(name, ",")):
		why = "is not allowed; want " + form.want
	case kind == metadata.KindApt && strings.HasSuffix(name, "-"):
		why = "ends with a hyphen, which asks apt-get to remove it" // apt-get(8), install
	case kind == metadata.KindApt && strings.HasSuffix(name, "+") && !strings.HasSuffix(name, "++"):
		why = "ends with a plus, which asks apt-get to install it even where it is to remove it" // apt-get(8), remove; g++ is a package
	case kind == metadata.KindChoco && strings.EqualFold(name, "all"):
		why = "would install everything"
	default:
		return nil
	}
	return fmt.Errorf("package %q %s", name, why)
}

// A pythonReq is the requirement of a Python distribution.
type pythonReq struct {
	name   string // normalised as PEP 503 says
	text   string // the name as written
	extras string // with brackets
	spec   string // the clauses of the version
}

// parsePython divides a requirement. Blanks, which PEP 508 allows between the
// parts, are dropped.
func parsePython(s string) (pythonReq, error) {
	s = strings.Join(strings.Fields(s), "")
	if err := checkPackage(metadata.KindPip, s); err != nil {
		return pythonReq{}, err
	}
	m := pythonForm.FindStringSubmatch(s)
	if _, err := pydist.ParseSpecifiers(m[3]); err != nil {
		return pythonReq{}, fmt.Errorf("package %q: %w", s, err)
	}
	return pythonReq{pydist.Normalize(m[1]), m[1], m[2], m[3]}, nil
}

// covers reports whether a distribution for which r is installed is certain to
// do for want.
func (r pythonReq) covers(want pythonReq) bool {
	have := strings.Split(r.spec, ",")
	for clause := range strings.SplitSeq(want.spec, ",") {
		if clause != "" && !slices.Contains(have, clause) {
			return false
		}
	}
	return want.extras == "" || want.extras == r.extras
}

func (r pythonReq) String() string { return r.text + r.extras + r.spec }

// joinClauses returns the clauses of both, each once and in order.
func joinClauses(a, b string) string {
	list := strings.FieldsFunc(a+","+b, func(r rune) bool { return r == ',' })
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ",")
}

// versionMark is what parts the name from the version in an operand.
var versionMark = map[metadata.Kind]string{
	metadata.KindApt: "=:", metadata.KindGo: "@", metadata.KindCargo: "@", metadata.KindGem: ":",
	metadata.KindPip: "[=<>~!", metadata.KindUv: "[=<>~!", metadata.KindPipx: "[=<>~!",
}

// bareName returns an operand without its version.
func bareName(kind metadata.Kind, name string) string {
	if kind == metadata.KindNpm {
		if i := strings.LastIndexByte(name, '@'); i > 0 {
			return name[:i]
		}
		return name
	}
	if i := strings.IndexAny(name, cmp.Or(versionMark[kind], "\x00")); i >= 0 {
		return name[:i]
	}
	return name
}

var binForm = regexp.MustCompile(`^[A-Za-z0-9_][\w.+@-]*$`)

// checkBin says why name must not be the file name of a program.
func checkBin(name string) error {
	switch {
	case len(name) > MaxName:
		return fmt.Errorf("program %q… is longer than %d bytes", name[:32], MaxName)
	case strings.ContainsAny(name, `/\`):
		return fmt.Errorf("program %q is a path; want a name", name)
	case !binForm.MatchString(name) || strings.HasSuffix(name, "."):
		return fmt.Errorf("program %q is not a plain name", name)
	}
	return nil
}

// checkCommand says why a shell command must not be run, although it was
// shown: it is not what it looks like.
func checkCommand(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return errors.New("the command is empty")
	case len(command) > MaxCommand:
		return fmt.Errorf("the command is longer than %d bytes", MaxCommand)
	case !utf8.ValidString(command):
		return errors.New("the command is not UTF-8")
	}
	for _, c := range command {
		// Cf holds what turns the direction of text around or hides it.
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
			return fmt.Errorf("the command has the invisible character %U", c)
		}
	}
	return nil
}

// checkURL parses the URL of a download.
func checkURL(raw string) (*url.URL, error) {
	if len(raw) > MaxURL {
		return nil, fmt.Errorf("the URL is longer than %d bytes", MaxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }):
		return nil, fmt.Errorf("%q is not a URL", raw)
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return nil, fmt.Errorf("%q is not https (http is for this machine only)", raw)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%q names no host", raw)
	case slices.ContainsFunc(strings.FieldsFunc(u.Path, func(c rune) bool { return c == '/' || c == '\\' }), func(s string) bool { return s == "." || s == ".." }):
		// Servers take these away, and so it is not the path that patterns of
		// what may be installed are compared with.
		return nil, fmt.Errorf("%q has . or .. in its path", raw)
	case u.User != nil:
		return nil, errors.New("the URL holds a user or a password")
	}
	return u, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

var sha256Form = regexp.MustCompile(`^[0-9a-f]{64}$`)
