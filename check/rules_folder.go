package check

import (
	"github.com/matrix-nexus/skillkit/metadata"
)

// folderRules look at the names and sizes of the files of a folder.
var folderRules = []*Rule{
	{
		ID:    "folder-too-large",
		Title: "folder that is too large",
		Doc: `
The files of the folder have more than 8 MiB together, or than max_folder_size in the configuration.
Each client that installs the skill fetches all of it. Leave out what can be fetched when it is needed. For
the profile openclaw, whose limit is higher, this is a warning.
`,
		Bad:        "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[4 MiB of text]\n-- deploy/b.csv --\n[4 MiB of text]\n",
		Good:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[4 MiB of text]\n",
		Source:     "the limit of hosts that take skills as uploads; support files of published skills have 60 KB at the 90th percentile, 5.5 MB at most",
		Severity:   metadata.Error,
		SeverityIn: map[Profile]metadata.Severity{OpenClaw: metadata.Warning},
		RunFolder:  folderTooLarge,
	},
	{
		ID:    "file-large",
		Title: "large file",
		Doc: `
A file has more than 5 MiB. Each client that installs the skill fetches it, and a model cannot
read it at once. Make it smaller, or fetch it when it is needed.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[6 MiB of text]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[4 MiB of text]\n",
		Source:    "all support files of a published skill together have 2.1 MB at the 99.9th percentile",
		Severity:  metadata.Info,
		RunFolder: fileLarge,
	},
	{
		ID:    "publish-file-too-large",
		Title: "file that the registry refuses",
		Doc: `
ClawHub refuses a file of more than 10 MiB. Make it smaller, or fetch it when it is needed.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[11 MiB of text]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[4 MiB of text]\n",
		Source:    "ClawHub's validation of what is published",
		Severity:  metadata.Error,
		Profiles:  []Profile{OpenClaw},
		RunFolder: publishFileTooLarge,
	},
	{
		ID:    "publish-too-large",
		Title: "folder that the registry refuses",
		Doc: `
ClawHub refuses a skill whose files have more than 50 MiB together. Leave out what can be fetched when
it is needed.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[51 MiB of text]\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/a.csv --\n[4 MiB of text]\n",
		Source:    "ClawHub's validation of what is published",
		Severity:  metadata.Error,
		Profiles:  []Profile{OpenClaw},
		RunFolder: publishTooLarge,
	},
	{
		ID:    "reserved-file",
		Title: "file that the registry makes itself",
		Doc: `
ClawHub writes a skill-card.md for each skill and refuses one that comes with it. Rename or remove it.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/skill-card.md --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/card.md --\nx\n",
		Source:    "ClawHub's validation of what is published",
		Severity:  metadata.Error,
		Profiles:  []Profile{OpenClaw},
		RunFolder: reservedFile,
	},
	{
		ID:    "many-files",
		Title: "many files",
		Doc: `
The folder holds more than 100 files. Nobody reviews so many, and some clients list only the first. Leave
out tests, build results and samples that the skill does not use.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/data/[1-100].csv --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/data/[1-99].csv --\nx\n",
		Source:    "published skills have 43 support files at the 99th percentile",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
	{
		ID:    "file-name-unportable",
		Title: "name that some systems refuse",
		Doc: `
Windows refuses the characters \ < > : " | ? *, names such as con and aux, and a dot or blank at the end;
registries refuse control characters and what is not UTF-8. The skill cannot be unpacked
there. Use letters, digits, dots and hyphens.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/notes: draft.txt --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/notes-draft.txt --\nx\n",
		Source:    "Windows, Naming Files, Paths, and Namespaces; the longest path in 20,982 published skills has 118 characters",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "file-name-collision",
		Title: "names that are the same elsewhere",
		Doc: `
Two names differ by upper and lower case alone, or by how an accent is written. macOS and Windows take
them for one, so one file overwrites the other. Rename one.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/Notes.txt --\nx\n-- deploy/notes.txt --\ny\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/notes.txt --\nx\n-- deploy/draft.txt --\ny\n",
		Source:    "UAX #15 (normalisation); 51 pairs of names in 20,982 published skills differ by case alone",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "file-name-blank",
		Title: "blank in a name",
		Doc: `
A name with a blank needs quotes in each command and %20 in each link, and a model forgets them. Use a
hyphen or an underscore.
`,
		Bad:       "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/my notes.txt --\nx\n",
		Good:      "-- deploy/SKILL.md --\n" + exampleBody("Deploy.") + "-- deploy/my-notes.txt --\nx\n",
		Source:    "4 folders in 20,982 published skills",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
}

// reservedFile reports what the registry writes.
func reservedFile(p *Pass) {
	for _, f := range p.Files {
		if f.Name == "skill-card.md" {
			p.ReportFilef(f.Name, metadata.Position{}, "the registry writes this file itself and refuses yours; rename it")
		}
	}
}

// Limits on sizes, in bytes.
const (
	largeFile     = 5 << 20
	publishFile   = 10 << 20
	publishFolder = 50 << 20
)

// size returns the size in bytes of all files together.
func (f *Folder) size() (n int64) {
	for _, file := range f.Files {
		if file.Mode.IsRegular() {
			n += file.Size
		}
	}
	return n
}

func folderTooLarge(p *Pass) {
	n := p.size()
	if p.Options.Profile == OpenClaw && n > publishFolder {
		return // publish-too-large
	}
	if n > p.Options.MaxFolder {
		p.ReportFilef(".", metadata.Position{}, "the files have %d bytes together, more than %d; leave out what can be fetched when it is needed", n, p.Options.MaxFolder)
	}
}

func publishTooLarge(p *Pass) {
	if n := p.size(); n > publishFolder {
		p.ReportFilef(".", metadata.Position{}, "the files have %d bytes together, and %d are accepted; leave out what can be fetched when it is needed", n, int64(publishFolder))
	}
}

func fileLarge(p *Pass) {
	for _, f := range p.Files {
		if f.Mode.IsRegular() && f.Size > largeFile && (p.Options.Profile != OpenClaw || f.Size <= publishFile) {
			p.ReportFilef(f.Name, metadata.Position{}, "has %d bytes, and each client that installs the skill fetches them; leave it out or make it smaller", f.Size)
		}
	}
}

func publishFileTooLarge(p *Pass) {
	for _, f := range p.Files {
		if f.Mode.IsRegular() && f.Size > publishFile {
			p.ReportFilef(f.Name, metadata.Position{}, "has %d bytes, and %d are accepted for one file", f.Size, int64(publishFile))
		}
	}
}
