package metadata

// The codes of problems, see [Problem.Code]. The comment says what was read in
// spite of the fault; without one, the value at fault was left out.
const (
	// Faults of the whole file, each a SyntaxError.
	codeTooLarge      = "file-too-large"
	codeNotUTF8       = "not-utf8"
	codeNoFrontmatter = "no-frontmatter"
	codeUnclosed      = "unclosed-frontmatter"
	codeYAML          = "yaml-invalid" // as a Problem: of one field
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
	codeMetadataJSON      = "metadata-not-yaml"        // the metadata is JSON that YAML refuses
	codeMetadataNotStrict = "metadata-not-strict-json" // read with trailing commas and the like

	// Faults of fields.
	codeDuplicateKey    = "duplicate-key"   // the last one was read
	codeKeySpelling     = "key-spelling"    // read as the documented key
	codeDottedKey       = "dotted-key"      // read as nested keys
	codeMisplacedField  = "misplaced-field" // read where it stands
	codeCommentInValue  = "value-cut"       // " #" starts a comment: the rest of the line is lost
	codeWrongType       = "wrong-type"
	codeStringBool      = "string-bool"             // read as the bool it spells
	codeTooDeep         = "too-deep"                // also too many values, by aliases
	codeNoName          = "name-missing"            // the folder's name
	codeNameDirectory   = "name-directory-mismatch" // the declared name
	codeNoDescription   = "description-missing"
	codeUnbalancedTools = "allowed-tools-unbalanced"
	codeUnknownMode     = "unknown-execution-mode" // prompt
	codeUnknownOS       = "unknown-os"             // kept, matches nothing
	codeOSAlias         = "os-alias"               // the system it stands for

	// Faults of metadata.
	codeMetadataUnreadable = "metadata-unreadable" // requirements are unknown
	codeLegacyVendor       = "legacy-vendor-key"
	codeUnknownVendor      = "unknown-vendor-key" // requirements are unknown
	codeVendorNotMap       = "vendor-not-mapping"
	codeVendorConflict     = "conflicting-vendor-blocks" // the first in the documented order
	codeTopLevelRequires   = "top-level-requires"
	codeRequirement        = "requirement-unclear"  // requirements are unknown, or as the message says
	codeUnknownRequires    = "unknown-requirement"  // requirements are unknown
	codeInstallShape       = "install-shape"        // as the message says
	codeUnknownKind        = "unknown-install-kind" // kept
	codeNoKind             = "install-no-kind"      // kept
)
