package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A phrase is one by which texts take over a model.
type phrase struct {
	cues []string       // words that it starts with, in lower case
	re   *regexp.Regexp // matched from there
	what string
}

// phrases are kept narrow: "don't tell the user to restart" and "show the system
// prompt of a model" are what honest skills say.
var phrases = []phrase{
	{
		cues: []string{"ignore ", "disregard ", "forget "},
		re: regexp.MustCompile(`(?i)^(?:ignore|disregard|forget)\s+(?:(?:all|any|every|each|everything|of|the|your|my|these|those|and|other)\s+){0,4}` +
			`(?:(?:previous|prior|preceding|earlier|former|existing|original)\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|rules|guidelines|directives|orders)` +
			`|system\s+(?:prompts?|instructions?|messages?))\b` +
			`|^(?:ignore|disregard|forget)\s+(?:all\s+(?:of\s+)?)?(?:your\s+(?:\w+\s+)?(?:instructions|guidelines|programming|training|system\s+prompt)|the\s+above\s+instructions)\b`),
		what: "tells a model to drop its instructions",
	},
	{
		cues: []string{"you are now ", "you're now ", "you are no longer "},
		re: regexp.MustCompile(`(?i)^you(?:'re|\s+are)\s+(?:now\s+(?:in\s+|an?\s+|operating\s+in\s+)*(?:DAN\b|unrestricted|unfiltered|uncensored|jailbroken|free\s+(?:from|of)\s+(?:all\s+|any\s+)?(?:restrictions|rules|limits|guidelines))` +
			`|no\s+longer\s+(?:bound|restricted|limited|constrained)\s+by)`),
		what: "tells a model that its rules don't hold",
	},
	{
		cues: []string{"enter ", "enable ", "activate ", "switch to ", "act as ", "act like ", "pretend ", "do anything now"},
		re: regexp.MustCompile(`(?i)^(?:(?:enter|enable|activate|switch\s+to)\s+(?:an?\s+|the\s+|your\s+)?(?:unrestricted|jailbreak|unfiltered|uncensored|DAN|god)\s+mode` +
			`|act\s+(?:as|like)\s+(?:an?\s+)?(?:unrestricted|unfiltered|uncensored|jailbroken)\b` +
			`|pretend\s+(?:that\s+)?(?:you\s+have|there\s+are|to\s+have)\s+no\s+(?:restrictions|rules|guidelines|limits)` +
			`|do\s+anything\s+now\b)`),
		what: "tells a model that its rules don't hold",
	},
	{
		cues: []string{"bypass ", "circumvent ", "evade ", "override ", "ignore ", "disregard "},
		re: regexp.MustCompile(`(?i)^(?:bypass|circumvent|evade|override|ignore|disregard)\s+(?:(?:all|any|your|the|its|every|model|model's|assistant's)\s+){1,3}` +
			`(?:safety|ethical|content|moderation)\s+(?:policy|policies|filters?|guidelines|guardrails|restrictions|training|protocols)\b`),
		what: "tells a model to pass over its safety rules",
	},
	{
		cues: []string{"do not ", "don't ", "don’t ", "never ", "must not "},
		re: regexp.MustCompile(`(?i)^(?:do\s+not|don['’]t|never|must\s+not)\s+(?:(?:tell|inform|notify|alert|warn)\s+the\s+(?:user|human|operator)\s+(?:that\s+you|about\s+(?:this|these|any\s+of\s+this|the\s+(?:upload|transfer|command|request|exfiltration)))\b` +
			`|let\s+the\s+(?:user|human|operator)\s+(?:know|see|notice|find\s+out)\s+(?:that\s+you|about\s+(?:this|these))\b` +
			`|(?:mention|reveal|disclose)\s+(?:this|these)(?:\s+(?:instructions?|steps?|commands?|actions?))?\s+to\s+the\s+(?:user|human|operator)\b)`),
		what: "tells a model to keep something from its user",
	},
	{
		cues: []string{"hide ", "conceal ", "keep ", "without ", "secretly ", "covertly ", "silently "},
		re: regexp.MustCompile(`(?i)^(?:(?:hide|conceal)\s+(?:this|these|it|your\s+actions|all\s+of\s+this)(?:\s+\w+)?\s+from\s+the\s+(?:user|human|operator)\b` +
			`|keep\s+(?:this|these|it)(?:\s+\w+)?\s+(?:hidden|secret)\s+from\s+the\s+(?:user|human|operator)\b` +
			`|without\s+(?:the\s+)?(?:user|human|operator)(?:['’]s)?\s+(?:knowledge|knowing|noticing|awareness)\b` +
			`|(?:secretly|covertly|silently)\s+(?:send|upload|post|exfiltrate|transmit|forward|leak)\b)`),
		what: "tells a model to keep something from its user",
	},
	{
		cues: []string{"reveal ", "print ", "show ", "output ", "repeat ", "display ", "leak ", "dump ", "disclose "},
		re: regexp.MustCompile(`(?i)^(?:reveal|print|show|output|repeat|display|leak|dump|disclose)\s+(?:me\s+)?(?:all\s+(?:of\s+)?)?your\s+(?:(?:full|entire|complete|hidden|secret|initial|original|exact)\s+){0,2}` +
			`(?:system\s+(?:prompt|message|instructions)|hidden\s+instructions|initial\s+instructions|original\s+instructions)\b`),
		what: "asks a model for its system prompt",
	},
	{
		cues: []string{"im_start|>system"},
		re:   regexp.MustCompile(`(?i)^im_start\|>system`),
		what: "imitates the marks between the messages of a conversation",
	},
}

// maxPhrase is the length in bytes of the longest phrase looked for.
const maxPhrase = 200

// injectionTable returns the cues for phrases.
func injectionTable() []cue {
	var list []cue
	for i := range phrases {
		for _, c := range phrases[i].cues {
			list = append(list, cue{text: c, fold: true, look: func(s *scanner, at int) { s.phrase(&phrases[i], at) }})
		}
	}
	return list
}

// phrase looks for a phrase at an offset of a text that a model reads.
func (s *scanner) phrase(p *phrase, at int) {
	if s.kind != prose {
		return
	}
	loc := p.re.FindStringIndex(s.text[at:min(at+maxPhrase, len(s.text))])
	if loc == nil {
		return
	}
	end := at + loc[1]
	if !s.isFull("prompt-injection") && s.isMention(at) {
		s.report("prompt-injection-quoted", at, end, "%q %s; make plain that it is an example", clip(s.text[at:end]), p.what)
		return
	}
	s.report("prompt-injection", at, end, "%q %s; delete it, or put it in quotes if it is an example", clip(s.text[at:end]), p.what)
}

// mentions are words before a phrase that is talked about rather than said.
var mentions = []string{
	"such as", "e.g.", "for example", "like ", "attempt", "attack", "inject", "jailbreak", "detect", "refuse", "reject", "flag ", "pattern", "phrase",
	"says ", "saying ", "asks ", "asking ", "try to", "tries to", "trying to", "claim", "untrusted", "never ", "don't ", "do not ", "must not ", "should not ", "cannot ", "can't ",
}

// isMention reports whether what stands at the offset is in code or in quotes,
// or talked about.
func (s *scanner) isMention(at int) bool {
	if s.inFence(at) || s.inCodeSpan(at) {
		return true
	}
	line := s.lineAt(at)
	before, after := s.text[line.start:at], s.text[at:line.end]
	if at < s.body {
		// A value of the frontmatter is not a quotation for being quoted.
		if _, value, ok := strings.Cut(before, ":"); ok {
			before = strings.TrimLeft(value, " \"'")
		}
	}
	if strings.Count(before, `"`)%2 == 1 && strings.Contains(after, `"`) ||
		strings.LastIndex(before, "“") > strings.LastIndex(before, "”") ||
		strings.LastIndex(before, "‘") > strings.LastIndex(before, "’") ||
		strings.LastIndex(before, "«") > strings.LastIndex(before, "»") ||
		strings.LastIndex(before, "「") > strings.LastIndex(before, "」") {
		return true
	}
	if i := strings.LastIndex(before, "'"); i >= 0 && strings.Contains(after, "'") {
		if r, _ := utf8.DecodeLastRuneInString(before[:i]); i == 0 || !unicode.IsLetter(r) {
			return true // no apostrophe
		}
	}
	// The sentence so far.
	if i := strings.LastIndexAny(before, ".!?;|"); i >= 0 && !strings.HasSuffix(before[:i+1], "e.g.") {
		before = before[i+1:]
	}
	before = strings.ToLower(before)
	for _, m := range mentions {
		if strings.Contains(before, m) {
			return true
		}
	}
	return false
}
