package manifest

// AccessToken is the value in [Provider.Mapping] that stands for the access
// token of an OAuth provider.
const AccessToken = "$access_token"

// A Provider is a service to which a user is connected once, for all
// plugins.
type Provider struct {
	ID, Name string
	Auth     string // "oauth2" or "api_key"
	// Fields are the names of what the user enters; nil for OAuth.
	Fields []string
	// Mapping is from the names of credentials that plugins declare to a
	// field, or to [AccessToken].
	Mapping map[string]string
}

// Providers returns the providers of the platform, from the page on platform
// authorization; the IDs are ours. The slice is the caller's.
func Providers() []Provider {
	return []Provider{
		{ID: "google", Name: "Google", Auth: "oauth2", Mapping: map[string]string{
			"GOOGLE_ACCESS_TOKEN":        AccessToken,
			"GMAIL_ACCESS_TOKEN":         AccessToken,
			"GOOGLE_WORKSPACE_CLI_TOKEN": AccessToken,
			"GOOGLE_DOCS_ACCESS_TOKEN":   AccessToken,
			"GOOGLE_SHEETS_ACCESS_TOKEN": AccessToken,
		}},
		{ID: "twitter", Name: "X (Twitter)", Auth: "oauth2", Mapping: map[string]string{
			"TWITTER_ACCESS_TOKEN": AccessToken,
			"X_ACCESS_TOKEN":       AccessToken,
		}},
		apiKey("github", "GitHub", "GITHUB_TOKEN", "GITHUB_ACCESS_TOKEN"),
		apiKey("notion", "Notion", "NOTION_TOKEN", "NOTION_API_KEY"),
		apiKey("slack", "Slack", "SLACK_BOT_TOKEN", "SLACK_TOKEN"),
		apiKey("openai", "OpenAI", "OPENAI_API_KEY"),
		apiKey("anthropic", "Anthropic", "ANTHROPIC_API_KEY"),
	}
}

// apiKey returns a provider with one field, known by aliases too.
func apiKey(id, name, field string, aliases ...string) Provider {
	p := Provider{ID: id, Name: name, Auth: "api_key", Fields: []string{field}, Mapping: map[string]string{field: field}}
	for _, alias := range aliases {
		p.Mapping[alias] = field
	}
	return p
}
