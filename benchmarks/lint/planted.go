package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A tree is a set of files by slash-separated path. A name that ends in "@" is
// a link to what the text says.
type tree map[string]string

// A planted is a clean skill with one fault in it.
type planted struct {
	name  string // of the fault, in a few words
	agnix string // the rule of agnix for it by its published list, or empty
	files tree
}

// base is the skill that faults are planted in. No linter here finds more
// than the taste of its authors in it.
const base = `---
name: rollout
description: Rolls out a release to the staging and production hosts. Use when a release is due or has to be taken back.
license: MIT
metadata: {"matrix": {"execution_mode": "bash", "category_name": "operations", "primary_env": "DEPLOY_HOST", "requires": {"bins": ["jq"], "env": ["DEPLOY_HOST"]}, "install": [{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "os": ["linux"], "label": "Install jq (apt)"}, {"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "os": ["macos"], "label": "Install jq (brew)"}], "uninstall": [{"id": "apt", "kind": "apt", "package": "jq", "os": ["linux"], "label": "Remove jq (apt)"}, {"id": "brew", "kind": "brew", "formula": "jq", "os": ["macos"], "label": "Remove jq (brew)"}]}}
---

# Rollout

Rolls out one release to the hosts of an environment, first to staging and then to production, and says what was
done. It stops at the first host that fails, and leaves the others as they are, so that nobody has to guess.

## What to do

- Read [the list of hosts](references/hosts.md) and ask which environment is meant if that is not clear.
- List the hosts with the command below, and show them before anything is changed.
- Roll out to one host at a time, and wait until it answers again.

` + "```bash\njq -r '.hosts[].name' hosts.json\n```" + `

## Output

A Markdown table with one row for each host: its name, the version before, the version after, and what went wrong.

For example, for version 1.4.0 on staging:

| host | before | after | fault |
|------|--------|-------|-------|
| web1 | 1.3.9  | 1.4.0 | none  |
`

// clean is the tree of base.
func clean() tree {
	return tree{
		"rollout/SKILL.md":            base,
		"rollout/references/hosts.md": "# Hosts\n\nweb1 and web2 are staging, web3 to web9 production.\n",
	}
}

// with returns the clean tree with files added.
func with(files ...string) tree {
	t := clean()
	for i := 0; i+1 < len(files); i += 2 {
		t[files[i]] = files[i+1]
	}
	return t
}

// whole returns the clean tree with another SKILL.md.
func whole(s string) tree { return with("rollout/SKILL.md", s) }

// edit returns the clean tree with old replaced in SKILL.md.
func edit(pairs ...string) tree {
	s := base
	for i := 0; i+1 < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			panic("the base does not hold " + strconv.Quote(pairs[i]))
		}
		s = strings.Replace(s, pairs[i], pairs[i+1], 1)
	}
	return whole(s)
}

// description returns the clean tree with a line in place of the description.
func description(s string) tree {
	return edit("description: Rolls out a release to the staging and production hosts. Use when a release is due or has to be taken back.\n", s)
}

// header returns the clean tree with lines added to the frontmatter.
func header(s string) tree { return edit("license: MIT\n", "license: MIT\n"+s) }

// body returns the clean tree with text added to the body.
func body(s string) tree { return edit("## Output\n", s+"\n\n## Output\n") }

// recipe returns the clean tree with another first recipe.
func recipe(s string) tree {
	return edit(`{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "os": ["linux"], "label": "Install jq (apt)"}`, s)
}

// vendor returns the clean tree with more fields in the vendor block.
func vendor(s string) tree {
	return edit(`"category_name": "operations"`, `"category_name": "operations", `+s)
}

// tool returns a tree with an Executa Tool.
func tool(executa, manifest string) tree {
	return tree{"hello-tool/executa.json": executa, "hello-tool/manifest.json": manifest}
}

const (
	executaJSON = `{"tool_id": "tool-test-hello-12345678", "slug": "hello-tool", "name": "Hello", "version": "1.0.0", "executa_type": "tool", "type": "python", "description": "Says hello."}
`
	describeJSON = `{"name": "hello-tool", "display_name": "Hello", "version": "1.0.0", "description": "Says hello to a person.", "tools": [{"name": "say_hello", "description": "Says hello to one person by name.", "parameters": [{"name": "person", "type": "string", "description": "Who to greet.", "required": true}, {"name": "tags", "type": "array", "items": {"type": "string"}, "description": "Words to add.", "required": false}]}], "credentials": [{"name": "GITHUB_TOKEN", "display_name": "GitHub token", "description": "Make one in the settings of GitHub.", "required": true, "sensitive": true}], "runtime": {"type": "uv"}}
`
)

// cleanTool is a tool without a fault.
func cleanTool() tree { return tool(executaJSON, describeJSON) }

// describe returns the clean tool with old replaced in its describe manifest.
func describe(old, new string) tree { return tool(executaJSON, replace(describeJSON, old, new)) }

func executa(old, new string) tree { return tool(replace(executaJSON, old, new), describeJSON) }

func replace(s, old, new string) string {
	if !strings.Contains(s, old) {
		panic("no " + strconv.Quote(old) + " to replace")
	}
	return strings.Replace(s, old, new, 1)
}

// write writes t below dir.
func (t tree) write(dir string) error {
	for name, text := range t {
		name, link := strings.CutSuffix(name, "@")
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		var err error
		if link {
			err = os.Symlink(text, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
