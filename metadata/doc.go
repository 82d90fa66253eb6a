// Package metadata reads the text of a SKILL.md file: Markdown with YAML
// frontmatter, in which one key, metadata, carries a JSON blob.
//
// [Parse] is lenient: it keeps all that can be read and reports the rest as
// [Problem] values with positions. One bad field costs that field. Only text
// in which no skill can be found is an error, a [*SyntaxError].
//
// The package takes bytes and returns values. It touches neither files nor
// environment, holds no state, and may be used from several goroutines.
//
// # What is read
//
// The frontmatter stands between two lines of exactly three dashes, the first
// of which starts the file. Odd fences, such as an indented one or one with
// text behind it, are read where nothing else can be meant.
//
// A frontmatter that is not YAML is read one key at a time, and a value that
// is at fault as the text its author most likely meant: the commonest is one
// with an unquoted colon. [Problem.Corrected] shows how it was read. Lines that
// belong to no key are never dropped: such a file is refused.
//
// metadata is a mapping in YAML or JSON, or text that holds JSON, strict or
// relaxed. The fields are taken from the first of its keys matrix, openclaw
// and nexus, then from a few that are not documented, else from metadata
// itself. Keys in snake_case, camelCase and kebab-case are the same.
// What is required is unknown, not nothing, if the text that says it cannot be
// read: see [Manifest.RequiresUnknown].
//
// # Codes
//
// Of the whole file, as a [SyntaxError]:
//
//	file-too-large            more than MaxFile bytes
//	not-utf8                  not UTF-8, or with a NUL byte
//	no-frontmatter            no opening fence
//	unclosed-frontmatter      no closing fence, or one only far down in the body
//	frontmatter-not-mapping   a list or text
//	yaml-invalid              YAML that cannot be repaired; as a Problem, of one field
//
// Of the file, all of which was read:
//
//	bom                       a byte order mark
//	crlf                      carriage returns in the frontmatter
//	irregular-fence           a fence that is indented, glued to text, in a code block …
//
// Repairs, the value was read as Corrected says:
//
//	unquoted-colon            a colon and a blank in a plain value
//	bad-quotes                text after a closing quote, none, or an unknown escape
//	reserved-character        a value that starts with * or another sign of YAML
//	text-after-flow           text after a list or mapping in brackets
//	odd-colon                 a full-width colon, or a no-break space after a colon
//	unindented-text           a description that goes on without indentation
//	metadata-not-yaml         metadata in JSON, strict or not, that YAML refuses
//	metadata-not-strict-json  metadata in relaxed JSON
//
// Of a field:
//
//	duplicate-key             the last of equal keys was read
//	key-spelling              a key that was read as a documented one
//	dotted-key                a.b was read as b in a
//	misplaced-field           a field of metadata that stands elsewhere; it was read
//	value-cut                 " #" starts a comment in what looks like text
//	wrong-type                not read
//	string-bool               "true" for true; it was read
//	too-deep                  nested too deeply, or too many values by aliases; not read
//	name-missing              the folder's name is used
//	name-directory-mismatch   the declared name is used
//	description-missing       a model is not offered the skill
//	allowed-tools-unbalanced  parentheses that do not match; the entry is not read
//	unknown-execution-mode    read as prompt
//	unknown-os                kept, matches nothing
//	os-alias                  read as the system it means
//
// Of metadata:
//
//	metadata-unreadable       requirements are unknown
//	legacy-vendor-key         a key that is not documented; it was read
//	unknown-vendor-key        a block under a key that is not known; not read
//	vendor-not-mapping        a vendor key that does not hold a block; not read
//	conflicting-vendor-blocks two blocks that differ; the first documented was read
//	top-level-requires        requires outside metadata; it was read unless the block has its own
//	requirement-unclear       an entry that was guessed, as the message says, or is unknown
//	unknown-requirement       a kind of requirement that is not known, and so not checked
//	install-shape             a recipe in an odd form, read as the message says
//	unknown-install-kind      kept
//	install-no-kind           kept
package metadata
