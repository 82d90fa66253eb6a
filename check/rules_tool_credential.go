package check

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// toolCredentialRules look at what a plugin asks of its host and its users.
var toolCredentialRules = []*Rule{
	{
		ID:    "credential-name",
		Title: "credential that is not in UPPER_SNAKE_CASE",
		Doc: `
The host gives a plugin its credentials by name, and on the desk the plugin reads environment variables of
the same names. Only one in capitals, digits and underscores is found in both, and in the table of providers
that fill it in. A credential without a name is never given.
`,
		Bad:      credentialExample(`{"name": "github-token", "description": "Made in the settings of your account."}`),
		Good:     credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account."}`),
		Source:   "executa-credentials page, section Declare credentials in the manifest",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachCredential(p, func(c *manifest.Credential) {
				switch {
				case c.Name == "":
					p.inPlugin(c.Pointer+"/name", "a credential has no name")
				case !upperSnake.MatchString(c.Name):
					p.inPlugin(c.Pointer+"/name", "the name of credential %s is not in UPPER_SNAKE_CASE", short(c.Name))
				}
			})
		},
	},
	{
		ID:    "credential-duplicate",
		Title: "two credentials of one name",
		Doc: `
A plugin is given one value for each name, so the second of two is a second field in the settings that
does nothing, and which of the descriptions is shown is chance. Remove one.
`,
		Bad:      credentialExample(`{"name": "GITHUB_TOKEN", "description": "To read."}, {"name": "GITHUB_TOKEN", "description": "To write."}`),
		Good:     credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account."}`),
		Source:   "executa-credentials page, section Declare credentials in the manifest",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			seen := map[string]bool{}
			eachCredential(p, func(c *manifest.Credential) {
				if c.Name != "" && seen[c.Name] {
					p.inPlugin(c.Pointer+"/name", "an earlier credential is called %s too", short(c.Name))
				}
				seen[c.Name] = true
			})
		},
	},
	{
		ID:    "credential-provider",
		Title: "credential that no provider fills in",
		Doc: `
A user who has connected Google, X, GitHub, Notion, Slack, OpenAI or Anthropic once need not do so again: the platform fills in
the names of its table, such as GMAIL_ACCESS_TOKEN. Any other has to be entered by hand for this plugin. That
is as it must be for other services; for one of these, use the name in the table.
`,
		Bad:      credentialExample(`{"name": "GITHUB_TOKN", "description": "Made in the settings of your account."}`),
		Good:     credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account."}`),
		Source:   "executa-authorization page, section Supported providers",
		Severity: metadata.Info,
		RunTool:  credentialProvider,
	},
	{
		ID:    "credential-description-missing",
		Title: "credential that does not say where it comes from",
		Doc: `
Users are asked for the value in a form. Without a description they do not know where to get it and with
which rights. Name the page, and the scopes that are needed.
`,
		Bad:      credentialExample(`{"name": "GITHUB_TOKEN"}`),
		Good:     credentialExample(`{"name": "GITHUB_TOKEN", "description": "GitHub, Settings, Developer settings: a token that may read issues."}`),
		Source:   "executa-authorization page, section Provide clear acquisition instructions",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachCredential(p, func(c *manifest.Credential) {
				if blank(c.Description) {
					p.inPlugin(c.Pointer+"/description", "credential %s does not say where to get it", short(c.Name))
				}
			})
		},
	},
	{
		ID:    "credential-default",
		Title: "default of a secret",
		Doc: `
A manifest is public, so a real secret in it is one that everybody has, and a sham one is sent to the service
in place of "not configured". Only a setting that is not sensitive has a use for a default.
`,
		Bad:      credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account.", "default": "enter it here"}`),
		Good:     credentialExample(`{"name": "NOTES_UNITS", "description": "metric or imperial.", "sensitive": false, "default": "metric"}`),
		Source:   "executa-credentials page, section Declare credentials in the manifest: only useful for non-sensitive options",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachCredential(p, func(c *manifest.Credential) {
				if c.Default != "" && c.Sensitive {
					p.inPlugin(c.Pointer+"/default", "credential %s is sensitive and has a default, which everybody can read", short(c.Name))
				}
			})
		},
	},
	{
		ID:    "credential-not-sensitive",
		Title: "secret that is not treated as one",
		Doc: `
With "sensitive": false the value is stored and shown in the clear. The name is that of a secret. Leave sensitive out,
which means true.
`,
		Bad:      credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account.", "sensitive": false}`),
		Good:     credentialExample(`{"name": "GITHUB_TOKEN", "description": "Made in the settings of your account."}`),
		Source:   "executa-authorization page, section Mark sensitive values",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachCredential(p, func(c *manifest.Credential) {
				if !c.Sensitive && asksForSecret(c.Name) {
					p.inPlugin(c.Pointer+"/sensitive", "credential %s is a secret by its name; leave out \"sensitive\": false", short(c.Name))
				}
			})
		},
	},
	{
		ID:    "credential-for-model",
		Title: "key of a model provider",
		Doc: `
A plugin that needs a language model can ask its host for one, by sampling: on the account the user has, without
any key. Declare host_capabilities with llm.sample in place of the credential, unless it is that provider's
own service which the plugin is about.
`,
		Bad:      credentialExample(`{"name": "OPENAI_API_KEY", "description": "Made at platform.openai.com."}`),
		Good:     pluginExample(exampleTool(""), ",\n  \"host_capabilities\": [\"llm.sample\"]"),
		Source:   "executa-authorization page, section Supported providers, tip",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachCredential(p, func(c *manifest.Credential) {
				if c.Name == "OPENAI_API_KEY" || c.Name == "ANTHROPIC_API_KEY" {
					p.inPlugin(c.Pointer+"/name", "with host_capabilities [\"llm.sample\"] the host gives the plugin a model, without %s", c.Name)
				}
			})
		},
	},
	{
		ID:    "host-capability-unknown",
		Title: "host capability that does not exist",
		Doc: `
The platform refuses to publish a manifest with a capability that it does not know, and a host grants none: each
call to it fails. The names are those of permissions, such as host.upload, and not those of methods.
`,
		Bad:      pluginExample(exampleTool(""), ",\n  \"host_capabilities\": [\"host.uploadFile\"]"),
		Good:     pluginExample(exampleTool(""), ",\n  \"host_capabilities\": [\"host.upload\"]"),
		Source:   "executa-pitfalls page, section 9a; executa-storage page, section Three pre-conditions",
		Severity: metadata.Error,
		RunTool:  hostCapability,
	},
}

var upperSnake = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// eachCredential calls f for each credential of the plugin.
func eachCredential(p *Pass, f func(*manifest.Credential)) {
	if p.Tool.Plugin == nil {
		return
	}
	for i := range p.Tool.Plugin.Credentials {
		f(&p.Tool.Plugin.Credentials[i])
	}
}

func credentialProvider(p *Pass) {
	var known []string
	for _, v := range manifest.Providers() {
		for name := range v.Mapping {
			known = append(known, name)
		}
	}
	eachCredential(p, func(c *manifest.Credential) {
		if !upperSnake.MatchString(c.Name) || !c.Sensitive || slices.Contains(known, c.Name) {
			return
		}
		hint := ""
		if near := closest.Names(c.Name, known); len(near) > 0 {
			hint = "; " + near[0] + " is filled in by the platform"
		}
		p.inPlugin(c.Pointer+"/name", "users have to enter %s by hand%s", short(c.Name), hint)
	})
}

// capabilityFor has what is meant by names that are often written.
var capabilityFor = map[string]string{
	"host.uploadFile": "host.upload", "storage.user": "aps.kv", "storage.app": "aps.kv", "storage.tool": "aps.kv",
	"storage": "aps.kv", "files": "aps.files", "sampling": "llm.sample", "llm.agent": "llm.agent.auto",
	"image": "llm.image", "image.edit": "llm.image.edit", "embeddings": "llm.embed", "upload": "host.upload",
}

func hostCapability(p *Pass) {
	if p.Tool.Plugin == nil {
		return
	}
	known := manifest.Capabilities()
	for i, name := range p.Tool.Plugin.HostCapabilities {
		at := "/host_capabilities/" + strconv.Itoa(i)
		if slices.Contains(known, name) || odd(&p.Tool.Plugin.Document, at) {
			continue
		}
		hint := meant(name, known)
		if m := capabilityFor[name]; m != "" {
			hint = "; did you mean " + m + "?"
		}
		p.inPlugin(at, "no host capability is called %s%s", short(name), hint)
	}
}
