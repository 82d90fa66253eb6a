// Package sarif holds the part of the Static Analysis Results Interchange
// Format, version 2.1.0, that linters write: what GitHub's code scanning, and
// editors, read. The names are those of the format, whose specification says
// what each is for: https://docs.oasis-open.org/sarif/sarif/v2.1.0/.
package sarif

const (
	// Version is that of the format.
	Version = "2.1.0"
	// Schema is where its JSON schema is published.
	Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// CodePoints says that columns count code points; see [Run.ColumnKind].
	CodePoints = "unicodeCodePoints"
)

// A Log is a file of the format.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// A Run is one run of one tool.
type Run struct {
	Tool        Tool         `json:"tool"`
	Invocations []Invocation `json:"invocations,omitempty"`
	Results     []Result     `json:"results"` // not nil, which would mean that nothing was looked for
	ColumnKind  string       `json:"columnKind,omitempty"`
}

// A Tool says what ran.
type Tool struct {
	Driver Driver `json:"driver"`
}

// A Driver is the program and its rules.
type Driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri,omitempty"`
	Rules          []Rule `json:"rules,omitempty"`
}

// A Rule is one thing that the tool looks for.
type Rule struct {
	ID                   string         `json:"id"`
	ShortDescription     Message        `json:"shortDescription"`
	FullDescription      Message        `json:"fullDescription"`
	Help                 Message        `json:"help"`
	HelpURI              string         `json:"helpUri,omitempty"`
	DefaultConfiguration Configuration  `json:"defaultConfiguration"`
	Properties           map[string]any `json:"properties,omitempty"`
}

// A Configuration says how a rule runs.
type Configuration struct {
	Level string `json:"level"` // error, warning or note
}

// A Message is text, and the same in Markdown where that is allowed.
type Message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

// An Invocation says how the run went.
type Invocation struct {
	ExecutionSuccessful bool `json:"executionSuccessful"`
}

// A Result is a finding.
type Result struct {
	RuleID       string        `json:"ruleId"`
	RuleIndex    int           `json:"ruleIndex"` // in Driver.Rules
	Level        string        `json:"level"`     // error, warning or note
	Message      Message       `json:"message"`
	Locations    []Location    `json:"locations"`
	Fixes        []Fix         `json:"fixes,omitempty"`
	Suppressions []Suppression `json:"suppressions,omitempty"`
}

// A Location is where a result is.
type Location struct {
	PhysicalLocation PhysicalLocation `json:"physicalLocation"`
}

// A PhysicalLocation is a file, or a region in it.
type PhysicalLocation struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Region           *Region          `json:"region,omitempty"` // nil for the whole file
}

// An ArtifactLocation names a file by a URI, absolute or relative.
type ArtifactLocation struct {
	URI string `json:"uri"`
}

// A Region is a part of a text. Lines and columns count from 1; the end column
// is the one behind the last character.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// A Fix is a way to repair what a result is about.
type Fix struct {
	Description     Message          `json:"description"`
	ArtifactChanges []ArtifactChange `json:"artifactChanges"`
}

// An ArtifactChange is what changes in one file.
type ArtifactChange struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Replacements     []Replacement    `json:"replacements"`
}

// A Replacement puts content, which may be empty, in the place of a region.
type Replacement struct {
	DeletedRegion   Region  `json:"deletedRegion"`
	InsertedContent Message `json:"insertedContent"`
}

// A Suppression says why a result does not count.
type Suppression struct {
	Kind          string `json:"kind"` // inSource or external
	Justification string `json:"justification,omitempty"`
}
