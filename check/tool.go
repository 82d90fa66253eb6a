package check

// A Tool is an Executa Tool as rules see it.
type Tool struct{}
