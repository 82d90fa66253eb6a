package converter

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// Names of the parameters that every skill's tool has.
const (
	// argumentsParam is where plain text goes. A parameter of that name that
	// the skill declares takes its place.
	argumentsParam = "arguments"
	// fileParamName is for reading a supporting file. It gives way to a
	// parameter of that name that the skill declares, and is then skill_file.
	fileParamName = "file"
)

// What the tool's own parameters are for.
const (
	argumentsUse = "What the instructions are wanted for, as free text; optional."
	fileUse      = "Path of a supporting file of the skill, to read it instead of the instructions, " +
		"or a glob such as **/*.md to list files; optional."
)

// maxHint is the length in code points to which an argument hint is cut.
const maxHint = 200

// schemaOf returns the JSON Schema of the tool's arguments, and the name of
// the one that asks for a supporting file.
func schemaOf(c candidate) (schema json.RawMessage, fileParam string, problems []metadata.Problem) {
	hint := line.Cut(line.Fold(c.manifest.ArgumentHint), maxHint)
	if c.manifest.Parameters == nil && hint == "" {
		return slices.Clone(plainSchema()), fileParamName, nil
	}
	declared, issues := registry.ParamSchema(c.manifest.Parameters)
	for _, issue := range issues {
		problems = append(problems, metadata.Problem{
			Code: CodeBadParameter, Severity: metadata.Warning, File: c.Path(),
			Message: fmt.Sprintf("parameters%s %s", line.Fold(issue.Path), line.Fold(issue.Message)),
		})
	}
	schema, fileParam = addOwn(declared, hint)
	return schema, fileParam, problems
}

// plainSchema is the schema of a skill that declares nothing of the kind, as
// most do.
var plainSchema = sync.OnceValue(func() json.RawMessage {
	declared, _ := registry.ParamSchema(nil)
	schema, _ := addOwn(declared, "")
	return schema
})

// addOwn returns the schema declared with the tool's own parameters in it, and
// the name of the one that asks for a file. hint, which may be empty, says
// what arguments the skill expects.
func addOwn(declared json.RawMessage, hint string) (schema json.RawMessage, fileParam string) {
	// Raw members, so that numbers keep their digits.
	var root, props map[string]json.RawMessage
	_ = json.Unmarshal(declared, &root) // always an object
	if json.Unmarshal(root["properties"], &props) != nil || props == nil {
		props = map[string]json.RawMessage{}
	}
	if props[argumentsParam] == nil {
		use := argumentsUse
		if hint != "" {
			use += " Expected: " + hint
		}
		props[argumentsParam] = stringSchema(use)
	}
	fileParam = fileParamName
	for props[fileParam] != nil {
		fileParam = "skill_" + fileParam
	}
	props[fileParam] = stringSchema(fileUse)
	root["properties"] = marshal(props)
	return marshal(root), fileParam
}

func stringSchema(description string) json.RawMessage {
	return marshal(map[string]string{"type": "string", "description": description})
}

// marshal returns the JSON of v, which is made of strings and JSON.
func marshal(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
