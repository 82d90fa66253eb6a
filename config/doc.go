// Package config reads the configuration file of skillkit: where skills are
// found, how what they lack may be installed, what the operator says about
// single ones, and which plugins there are.
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
//	# Its folder "skills" is merged on top of the roots once it is trusted.
//	workspace: ~/work
//	# The only bundled skills to use. [] means none.
//	allow_bundled: [jq, curl]
//
//	# Folders to look for programs in besides those on PATH. What is found
//	# only here counts as missing, and doctor says what to put on PATH.
//	paths: [~/.local/bin, /opt/tools/bin]
//	# Interpreters and virtual environments whose Python packages count.
//	python: [/usr/bin/python3, ~/venv]
//
//	install:
//	  # The only things that may be installed: kinds of installers, with or without
//	  # a pattern for the package or URL. [] means nothing.
//	  allow: [apt, "npm:@example/*", "download:example.com/**"]
//	  prefer: [brew, uv] # the kinds to take first
//	  node_manager: npm # or pnpm, yarn, bun
//	  python_index: https://pypi.example.com/simple
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
//	plugins: # Executa Tools
//	  tool-acme-notes-k3v9: # the tool id by which the plugin is known
//	    dir: ~/plugins/notes # with an executa.json, or a project to run with uv
//	    env: {NOTES_DIR: /srv/notes}
//	  charts:
//	    command: [/opt/charts/bin/charts, --stdio] # in place of what dir says
//	    sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//	    timeout: 300 # seconds, for tools that do not say
//	    max_in_flight: 1
//	  old:
//	    dir: plugins/old
//	    enabled: false
//	    inherit_env: true # the whole environment, with the secrets in it
//	    lenient_result: true # take an answer without "success" for a good one
//	    compat_name: true # send the name of the tool as "name" too
//
//	providers: # services to connect to besides those that are built in
//	  acme:
//	    name: Acme
//	    auth_type: api_key # or oauth2
//	    fields: [ACME_KEY, ACME_SECRET] # what the user enters
//	    credential_mapping: # the names that plugins declare
//	      ACME_KEY: ACME_KEY
//	      ACME_API_KEY: ACME_KEY
//	      ACME_SECRET: ACME_SECRET
//	  example-mail:
//	    auth_type: oauth2
//	    credential_mapping: {EXAMPLE_MAIL_TOKEN: $access_token}
//
// A path may start with "~", the home folder of the user; a relative one is
// taken from the folder of the file.
//
// The keys under install are:
//
//   - allow: what may be installed. An entry is a kind of recipe (brew, apt, pip,
//     uv, npm, go, download, shell, pipx, cargo, gem, dnf, choco, winget, or an
//     alias such as node), which allows all of it, or a kind, a colon and a
//     pattern: for download that of the URL without "https://", else of the
//     package. In a pattern * is any text without a slash, ** any text, {a,b}
//     one of them. Quote it. Without this key everything is allowed.
//   - prefer: the kinds to take first where a skill offers several.
//   - node_manager: what installs packages for Node: npm, pnpm, yarn or bun.
//   - python_index: where pip and uv get packages: an https URL, or an http one
//     of this machine. It must not hold a password, since it is shown; pip and
//     uv take that from ~/.netrc.
//
// A list that limits something (allow, allow_bundled) is never widened by a
// fault: a bad entry is left out, and what is no list counts as an empty one.
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
// The keys under a plugin, of which it needs dir or command, are:
//
//   - dir: its folder: one with an executa.json, which says how it is started, or
//     a project to run with uv.
//   - command: the program with its arguments, in place of what the folder says.
//     The program is looked up on PATH unless it holds a separator: then it is a
//     path, relative to dir or, without that, to the folder of this file.
//   - env: as under a skill, on top of the few variables that plugins get. Secrets
//     are better kept with "skills auth".
//   - inherit_env: true gives it all variables of the host. The default is false.
//   - enabled: false leaves it out.
//   - max_in_flight: how many calls it works on at a time, from 1 to 1024.
//   - timeout: how many seconds a call may take whose tool does not say, at most
//     86400.
//   - sha256: the digest that the program must have each time it is started.
//   - lenient_result, compat_name: true is for plugins that do not keep to the
//     protocol, as in the example.
//
// A fault in dir, command, enabled or sha256 costs the whole plugin, so that none
// is run that was not meant to be.
//
// The keys under a provider are:
//
//   - name: what people call it. The default is its id.
//   - auth_type: oauth2, or api_key for what the user enters.
//   - fields: the names of what the user enters; with api_key only.
//   - credential_mapping: from the names of credentials that plugins declare to a
//     field or, with oauth2, to $access_token.
//
// A provider with the id of one that is built in takes its place.
//
// If there are entries for both the name and the skill_key of a skill, that of
// the key wins setting by setting, and either can disable the skill.
//
// Values are taken as they stand: neither $NAME nor a command in them is
// expanded. A value that starts with *, &, ! or another sign that means
// something in YAML must be quoted. Aliases and merge keys are not read.
//
// [SetEnv] stores a variable of a skill and leaves the rest of the file as it
// is.
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
//	config-missing-key      what it is missing from is not read
//	config-wrong-type       not read
//	config-unknown-value    not one of the known values; not read
//	config-bad-pattern      not read
//	config-bad-url          not read
//	config-unquoted         a value that means something else in YAML; not read
//	config-refused-var      a variable that may not be set for a skill or a plugin; not read
//	config-too-deep         not read
//	config-second-document  text after the first YAML document; not read
//	config-unknown-skill    there is no such skill; see [Config.UnknownSkills]
//	config-readable         a file with secrets that other users can read; it was read
package config
