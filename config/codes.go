package config

// The codes of problems, which the package documentation explains.
const (
	codeUnknownKey   = "config-unknown-key"
	codeDuplicateKey = "config-duplicate-key"
	codeMissingKey   = "config-missing-key"
	codeWrongType    = "config-wrong-type"
	codeUnknownValue = "config-unknown-value"
	codeBadPattern   = "config-bad-pattern"
	codeBadURL       = "config-bad-url"
	codeUnquoted     = "config-unquoted"
	codeRefusedVar   = "config-refused-var"
	codeTooDeep      = "config-too-deep"
	codeReadable     = "config-readable"
	codeSecondDoc    = "config-second-document"
	codeUnknownSkill = "config-unknown-skill"
)
