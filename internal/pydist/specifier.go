package pydist

import (
	"errors"
	"fmt"
	"strings"
)

// Specifiers are the versions that a requirement accepts: those that match all
// of the clauses. Without a clause that is every version.
type Specifiers []clause

type clause struct {
	op      string
	text    string // the version as written, for ===
	version Version
	prefix  bool // ends in ".*"
}

// operators are those of PEP 440; one comes before those that it begins with.
var operators = [...]string{"===", "==", "~=", "!=", "<=", ">=", "<", ">"}

// ParseSpecifiers reads clauses that are separated by commas.
func ParseSpecifiers(s string) (Specifiers, error) {
	var list Specifiers
	for text := range strings.SplitSeq(s, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		c, err := parseClause(text)
		if err != nil {
			return nil, fmt.Errorf("version specifier %q: %w", text, err)
		}
		list = append(list, c)
	}
	return list, nil
}

func parseClause(s string) (clause, error) {
	var c clause
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(s, op); ok {
			c.op, c.text = op, strings.TrimSpace(rest)
			break
		}
	}
	switch c.op {
	case "":
		return c, errors.New("does not begin with an operator such as >=")
	case "===":
		if c.text == "" || strings.ContainsFunc(c.text, func(r rune) bool { return r <= ' ' || r == ';' || r == ')' }) {
			return c, errors.New("not a version")
		}
		return c, nil
	}
	text, ok := c.text, false
	if c.op == "==" || c.op == "!=" {
		text, c.prefix = strings.CutSuffix(text, ".*")
	}
	if c.version, ok = ParseVersion(text); !ok {
		return c, errors.New("not a version")
	}
	switch v := &c.version; {
	case c.prefix && (v.isPre() || v.post != "" || v.local != nil):
		return c, errors.New("only a release can end in .*")
	case v.local != nil && c.op != "==" && c.op != "!=":
		return c, errors.New("a local version can only be compared with == and !=")
	case c.op == "~=" && len(v.release) < 2:
		return c, errors.New("~= needs a release of two numbers or more")
	}
	return c, nil
}

// Match reports whether the specifiers accept a version that is installed,
// which may be a pre-release. An error says that it is not a version of PEP 440
// and thus cannot be compared.
func (s Specifiers) Match(version string) (bool, error) {
	v, ok := ParseVersion(version)
	for i := range s {
		switch c := &s[i]; {
		case c.op == "===":
			if !strings.EqualFold(strings.TrimSpace(version), c.text) {
				return false, nil
			}
		case !ok:
			return false, fmt.Errorf("version %q cannot be compared", version)
		case !c.match(v):
			return false, nil
		}
	}
	return true, nil
}

func (c *clause) match(v Version) bool {
	w := c.version
	switch c.op {
	case "==":
		return c.equal(v)
	case "!=":
		return !c.equal(v)
	case "~=": // the same series, and not older
		return v.epoch == w.epoch && v.compareRelease(w, len(w.release)-1) == 0 && v.public().Compare(w) >= 0
	case ">=":
		return v.public().Compare(w) >= 0
	case "<=":
		return v.public().Compare(w) <= 0
	case "<": // a pre-release of w is not what is meant, unless w is one
		return v.Compare(w) < 0 && (w.isPre() || !v.isPre() || !v.sameRelease(w))
	default: // nor is a post-release or a local version of w by ">"
		return v.Compare(w) > 0 && (!v.sameRelease(w) || v.local == nil && (v.post == "" || w.post != ""))
	}
}

func (c *clause) equal(v Version) bool {
	w := c.version
	if c.prefix {
		return v.epoch == w.epoch && v.compareRelease(w, len(w.release)) == 0
	}
	if w.local == nil {
		v = v.public()
	}
	return v.Compare(w) == 0
}
