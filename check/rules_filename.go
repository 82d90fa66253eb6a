package check

import (
	"path"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// filenameRules look at which files of a folder are a SKILL.md.
var filenameRules = []*Rule{
	{
		ID:    "file-name-case",
		Title: "SKILL.md in another spelling",
		Doc: `
The file of a skill is named SKILL.md, in capitals but for the suffix. Where case counts,
as on Linux, most readers do not find skill.md or Skill.md. Rename it.
`,
		Bad:       "-- deploy/skill.md --\n" + goodSkill,
		Good:      "-- deploy/SKILL.md --\n" + goodSkill,
		Source:    "skill-format page, introduction; 457 of 20,982 published skills have only another spelling",
		Severity:  metadata.Warning,
		RunFolder: fileNameCase,
	},
	{
		ID:    "file-name-conflict",
		Title: "SKILL.md in two spellings",
		Doc: `
The folder holds SKILL.md and another file whose name differs from it by case alone. SKILL.md is read here;
other readers take the other one, and where case does not count one overwrites
the other. Remove or rename the file that is not meant.
`,
		Bad:       "-- deploy/SKILL.md --\n" + goodSkill + "-- deploy/skill.md --\n# Notes\n",
		Good:      "-- deploy/SKILL.md --\n" + goodSkill + "-- deploy/notes.md --\n# Notes\n",
		Source:    "28 of 20,982 published skills have both, with different content",
		Severity:  metadata.Warning,
		RunFolder: fileNameConflict,
	},
	{
		ID:    "nested-skill",
		Title: "SKILL.md inside a skill",
		Doc: `
Loaders stop at the first SKILL.md on the way down, so one below it is never a skill of its
own; a loader that goes on would offer a sample or a test file to a model. Move a real skill out of
the folder, and give a document or a sample another name.
`,
		Bad:       "-- deploy/SKILL.md --\n" + goodSkill + "-- deploy/templates/SKILL.md --\n" + goodSkill,
		Good:      "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + strings.Replace(goodSkill, "name: deploy", "name: rollback", 1),
		Source:    "1,126 of 20,982 published SKILL.md lie inside another skill",
		Severity:  metadata.Info,
		RunFolder: nestedSkill,
	},
}

func fileNameCase(p *Pass) {
	if p.Manifest != "" && p.Manifest != skills.FileName {
		p.Reportf(metadata.Position{}, "the file should be named %s", skills.FileName)
	}
}

func fileNameConflict(p *Pass) {
	for _, f := range p.Files {
		if f.Name != p.Manifest && strings.EqualFold(f.Name, skills.FileName) {
			p.ReportFilef(f.Name, metadata.Position{}, "%s beside %s, which is read; remove or rename one of them", f.Name, p.Manifest)
		}
	}
}

func nestedSkill(p *Pass) {
	if p.Manifest == "" {
		return
	}
	for _, f := range p.Files {
		if dir, name := path.Split(f.Name); dir != "" && name == skills.FileName {
			p.ReportFilef(f.Name, metadata.Position{}, "a SKILL.md inside the skill %s is not found by loaders; move it out, or give it another name", path.Base(p.Name))
		}
	}
}
