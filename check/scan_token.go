package check

import "strings"

// A tokenKind is a kind of credential that can be told by how it starts.
type tokenKind struct {
	prefix string
	what   string // "a GitHub token"
	chars  string // the kind of characters after the prefix: see tokenChar
	min    int    // number of them
	max    int    // or 0 for no limit
}

// The kinds of characters of a token.
const (
	alnum = "alnum" // letters and digits
	caps  = "caps"  // upper-case letters and digits
	hex   = "hex"   // lower-case hexadecimal
	url64 = "url64" // letters, digits, - and _
	dots  = "dots"  // the same and dots
)

// tokenKinds are after the documentation of those who issue them. A longer
// prefix stands before a shorter one that starts it.
var tokenKinds = []tokenKind{
	{"AKIA", "an AWS access key ID", caps, 16, 16},
	{"ASIA", "an AWS access key ID", caps, 16, 16},
	{"ghp_", "a GitHub token", alnum, 36, 0},
	{"gho_", "a GitHub token", alnum, 36, 0},
	{"ghu_", "a GitHub token", alnum, 36, 0},
	{"ghs_", "a GitHub token", alnum, 36, 0},
	{"ghr_", "a GitHub token", alnum, 36, 0},
	{"github_pat_", "a GitHub token", url64, 60, 0},
	{"glpat-", "a GitLab token", dots, 20, 0},
	{"xoxb-", "a Slack token", url64, 24, 0},
	{"xoxp-", "a Slack token", url64, 24, 0},
	{"xoxa-", "a Slack token", url64, 24, 0},
	{"xoxr-", "a Slack token", url64, 24, 0},
	{"xoxs-", "a Slack token", url64, 24, 0},
	{"xapp-", "a Slack token", url64, 40, 0},
	{"sk_live_", "a Stripe key", alnum, 24, 0},
	{"rk_live_", "a Stripe key", alnum, 24, 0},
	{"AIza", "a Google API key", url64, 35, 35},
	{"sk-ant-", "an Anthropic key", url64, 32, 0},
	{"sk-proj-", "an OpenAI key", url64, 40, 0},
	{"sk-svcacct-", "an OpenAI key", url64, 40, 0},
	{"sk-or-v1-", "an OpenRouter key", hex, 64, 64},
	{"sk-", "an API key", alnum, 32, 0},
	{"npm_", "an npm token", alnum, 36, 36},
	{"pypi-AgEIcHlwaS5vcmc", "a PyPI token", url64, 50, 0},
	{"SG.", "a SendGrid key", dots, 66, 66},
	{"SK", "a Twilio key", hex, 32, 32},
	{"hf_", "a Hugging Face token", alnum, 34, 40},
	{"gsk_", "a Groq key", alnum, 52, 52},
	{"xai-", "an xAI key", alnum, 80, 80},
	{"pplx-", "a Perplexity key", alnum, 48, 64},
	{"r8_", "a Replicate token", alnum, 37, 37},
	{"shpat_", "a Shopify token", hex, 32, 32},
	{"dop_v1_", "a DigitalOcean token", hex, 64, 64},
	{"lin_api_", "a Linear key", alnum, 40, 40},
	{"ntn_", "a Notion token", alnum, 46, 46},
	{"tvly-", "a Tavily key", url64, 32, 0},
	{"glsa_", "a Grafana token", url64, 40, 0},
	{"dckr_pat_", "a Docker token", url64, 27, 0},
}

func tokenChar(chars string, c byte) bool {
	switch chars {
	case hex:
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
	case caps:
		return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
	case alnum:
		return c != '_' && isWordByte(c)
	case dots:
		return isWordByte(c) || c == '-' || c == '.'
	}
	return isWordByte(c) || c == '-'
}

// maxToken is the length in bytes of the longest token that is looked at.
const maxToken = 2000

// token looks at a token that is told by its prefix.
func (s *scanner) token(k tokenKind, at int) {
	start := at + len(k.prefix)
	end, limit := start, min(start+maxToken, len(s.text))
	for end < limit && tokenChar(k.chars, s.text[end]) {
		end++
	}
	if k.chars == dots {
		end = start + len(strings.TrimRight(s.text[start:end], "."))
	}
	n := end - start
	if n < k.min || k.max > 0 && n > k.max || end < len(s.text) && isWordByte(s.text[end]) {
		return
	}
	if !looksRandom(s.text[start:end], 2.8) || k.prefix == "SG." && (s.text[start+22] != '.') {
		return
	}
	s.secret("secret", "this looks like "+k.what, at, start, end)
}
