// Package config reads the configuration file of skillkit: where skills are
// found, and what the operator says about single ones.
//
// # The file
//
// The file is YAML. All keys may be left out, and an empty file is a good one.
// A complete example:
//
//	# Folders that hold skills; the last one wins where two have a skill of one
//	# name. They take the place of the bundled skills.
//	roots:
//	  - ~/skills
//	  - /srv/skills
//	# Its folder "skills" is merged on top of the roots.
//	workspace: ~/work
//
//	skills:
//	  github: # the name of a skill, or its skill_key
//	    api_key: ghp_example # the value of the variable that primary_env names
//	    env:
//	      GH_HOST: github.example.com
//	      GH_DEBUG: 0123 # is the text "0123"
//	    config:
//	      github:
//	        host: github.example.com
//	      channels.discord.token: example # dots and nesting are the same
//	  chart-generator:
//	    enabled: false
//
// The keys under a skill are:
//
//   - enabled: true or false (also yes, no, on, off). A skill that is not
//     enabled is not offered to a model. The default is true.
//   - api_key: the value of the variable that the skill names as its
//     primary_env, unless env gives it one.
//   - env: variables that the skill's commands get in addition to, or in place
//     of, those of the host, and that no other skill gets. Numbers and booleans
//     are taken as the text that stands there. A name without a value leaves the
//     variable alone; "" empties it, and an empty variable counts as missing.
//     Variables for which [requires.Reserved] holds are refused.
//   - config: what the skill's requires.config asks for. Something is there if
//     its dotted path, or one that continues it, leads to a value other than
//     false, no, off, 0, null and an empty text, list or mapping.
//
// If there are entries for both the name and the skill_key of a skill, that of
// the key wins setting by setting, and either can disable the skill.
//
// Values are taken as they stand: neither $NAME nor a command in them is
// expanded. A value that starts with *, &, ! or another sign that means
// something in YAML must be quoted. Aliases and merge keys are not read.
//
// A fault costs the setting it is in, and is reported as a
// [metadata.Problem] with its position. Only a file that is not YAML is an
// error. Neither problems nor errors hold values, since those are secrets; nor
// does a [Config] or an [Entry] show them when it is printed or encoded.
//
// # Codes
//
//	config-unknown-key      not read
//	config-duplicate-key    the last of equal keys is read
//	config-wrong-type       not read
//	config-unquoted         a value that means something else in YAML; not read
//	config-refused-var      a variable that may not be set for a skill; not read
//	config-too-deep         not read
//	config-second-document  text after the first YAML document; not read
//	config-unknown-skill    there is no such skill; see [Config.UnknownSkills]
//	config-readable         a file with secrets that other users can read; it was read
package config
