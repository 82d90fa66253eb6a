// Package install gets what skills require and this machine lacks.
//
// [NewPlan] picks one recipe for each missing requirement and says what would
// run, with the reason for each choice and for each recipe passed over. It runs
// nothing and touches nothing:
//
//	plan := install.NewPlan(targets, opts)
//	outcomes, err := install.Run(ctx, plan, opts)
//
// [Run] runs the steps, checks afterwards that what was missing is there, and
// keeps a [Receipt] of each, from which [NewRemoval] plans the way back.
//
// All text of a recipe is untrusted. Nothing goes through a shell unless
// [Options.AllowShell] is set; names are checked for each kind of installer, so
// that they are packages of its index and nothing else; a download writes below
// [Options.State] and nowhere else. What a package manager runs when it installs
// a package is its own affair: [Options.Allow] limits what it is asked for.
//
// # Folders
//
// Below Options.State, all made when needed:
//
//	bin/       programs that no folder on PATH could take; put it on PATH
//	tools/     what was downloaded, a folder for each skill
//	npm/       the prefix for npm where the global one cannot be written
//	python/    the managed Python environment (a venv that sees the system's packages)
//	receipts/  what was installed, a file for each step
package install
