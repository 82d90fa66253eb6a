package check

import "github.com/matrix-nexus/skillkit/metadata"

// parserMetadataRules report what the parser found at fault with metadata.
// They say nothing in the profile of agentskills.io, for which metadata is a
// mapping of any text to text.
var parserMetadataRules = []*Rule{
	{
		ID:    "metadata-unreadable",
		Title: "metadata that cannot be read",
		Doc: `
metadata is neither a mapping nor JSON, or the JSON is broken; the message says where.
What the skill requires is then unknown, and it counts as not ready until that is mended.
Other readers refuse the file, or offer the skill where it cannot run.
`,
		Bad:       goodName + goodDescription + "metadata: see the README\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 14 of 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "legacy-vendor-key",
		Title: "key under metadata that is not documented",
		Doc: `
Of the keys under metadata, matrix, openclaw and nexus are documented. Others, such as clawdbot
and moltbot, are read here for the sake of older skills; by the page their
requirements and recipes do not exist. Rename the key.
`,
		Bad:       goodName + goodDescription + `metadata: {"clawdbot": {"execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 3,127 of 20,982 published skills",
		Severity:  metadata.Warning,
		Fixable:   true,
		Profiles:  []Profile{Matrix},
		RunFolder: problems,
	},
	{
		ID:    "unknown-vendor-key",
		Title: "block under a key that nobody reads",
		Doc: `
A key under metadata holds what looks like requirements or recipes, but is not one that
is read: matrix, openclaw and nexus are. What it requires is unknown, so the skill
counts as not ready. Rename the key.
`,
		Bad:       goodName + goodDescription + `metadata: {"molthunt": {"requires": {"bins": ["jq"]}}}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 41 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "vendor-not-mapping",
		Title: "key under metadata that holds no block",
		Doc: `
The fields are looked for in a mapping under matrix, openclaw or nexus. There is text, a
list, a number or a boolean instead, from which nothing is read.
`,
		Bad:       goodName + goodDescription + `metadata: {"openclaw": true, "execution_mode": "prompt", "category_name": "operations"}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 1 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "conflicting-vendor-blocks",
		Title: "two blocks under metadata that differ",
		Doc: `
The first of matrix, openclaw and nexus is read, and what another block says is not: often
one has the requirements and the other the recipes. Merge them, or make them equal.
`,
		Bad:       vendorText(`}, "openclaw": {"requires": {"bins": ["jq"]}`),
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 21 of 72 published skills with two blocks",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "top-level-requires",
		Title: "requires outside metadata",
		Doc: `
requires belongs into the block under metadata. At the top level it is read here, but
by the page it does not exist, and the skill is offered where it cannot run.
`,
		Bad:       goodHeader + "requires: {bins: [kubectl]}\n",
		Good:      vendorText(`, "requires": {"env": ["DEPLOY_TARGET"]}`),
		Source:    "skill-format page, section requires; 210 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "requirement-unclear",
		Title: "requirement that was guessed",
		Doc: `
An entry of requires has a form that is not documented, such as "a|b" among bins. The
message says how it was read, or that it could not be. Each entry is one plain name:
alternatives belong to any_bins, remarks to the body.
`,
		Bad:       vendorText(`, "requires": {"bins": ["kubectl|oc"]}`),
		Good:      vendorText(`, "requires": {"env": ["DEPLOY_TARGET"]}`),
		Source:    "skill-format page, section requires; about 75 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "unknown-requirement",
		Title: "kind of requirement that is not known",
		Doc: `
Of the kinds in requires, bins, any_bins, env, config and python_packages are documented. What
stands under another is checked by nobody, so the skill is called ready without it.
`,
		Bad:       vendorText(`, "requires": {"network": ["api.example.com"]}`),
		Good:      vendorText(`, "requires": {"env": ["DEPLOY_TARGET"]}`),
		Source:    "skill-format page, section requires",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "install-shape",
		Title: "recipes in a form that is not documented",
		Doc: `
install and uninstall are lists of mappings, one a recipe. Other forms were read as the
message says, and are not read by others; text is only shown, never run.
`,
		Bad:       vendorText(`, "install": {"brew": "kubectl"}`),
		Good:      goodHeader,
		Source:    "skill-format page, section install / uninstall; 88 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "unknown-install-kind",
		Title: "installer that is not known",
		Doc: `
kind names the installer of a recipe: brew, pip, apt, npm, go, uv or download, and shell
to uninstall. A recipe of another kind is passed over, and the user told to install by hand.
`,
		Bad:       vendorText(`, "install": [{"id": "x", "kind": "portage", "package": "kubectl", "bins": ["kubectl"], "label": "Install kubectl"}]`),
		Good:      goodHeader,
		Source:    "skill-format page, section install / uninstall; 816 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "install-no-kind",
		Title: "recipe without a kind",
		Doc: `
kind says which installer runs a recipe. Without it the recipe is passed over, and the user
told to install by hand.
`,
		Bad:       vendorText(`, "install": [{"id": "x", "package": "kubectl", "bins": ["kubectl"], "label": "Install kubectl"}]`),
		Good:      goodHeader,
		Source:    "skill-format page, section install / uninstall; 8 of 20,982 published skills",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
}
