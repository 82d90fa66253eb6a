package manifest

// Capabilities returns the values that host_capabilities may have, sorted:
// what a plugin may ask of its host. The aps.scope ones are for apps, but
// publishing accepts them here too.
func Capabilities() []string {
	return []string{
		"aps.files", "aps.kv",
		"aps.scope.admin",
		"aps.scope.app.read", "aps.scope.app.write",
		"aps.scope.tool.read", "aps.scope.tool.write",
		"aps.scope.user.read", "aps.scope.user.write",
		"host.upload",
		"llm.agent.auto", "llm.embed", "llm.image", "llm.image.edit", "llm.sample",
	}
}
