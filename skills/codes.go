package skills

// The codes of problems, which the package documentation explains.
const (
	codeDuplicateName = "duplicate-name"
	codeSimilarName   = "similar-name"
	codeDuplicateKey  = "duplicate-skill-key"
	codeUnreadable    = "unreadable"
	codeLastGood      = "last-good"
)
