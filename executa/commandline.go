package executa

// CommandLine returns the program, as an absolute path, and the arguments with
// which [Start] would run the plugin of spec. It starts nothing. The error, why it
// could not be started, is a [*StartError].
func CommandLine(spec Spec, opts *Options) ([]string, error) {
	if opts == nil {
		opts = &Options{}
	}
	c, err := resolve(&spec, opts)
	if err != nil {
		return nil, err
	}
	return c.argv, nil
}
