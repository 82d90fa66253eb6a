// Package requires says whether a skill can run here.
//
// [Check] compares what a manifest requires with an [Env] and does nothing
// else. [Host] is the Env of the machine: the folders on PATH, the Python
// packages, the environment of the skill's commands, and what the configuration
// says about the skill.
//
// One Host serves all skills, so that each folder is read once. Each skill is
// checked against its own view of it, since its variables are nobody else's:
//
//	host := requires.NewHost(&requires.Options{Lookup: os.LookupEnv})
//	for _, m := range manifests {
//		entry := cfg.Skill(m.Name, m.Key()) // a config.Entry
//		report := requires.Check(m, host.With(entry.Settings(m.PrimaryEnv)))
//		fmt.Println(m.Name, report.Readiness, report.Lacks())
//	}
//
// A skill for which [Report.Hidden] is not empty is not offered to a model. One
// that lacks something is, together with [Report.Lacks].
package requires
