package metadata_test

var fieldTests = []caseTest{
	{"case 68 allowed-tools text", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: Bash(git:*) Bash(jq:*) Read\n---\n",
		`name: "demo"
description: "A demo."
allowed-tools: ["Bash(git:*)","Bash(jq:*)","Read"]
body: line 6, ""
`},
	{"case 68 allowed-tools list", "", "---\nname: demo\ndescription: A demo.\nallowed-tools:\n  - Bash(git:*)\n  - Read\n  -\n---\n",
		`name: "demo"
description: "A demo."
allowed-tools: ["Bash(git:*)","Read"]
body: line 9, ""
`},
	{"case 70 commas", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: Read, Bash(kubectl get:*)\n---\n",
		`name: "demo"
description: "A demo."
allowed-tools: ["Read","Bash(kubectl get:*)"]
body: line 6, ""
`},
	{"case 71 unbalanced", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: Read) Bash\n---\n",
		`name: "demo"
description: "A demo."
body: line 6, ""
error allowed-tools-unbalanced: demo/SKILL.md:4:16: parentheses in allowed-tools do not match
`},
	{"case 71 open", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: Bash(git:* Read\n---\n",
		`name: "demo"
description: "A demo."
body: line 6, ""
error allowed-tools-unbalanced: demo/SKILL.md:4:16: parentheses in allowed-tools do not match
`},
	{"case 71 reversed", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: [\"Bash)(git:*)\", Read]\n---\n",
		`name: "demo"
description: "A demo."
allowed-tools: ["Read"]
body: line 6, ""
error allowed-tools-unbalanced: demo/SKILL.md:4:17: parentheses in allowed-tools do not match
`},
	{"case 73 MCP tool", "", "---\nname: demo\ndescription: A demo.\nallowed-tools: mcp__server__tool\n---\n",
		`name: "demo"
description: "A demo."
allowed-tools: ["mcp__server__tool"]
body: line 6, ""
`},
	{"case 79 matrix first", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"nexus\":{\"emoji\":\"n\"},\"openclaw\":{\"emoji\":\"o\"},\"matrix\":{\"emoji\":\"m\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
emoji: "m"
body: line 6, ""
warning conflicting-vendor-blocks: demo/SKILL.md:4:12: nexus differs from matrix, which is read
warning conflicting-vendor-blocks: demo/SKILL.md:4:34: openclaw differs from matrix, which is read
`},
	{"case 79 openclaw before nexus", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"nexus\":{\"emoji\":\"o\"},\"openclaw\":{\"emoji\":\"o\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
emoji: "o"
body: line 6, ""
`},
	{"case 79 no vendor key", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"emoji\":\"x\",\"requires\":{\"bins\":[\"jq\"]},\"other\":1}\n---\n",
		`name: "demo"
description: "A demo."
emoji: "x"
bins: "jq" at 4:44
vendor extra: {"other":1}
body: line 6, ""
`},
	{"case 80 legacy key", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"clawdbot\":{\"requires\":{\"env\":[\"TOKEN\"]}},\"nanobot\":{\"emoji\":\"x\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "clawdbot"
env: "TOKEN" at 4:43
body: line 6, ""
info legacy-vendor-key: demo/SKILL.md:4:12: clawdbot is not a documented key under metadata; use matrix
warning conflicting-vendor-blocks: demo/SKILL.md:4:54: nanobot differs from clawdbot, which is read
`},
	{"case 88 null requires", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"requires\":null,\"os\":null,\"install\":null,\"parameters\":null}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
body: line 6, ""
`},
	{"case 88 null bins", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"requires\":{\"bins\":null,\"env\":[null,\"\",\" \"]}}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
body: line 6, ""
`},
	{"case 89 os in one text", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"os\":\"macos,linux\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
os: ["darwin","linux"]
body: line 6, ""
`},
	{"B49 os names", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"os\":[\"macos\",\"mac\",\"osx\",\"Darwin\",\"win32\",\"windows\",\"Windows 10+\",\"linux\",\"\",\"plan9x\"]}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
os: ["darwin","windows","linux","plan9x"]
body: line 6, ""
info os-alias: demo/SKILL.md:4:36: os "mac" is read as macos
info os-alias: demo/SKILL.md:4:42: os "osx" is read as macos
info os-alias: demo/SKILL.md:4:48: os "Darwin" is read as macos
info os-alias: demo/SKILL.md:4:57: os "win32" is read as windows
info os-alias: demo/SKILL.md:4:75: os "Windows 10+" is read as windows
warning unknown-os: demo/SKILL.md:4:100: os "plan9x" is not known; want macos, linux or windows
`},
	{"B49 any os", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"os\":[\"linux\",\"all\"]}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
body: line 6, ""
info os-alias: demo/SKILL.md:4:36: os "all" is read as any system
`},
	{"B49 os mapping", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"matrix\":{\"os\":{\"linux\":true}}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
requires unknown: true
body: line 6, ""
warning wrong-type: demo/SKILL.md:4:27: os is a mapping; want a list
`},
	{"B51 nested YAML", "", "---\nname: demo\ndescription: A demo.\nmetadata:\n  matrix:\n    requires:\n      bins: [jq]\n      any_bins:\n        - a\n        - b\n---\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
bins: "jq" at 7:14
any_bins: "a" at 9:11
any_bins: "b" at 10:11
body: line 12, ""
`},
	{"B51 requires at the top level", "", "---\nname: demo\ndescription: A demo.\nrequires:\n  bins: [jq]\nmetadata: {\"openclaw\":{\"emoji\":\"x\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
emoji: "x"
bins: "jq" at 5:10
body: line 8, ""
warning top-level-requires: demo/SKILL.md:4:1: requires stands at the top level; put it under metadata
`},
	{"requires at the top level and in the block", "", "---\nname: demo\ndescription: A demo.\nrequires:\n  bins: [rg]\nmetadata: {\"openclaw\":{\"requires\":{\"bins\":[\"jq\"]}}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
bins: "jq" at 6:44
body: line 8, ""
warning top-level-requires: demo/SKILL.md:4:1: requires at the top level is not read, since the block under metadata has its own; merge them there
`},
	{"B51 requires beside the block", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"openclaw\":{\"emoji\":\"x\"},\"requires\":{\"bins\":[\"jq\"]}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
emoji: "x"
bins: "jq" at 4:57
body: line 6, ""
warning misplaced-field: demo/SKILL.md:4:37: requires stands outside the block under metadata; put it there
`},
	{"B51 unknown vendor key", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"4claw\":{\"requires\":{\"bins\":[\"jq\"]}}}\n---\n",
		`name: "demo"
description: "A demo."
requires unknown: true
vendor extra: {"4claw":{"requires":{"bins":["jq"]}}}
body: line 6, ""
warning unknown-vendor-key: demo/SKILL.md:4:12: 4claw is not a known key under metadata, it is not read; use matrix
`},
	{"B51 vendor block at the top level", "", "---\nname: demo\ndescription: A demo.\nopenclaw: {\"requires\":{\"bins\":[\"jq\"]}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
bins: "jq" at 4:32
body: line 6, ""
warning misplaced-field: demo/SKILL.md:4:1: openclaw stands at the top level; put it under metadata
`},
	{"B51 vendor block as JSON text", "", "---\nname: demo\ndescription: A demo.\nmetadata:\n  openclaw: '{\"requires\":{\"bins\":[\"jq\"]}}'\n---\n",
		`name: "demo"
description: "A demo."
vendor: "openclaw"
bins: "jq" at 5:35
body: line 7, ""
`},
	{"B51 vendor block is true", "", "---\nname: demo\ndescription: A demo.\nmetadata: {\"openclaw\":true,\"nexus\":{\"emoji\":\"n\"}}\n---\n",
		`name: "demo"
description: "A demo."
vendor: "nexus"
emoji: "n"
body: line 6, ""
warning vendor-not-mapping: demo/SKILL.md:4:23: openclaw is a boolean; want a mapping
`},
	{"B51 metadata is a list", "", "---\nname: demo\ndescription: A demo.\nmetadata: [1]\n---\n",
		`name: "demo"
description: "A demo."
requires unknown: true
body: line 6, ""
warning metadata-unreadable: demo/SKILL.md:4:11: metadata cannot be read, requirements are unknown: it is a list; want a mapping
`},
	{"B51 empty metadata", "", "---\nname: demo\ndescription: A demo.\nmetadata: {}\n---\n",
		`name: "demo"
description: "A demo."
body: line 6, ""
`},
	{"B51 null metadata", "", "---\nname: demo\ndescription: A demo.\nmetadata:\n---\n",
		`name: "demo"
description: "A demo."
body: line 6, ""
`},
}
