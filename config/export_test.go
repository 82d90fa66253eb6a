package config

// The parts of [SetEnv] that touch no file.
var (
	CheckEnv   = checkEnv
	SetEnvText = setEnv
)

// A SkillDump is all that is known of a skill, secrets too.
type SkillDump struct {
	Disabled bool
	APIKey   string
	Env      map[string]string
	Paths    map[string]bool
}

// Dump returns what c holds for each skill.
func (c *Config) Dump() map[string]SkillDump {
	dump := make(map[string]SkillDump)
	for name, s := range c.skills {
		d := SkillDump{Disabled: s.disabled, Env: make(map[string]string), Paths: s.paths}
		if s.apiKey != nil {
			d.APIKey = s.apiKey()
		}
		for name, value := range s.env {
			d.Env[name] = value()
		}
		dump[name] = d
	}
	return dump
}
