package metadata

// The codes of problems, which the package documentation explains.
const (
	// Faults of the whole file, each a SyntaxError.
	codeTooLarge      = "file-too-large"
	codeNotUTF8       = "not-utf8"
	codeNoFrontmatter = "no-frontmatter"
	codeUnclosed      = "unclosed-frontmatter"
	codeYAML          = "yaml-invalid"
	codeNotMapping    = "frontmatter-not-mapping"

	// Oddities of the fences; the whole skill was read.
	codeBOM            = "bom"
	codeCRLF           = "crlf"
	codeIrregularFence = "irregular-fence"

	// Repairs of text that is not YAML; the value was read as Corrected says.
	codeUnquotedColon     = "unquoted-colon"
	codeBadQuotes         = "bad-quotes"
	codeReservedStart     = "reserved-character"
	codeTextAfterFlow     = "text-after-flow"
	codeOddColon          = "odd-colon"
	codeUnindentedText    = "unindented-text"
	codeMetadataJSON      = "metadata-not-yaml"
	codeMetadataNotStrict = "metadata-not-strict-json"

	// Faults of fields.
	codeDuplicateKey    = "duplicate-key"
	codeKeySpelling     = "key-spelling"
	codeDottedKey       = "dotted-key"
	codeMisplacedField  = "misplaced-field"
	codeCommentInValue  = "value-cut"
	codeWrongType       = "wrong-type"
	codeStringBool      = "string-bool"
	codeTooDeep         = "too-deep"
	codeNoName          = "name-missing"
	codeNameDirectory   = "name-directory-mismatch"
	codeNoDescription   = "description-missing"
	codeUnbalancedTools = "allowed-tools-unbalanced"
	codeUnknownMode     = "unknown-execution-mode"
	codeUnknownOS       = "unknown-os"
	codeOSAlias         = "os-alias"

	// Faults of metadata.
	codeMetadataUnreadable = "metadata-unreadable"
	codeLegacyVendor       = "legacy-vendor-key"
	codeUnknownVendor      = "unknown-vendor-key"
	codeVendorNotMap       = "vendor-not-mapping"
	codeVendorConflict     = "conflicting-vendor-blocks"
	codeTopLevelRequires   = "top-level-requires"
	codeRequirement        = "requirement-unclear"
	codeUnknownRequires    = "unknown-requirement"
	codeInstallShape       = "install-shape"
	codeUnknownKind        = "unknown-install-kind"
	codeNoKind             = "install-no-kind"
)
