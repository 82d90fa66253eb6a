package check

import (
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// requiresRules look at the names under requires. What cannot be read as a
// name at all is for the parser to tell.
var requiresRules = []*Rule{
	{
		ID:    "primary-env-not-required",
		Title: "primary_env is not in requires.env",
		Doc: `
primary_env is the variable that onboarding asks for. Unless requires.env names
it too, the skill counts as ready without it, and fails when it is used. Add it
to requires.env, or to optional_env if the skill can do without.
`,
		Bad:      vendorText(`, "primary_env": "DEPLOY_TOKEN"`),
		Good:     vendorText(`, "primary_env": "DEPLOY_TOKEN", "requires": {"env": ["DEPLOY_TOKEN"]}`),
		Source:   "skill-format page, sections Recognized fields and requires; 212 of 1,563 published skills with a primary_env",
		Severity: metadata.Warning,
		// OpenClaw has no optional_env to say that the variable may be missing.
		SeverityIn: map[Profile]metadata.Severity{OpenClaw: metadata.Info},
		Profiles:   vendorProfiles,
		Run: func(p *Pass) {
			m := &p.Doc.Manifest
			known := slices.Concat(m.Requires.Env, m.Requires.OptionalEnv)
			if m.PrimaryEnv == "" || m.RequiresUnknown || slices.ContainsFunc(known, func(q metadata.Requirement) bool { return q.Name == m.PrimaryEnv }) {
				return
			}
			if f, ok := p.Doc.Vendor("primary_env"); ok {
				p.Reportf(f.Pos, "primary_env %s is not in requires.env", short(m.PrimaryEnv))
			}
		},
	},
	{
		ID:    "env-name-invalid",
		Title: "name that no environment variable should have",
		Doc: `
Names of environment variables are upper-case letters, digits and underscores,
and do not start with a digit. Others cannot be set in every shell, or are not
what the program reads. Write the name as the program's documentation does.
`,
		Bad:      vendorText(`, "requires": {"env": ["deploy-token"]}`),
		Good:     vendorText(`, "requires": {"env": ["DEPLOY_TOKEN"]}`),
		Source:   "POSIX.1-2024, XBD section 8.1",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachEnv(p, func(name string, pos metadata.Position) {
				if !envName(name) {
					like := ""
					if up := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(name)); envName(up) {
						like = ", as in " + up
					}
					p.Reportf(pos, "%s is not the name of an environment variable: want upper-case letters, digits and underscores%s", short(name), like)
				}
			})
		},
	},
	{
		ID:    "env-reserved",
		Title: "environment variable that no skill is given",
		Doc: `
Variables of the dynamic loader (LD_*, DYLD_*) decide what code runs in any
program, and PATH which programs are found. The configuration of a skill cannot
set them, so that asking for one is in vain. Name the programs in requires.bins
instead.
`,
		Bad:      vendorText(`, "requires": {"env": ["LD_PRELOAD"]}`),
		Good:     vendorText(`, "requires": {"env": ["DEPLOY_TOKEN"]}`),
		Source:   "ld.so(8), dyld(1); OpenClaw 2026.9.6 blocks the same variables",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachEnv(p, func(name string, pos metadata.Position) {
				if requires.Reserved(name) {
					p.Reportf(pos, "%s cannot be set for a skill", short(name))
				}
			})
		},
	},
	{
		ID:    "config-key-malformed",
		Title: "malformed key of the configuration",
		Doc: `
A requirement in config is a path into the configuration: names divided by
dots, as in github.host. With an empty name in it, nothing can be there, and the
requirement is never met.
`,
		Bad:      vendorText(`, "requires": {"config": ["github..host"]}`),
		Good:     vendorText(`, "requires": {"config": ["github.host"]}`),
		Source:   "skill-format page, section requires",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			q := &p.Doc.Manifest.Requires
			for _, r := range slices.Concat(q.Config, q.OptionalConfig) {
				if slices.Contains(strings.Split(r.Name, "."), "") || strings.ContainsAny(r.Name, `/\[]`) {
					p.Reportf(r.Pos, "%s is not a key of the configuration: want names divided by dots", short(r.Name))
				}
			}
		},
	},
	{
		ID:    "bin-name-invalid",
		Title: "required program that is not a plain name",
		Doc: `
Programs are looked for by name in the folders on PATH. A path, a drive or a
name with other signs in it is never found, so that the skill is never ready.
Write the file name of the program alone; scripts of the skill need not be
required.
`,
		Bad:      vendorText(`, "requires": {"bins": ["./scripts/deploy.sh"]}`),
		Good:     vendorText(`, "requires": {"bins": ["bash"]}`),
		Source:   "skill-format page, section requires: executables that must be on PATH",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			q := &p.Doc.Manifest.Requires
			for _, r := range slices.Concat(q.Bins, q.AnyBins, q.OptionalBins) {
				if !plainBin(r.Name) {
					p.Reportf(r.Pos, "%s is not the plain name of a program, and never found", short(r.Name))
				}
			}
		},
	},
	{
		ID:    "python-requirement-invalid",
		Title: "Python package that is not a requirement",
		Doc: `
An entry of python_packages is the name of a distribution, perhaps with extras
and versions, as in "rich[jupyter]>=13". What PEP 508 does not allow is never
found and cannot be installed. Options and paths of pip do not belong here.
`,
		Bad:      vendorText(`, "requires": {"python_packages": ["requests=>2"]}`),
		Good:     vendorText(`, "requires": {"python_packages": ["requests>=2"]}`),
		Source:   "https://peps.python.org/pep-0508/",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			q := &p.Doc.Manifest.Requires
			for _, r := range slices.Concat(q.PythonPackages, q.OptionalPythonPackages) {
				if _, err := pydist.ParseRequirement(r.Name); err != nil {
					p.Reportf(r.Pos, "%s", clipReason(err.Error()))
				}
			}
		},
	},
}

// eachEnv calls f for each variable that the skill asks for, once.
func eachEnv(p *Pass, f func(name string, pos metadata.Position)) {
	q := &p.Doc.Manifest.Requires
	list := slices.Concat(q.Env, q.OptionalEnv)
	name := p.Doc.Manifest.PrimaryEnv
	if field, ok := p.Doc.Vendor("primary_env"); ok && name != "" && !slices.ContainsFunc(list, func(r metadata.Requirement) bool { return r.Name == name }) {
		list = append(list, metadata.Requirement{Name: name, Pos: field.Pos})
	}
	for _, r := range list {
		f(r.Name, r.Pos)
	}
}

// envName reports whether s is written as environment variables are; those of
// proxies have always been in lower case.
func envName(s string) bool {
	switch s {
	case "http_proxy", "https_proxy", "no_proxy", "all_proxy", "ftp_proxy":
		return true
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'A' || 'Z' < c) && (c < '0' || '9' < c || i == 0) {
			return false
		}
	}
	return s != ""
}

// plainBin reports whether a program of that name can be on PATH.
func plainBin(name string) bool {
	return install.CheckRecipe(&metadata.Recipe{Bins: []string{name}}) == nil
}
