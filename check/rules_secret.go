package check

import (
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// secretRules look for credentials in the texts of a folder. No message holds one, and
// [Redact] hides them in what is shown of a file.
//
// A key that its form gives away is an error: once published it is anybody's,
// and nothing else that a skill can do wrong costs its author as much. What only its
// name or its place makes a secret is a warning.
var secretRules = []*Rule{
	{
		ID:    "secret",
		Title: "key or token of a service",
		Doc: `
The text holds what has the exact form of a key: of AWS, GitHub, GitLab, Slack, Stripe,
Google, OpenAI, Anthropic, npm, PyPI, Telegram and others, or a private key in
PEM. Whoever can read the skill can use it, and programs search published files for
these within minutes. Revoke it, since deleting the line doesn't take it back; then name an
environment variable in "requires.env" and "primary_env" instead. A stand-in such as
"sk-..." or "YOUR_API_KEY" is no secret, nor is one that repeats or counts up.
`,
		Bad:       exampleBody("Send `X-Api-Key: " + "sk-or-" + "v1-" + strings.Repeat("3f9a0c71d4e85b26", 4) + "` with each request."),
		Good:      exampleBody("Send `X-Api-Key: $OPENROUTER_API_KEY` with each request."),
		Source:    "publish page, section 1; 25 of 20,982 published skills hold a key of a form that can be told",
		Severity:  metadata.Error,
		RunFolder: scanned,
	},
	{
		ID:    "secret-suspected",
		Title: "value that may be a secret",
		Doc: `
A random value is set to a name such as "api_key" or "password", an address holds a password,
or the text holds a JSON Web Token. If it is real, revoke it and read it
from an environment variable; if it is not, make that plain with a value such as
"your-key" or "<token>".
`,
		Bad:       exampleBody("Set `password = \"" + "q7Zp4v" + "Lm2Xt9wR3k" + "\"` in the file."),
		Good:      exampleBody("Set `password = \"<your password>\"` in the file."),
		Source:    "201 of 20,982 published skills set a value to such a name, 5 in the frontmatter; 575 hold plain stand-ins",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
}
