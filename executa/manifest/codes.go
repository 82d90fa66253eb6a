package manifest

// The codes of problems, which the package documentation explains.
const (
	// Faults of the whole file, each a SyntaxError.
	codeTooLarge  = "manifest-too-large"
	codeNotUTF8   = "manifest-not-utf8"
	codeNotJSON   = "manifest-not-json"
	codeNotObject = "manifest-not-object"

	// Faults of a file that was read.
	codeNotStrict    = "manifest-not-strict-json"
	codeDuplicateKey = "manifest-duplicate-key"
	codeWrapped      = "manifest-wrapped"
	codeWrongType    = "manifest-wrong-type"
)
