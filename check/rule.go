package check

import (
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Rule is one thing that skills, or the manifests of Executa Tools, are
// checked for. It is a constant value: nobody changes one.
type Rule struct {
	// ID names the rule in kebab-case. A rule that reports what a reader of
	// the file found has the code of that [metadata.Problem].
	ID string
	// Title says in a few words, in lower case, what is wrong.
	Title string
	// Doc says why it matters and what to do, in Markdown.
	Doc string
	// Bad is text in which the rule finds its fault, and Good is text in which
	// it doesn't: a whole SKILL.md, or the lines of a frontmatter without the
	// fences, or a folder of files in txtar form (if it starts with "-- "), in
	// which "-- a -> b --" is a link to b.
	Bad, Good string
	// Source is the page and section, or the measurement, that the rule
	// comes from.
	Source string
	// Severity is that of its findings.
	Severity metadata.Severity
	// SeverityIn overrides Severity for some profiles.
	SeverityIn map[Profile]metadata.Severity
	// Profiles are those that the rule belongs to; empty means all.
	Profiles []Profile
	// Fixable means that findings have a fix, as that in Bad does.
	Fixable bool
	// Off means that the rule runs only when it is asked for.
	Off bool

	// Exactly one of these is set. They report through the pass, never
	// panic, and hold no state.
	Run       func(*Pass)    // looks at a skill that could be parsed
	RunFolder func(*Pass)    // looks at a folder, whether a skill in it could be parsed or not
	RunTool   func(*Pass)    // looks at an Executa Tool
	RunSet    func(*SetPass) // looks at all skills together

	last bool // RunFolder looks at what other rules found
}

// A Profile is a set of rules for a place where skills are published.
type Profile string

// Matrix is the format that this module documents, OpenClaw that of ClawHub,
// and AgentSkills the specification at agentskills.io alone.
const (
	Matrix      Profile = "matrix"
	OpenClaw    Profile = "openclaw"
	AgentSkills Profile = "agentskills"
)

// Profiles returns all profiles, the default first.
func Profiles() []Profile { return []Profile{Matrix, OpenClaw, AgentSkills} }

// vendorProfiles are those in which metadata holds a vendor block.
var vendorProfiles = []Profile{Matrix, OpenClaw}

// strict makes what the specification at agentskills.io forbids an error in its
// profile.
var strict = map[Profile]metadata.Severity{AgentSkills: metadata.Error}

// Rules returns all rules, sorted by ID. The slice is the caller's.
func Rules() []*Rule {
	list := slices.Concat(
		unreadableRules,
		ignoreRules,
		toolParserRules,
		toolRules,
		pluginRules,
		toolParamRules,
		toolCredentialRules,
		toolDistributionRules,
		toolAssetRules,
		parserFileRules,
		secretRules,
		unicodeRules,
		injectionRules,
		commandRules,
		packageRules,
		folderRules,
		parserYAMLRules,
		parserFieldRules,
		parserMetadataRules,
		nameRules,
		descriptionRules,
		standardRules,
		invocationRules,
		setRules,
		filenameRules,
		referenceRules,
		bodyRules,
		adviceRules,
		vendorRules,
		matrixRules,
		requiresRules,
		modeRules,
		runRules,
		recipeRules,
		installRules,
		parameterRules,
	)
	slices.SortFunc(list, func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
	return list
}
