package check

import "github.com/matrix-nexus/skillkit/metadata"

// packageRules look at the files of a folder: keys, programs, archives, what
// other programs left behind, and links.
var packageRules = []*Rule{
	{
		ID:    "env-file",
		Title: "file of settings with keys",
		Doc: `
A .env file holds the settings of one machine, most often with keys. "skills pack" leaves it
out; other ways to publish take the whole folder. Move it elsewhere, name what is needed in
"requires.env", and ship a .env.example with stand-ins if that helps.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Set `DEPLOY_HOST`.") + "-- deploy/.env --\nDEPLOY_HOST=staging\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Set `DEPLOY_HOST`.") + "-- deploy/.env.example --\nDEPLOY_HOST=staging\n",
		Source:    "publish page, section 1; 19 of 20,982 published skills ship one",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "credential-file",
		Title: "file with keys",
		Doc: `
A file that holds keys by its name or content, such as id_rsa, .netrc with a password or a
store of keys, goes wherever the folder goes. Move it elsewhere, and revoke what is in it if it
was published. A key in a text that its form gives away is reported by secret instead.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Log in to `ci.acme.io`.") + "-- deploy/.netrc --\nmachine ci.acme.io login bot password q7Zp4vLm\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Log in to `ci.acme.io`.") + "-- deploy/.netrc --\nmachine ci.acme.io login bot password $CI_PASSWORD\n",
		Source:    "publish page, section 1; CWE-538",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "executable-file",
		Title: "compiled program",
		Doc: `
A program for Linux, macOS or Windows runs on one system only, and neither a reviewer
nor a model can see what it does. One that is named as an image or a text is meant to be overlooked.
Ship the source, or name the program in "requires.bins" with a recipe in "install".
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Run `bin/deploy`.") + "-- deploy/bin/deploy --\n[ELF program]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Run `bin/deploy`.") + "-- deploy/bin/deploy --\n#!/bin/sh\necho deployed\n",
		Source:    "publish page, section 1: what a reviewer looks for",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "file-type-mismatch",
		Title: "file that is not what its name says",
		Doc: `
The first bytes of the file are not those of the kind that its name promises: a program that reads it
fails, and content can be hidden so. Often an error page was saved in place of an image.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Show the logo.") + "-- deploy/logo.png --\n<html>404</html>\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Show the logo.") + "-- deploy/logo.png --\n[PNG image]\n",
		Source:    "the signatures in the specifications of the formats",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "archive-file",
		Title: "archive in the folder",
		Doc: `
What is in an archive is seen by no reviewer, no search and no model before it is
unpacked. Ship the files themselves; a skill is packed anyway when it is published.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Unpack the data.") + "-- deploy/data.zip --\n[zip of hosts.csv]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Read the data.") + "-- deploy/data/hosts.csv --\nname\n",
		Source:    "publish page, section 1: what a reviewer looks for",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
	{
		ID:    "archive-content",
		Title: "program or archive in an archive",
		Doc: `
An archive holds a compiled program or a further archive, so it takes two steps
to see what it does. Ship the source, or name the program in "install".
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Unpack the tools.") + "-- deploy/tools.zip --\n[zip of deploy ELF program]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Unpack the tools.") + "-- deploy/tools.zip --\n[zip of deploy.sh]\n",
		Source:    "MITRE ATT&CK T1027.002",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "archive-unsafe",
		Title: "archive that an unpacker refuses",
		Doc: `
An entry of the archive leads outside of the folder it is unpacked to or is a link, or it
unpacks to far more than it has, or cannot be looked into at all. A
careful unpacker refuses it, and another one overwrites files of the user. Make the archive again.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Unpack the data.") + "-- deploy/data.zip --\n[zip of ../../.bashrc]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Unpack the data.") + "-- deploy/data.zip --\n[zip of hosts.csv]\n",
		Source:    "CWE-22, CWE-59 and CWE-409",
		Severity:  metadata.Error,
		RunFolder: scanned,
	},
	{
		ID:    "bytecode-without-source",
		Title: "compiled Python without source",
		Doc: `
A .pyc file is run by Python, yet nobody can read it, and it fits one version only.
Ship the .py file it was made from.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Run `scripts/run.pyc`.") + "-- deploy/scripts/run.pyc --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Run `scripts/run.py`.") + "-- deploy/scripts/run.py --\nprint()\n",
		Source:    "MITRE ATT&CK T1027",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "dependency-folder",
		Title: "installed packages in the folder",
		Doc: `
A node_modules folder or a virtual environment was made for one machine: it is large, fits
no other system, and its files count as those of the skill. Remove it, and list the packages in
"install" or in a package.json or requirements.txt.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Run `run.js`.") + "-- deploy/node_modules/left-pad/index.js --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Run `run.js`.") + "-- deploy/package.json --\n{}\n",
		Source:    "2 of 20,982 published skills ship node_modules, 5 a virtual environment",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "junk-file",
		Title: "file that a program left behind",
		Doc: `
A system, an editor or an interpreter made this file, and the skill does not need it. It may hold
older text that was meant to go. Remove it and add it to .gitignore.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/.DS_Store --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/.gitignore --\n.DS_Store\n",
		Source:    "registries drop such files when a skill is published",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
	{
		ID:    "hidden-file",
		Title: "hidden file or folder",
		Doc: `
A name that starts with a dot is left out of most listings, so a reviewer misses it, and packing leaves it
out. Rename what the skill needs and remove the rest. Files such as
.gitignore and .editorconfig are fine.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/.helpers/run.sh --\necho\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/scripts/run.sh --\necho\n",
		Source:    "46 of 20,982 published skills ship .clawhub, 17 .claude",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
	{
		ID:    "symlink",
		Title: "symbolic link",
		Doc: `
Zip files, Windows and registries do not keep links, so the file is missing where the skill is
installed. Put the file itself there.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.txt --\na\n-- deploy/b.txt -> a.txt --\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.txt --\na\n",
		Source:    "none in 20,982 published skills",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
	{
		ID:    "symlink-outside",
		Title: "link that leaves the folder",
		Doc: `
A link leads out of the folder of the skill. Packing follows it and publishes a file of your machine, or
keeps it, and then the skill reads a file of each user. Put the file itself there.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/hosts -> /etc/hosts --\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/hosts --\na\n",
		Source:    "CWE-59 and CWE-61",
		Severity:  metadata.Error,
		RunFolder: scanned,
	},
	{
		ID:    "symlink-broken",
		Title: "link to nothing",
		Doc: `
A link leads to a file that is not there, or in a circle. Remove it, or put the file itself there.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/hosts -> data/hosts --\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/hosts --\na\n",
		Source:    "POSIX.1-2024, section 4.16: pathname resolution",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "special-file",
		Title: "neither file, folder nor link",
		Doc: `
A pipe, a socket or a device cannot be published, and a program that reads all files of the
folder may wait on it for ever. Remove it.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/queue --\n[pipe]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/queue.txt --\na\n",
		Source:    "POSIX.1-2024, section 3.149: file",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "text-not-utf8",
		Title: "text that is not UTF-8",
		Doc: `
The file is a text by its name, and is in another encoding, such as Latin-1 or UTF-16. A
model and most tools get wrong characters or refuse it. Save it as UTF-8.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/notes.txt --\nCaf\xe9\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/notes.txt --\nCafé\n",
		Source:    "RFC 8259, section 8.1; CommonMark 0.31.2, section 2.1",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
}
