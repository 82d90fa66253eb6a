// Package doctor runs an Executa plugin and reports what would not work, or would
// not work well, with what was seen and how to mend it.
//
// [Run] starts the plugin as a host does, asks it what hosts ask, ends it, and
// judges what went to and fro. Given a tool to call, it calls that, several times
// at once too, answers what the plugin asks of the host meanwhile with made-up
// values, and ends the plugin while such a question is open. A call has the effects
// that it has: choose one that does no harm.
//
// Credentials that nobody supplies are replaced by marked, false ones, which are
// then looked for where they do not belong.
//
// What was seen is judged by the pages on Executa Tools, by the rules of package check,
// and by what was found in plugins in use; [Check.Source] says which. A plugin that does
// not even start is a report too, not an error.
//
// # Limits
//
// A run is bounded by [Options.Timeout], and each call in it as with any host. Of a
// check 5 lines of evidence are kept, of 240 characters each; of what goes to and fro
// 20,000 lines, the parameters and results among them up to 64 KiB.
//
// [Run] may be called by several goroutines. The plugin is a process of this user, in no
// sandbox.
//
// # Checks
//
// A [Report] holds all of these, in this order:
//
//	start                it comes up: is launched, and answers initialize and describe
//	long-running         it serves more than one request
//	stdout-noise         there are only JSON objects on standard output
//	frames               they are JSON-RPC 2.0, and answer requests by their ids
//	line-size            long answers go by file
//	describe-shape       the answer to describe is the manifest itself
//	start-time           it is up within five seconds
//	protocol             the answer to initialize is in order
//	health               health is one of ready, error and initializing, or unknown
//	name                 the manifest has a name
//	names-agree          the name is that of executa.json and of the archive
//	tool-names           no two tools have one name
//	input-schema         the parameters are where hosts look for them
//	capabilities         what is asked of the host has a known name
//	manifest             the other rules of package check for manifests
//	archive              the program of an archive can be found
//	publish-manifest     publishing finds the manifest
//	folder               the other rules of package check for folders
//	call                 the tool answers
//	invoke-shape         the answer says whether it is one of a success
//	secrets              credentials are neither logged nor answered
//	capability-declared  what is called of the host was declared
//	reverse-awaited      answers of the host are waited for
//	reverse-correlation  calls of the host say for which call they are made
//	sampling-limits      what is sampled stays within the limits of a call
//	storage-exists       whether a key is there is told by "exists"
//	storage-scope        what is stored says where it belongs
//	progress             progress says for which call it is, and within limits
//	parallel             calls side by side are all answered
//	stderr               standard error is for people
//	eof                  it ends soon after its standard input
//	eof-open             it ends soon too while a call of the host is open
//	orphans              nothing that it started outlives it
package doctor
