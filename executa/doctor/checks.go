package doctor

// A test is one check: what is right, where that stands, how it is put right, and
// who says what was seen.
type test struct {
	id, title, source, repair string
	judge                     func(*exam) verdict
}

// tests returns all checks in the order of the report.
func tests() []test {
	return []test{
		{
			"start", "it comes up", "executa-lifecycle page, sections Start and Capability negotiation",
			"see what it wrote to standard error, and run its command by hand", (*exam).started,
		}, {
			"long-running", "it serves more than one request", "executa-pitfalls page, section 1",
			"read standard input in a loop until it ends, and answer each line: neither return from main nor call exit after an answer", (*exam).longRunning,
		}, {
			"stdout-noise", "only JSON objects are on standard output", "executa-pitfalls page, section 3",
			"write all else to standard error: print(…, file=sys.stderr), console.error, fmt.Fprintln(os.Stderr, …), and tell libraries to log there", (*exam).noise,
		}, {
			"frames", "answers are JSON-RPC 2.0 and have the ids of their requests", "executa-protocol page, section Transport",
			`answer each request once with "jsonrpc": "2.0" and its "id" as it was, and with either "result" or "error"`, (*exam).frames,
		}, {
			"line-size", "long answers go by file", "executa-protocol page, section File transport",
			`write answers of more than 512 KiB to a file in $TMPDIR and send {"jsonrpc": "2.0", "id": …, "__file_transport": "/path"}`, (*exam).lineSize,
		}, {
			"describe-shape", "the answer to describe is the manifest itself", "executa-pitfalls page, section 5",
			`answer describe with the manifest as "result", not inside of another object`, (*exam).describeShape,
		}, {
			"start-time", "it is up within 5 seconds", "executa-pitfalls page, section 7",
			"build with --onedir, leave modules out, and load what is slow at the first call rather than at the start", (*exam).coldStart,
		}, {
			"protocol", "the answer to initialize is in order", "executa-lifecycle page, section Capability negotiation",
			`answer initialize with "protocolVersion": "2.0" and "serverInfo", or with the error -32601 to be one of version 1.1, which cannot call the host`, (*exam).version,
		}, {
			"health", "health is one of ready, error and initializing, or unknown", "executa-protocol page, section health",
			`answer health with {"status": "ready"}, "error" or "initializing", or with the error -32601`, (*exam).healthy,
		}, {
			"name", "the manifest has a name", "executa-protocol page, section Manifest fields; 21 of 22 example plugins have none",
			`give the manifest a "name", the tool_id`, (*exam).named,
		}, {
			"names-agree", "names are the same everywhere", "executa-pitfalls page, section 2",
			`paste the tool_id into executa.json, "name" of the manifest, and "name" of the manifest.json of the archive`, (*exam).namesAgree,
		}, {
			"tool-names", "no two tools have one name", "executa-protocol page, section Manifest fields",
			"give each tool a name of its own", (*exam).distinct,
		}, {
			"input-schema", "parameters are where hosts look for them", "executa-pitfalls page, section 4",
			`declare each argument in the list "parameters"; "input_schema" is ignored by most hosts, whose models then invent arguments`, (*exam).inputSchema,
		}, {
			"capabilities", "what is asked of the host has a known name", "executa-pitfalls page, section 9a",
			"correct host_capabilities; unknown ones are refused when the plugin is published", (*exam).capabilities,
		}, {
			"manifest", "the manifest is in order", "the rules of \"skillcheck\"; \"skillcheck --explain RULE\" tells why",
			"correct what the plugin answers describe with", (*exam).manifested,
		}, {
			"archive", "the program of an archive can be found", "executa-pitfalls page, section 6",
			`put a manifest.json with "runtime": {"binary": {"entrypoint": …, "permissions": …}} at the root of the archive`, (*exam).archived,
		}, {
			"publish-manifest", "publishing finds the manifest", "executa-pitfalls page, section 9a",
			"save the answer to describe as manifest.json beside executa.json: \"skills plugin describe --json\" prints it", (*exam).published,
		}, {
			"folder", "executa.json is in order", "the rules of \"skillcheck\"; \"skillcheck --explain RULE\" tells why",
			"correct the files", (*exam).rest,
		}, {
			"call", "the tool answers", "executa-protocol page, section invoke",
			"catch every error in the tool and answer with {\"success\": false, \"error\": …}; flush standard output after each line", (*exam).answers,
		}, {
			"invoke-shape", `the answer has "success"`, "executa-pitfalls page, section 5",
			`answer invoke with {"success": true, "data": …} or {"success": false, "error": …}: without "success" it counts as failed`, (*exam).invokeShape,
		}, {
			"secrets", "credentials are neither logged nor answered", "seen in nine of 22 example plugins",
			"do not log requests, or leave params.context.credentials out, and do not put credentials into answers", (*exam).secrets,
		}, {
			"capability-declared", "what is called of the host was declared", "executa-pitfalls page, section 8",
			"add it to host_capabilities in the manifest, and negotiate version 2.0", (*exam).declared,
		}, {
			"reverse-awaited", "answers of the host are waited for", "executa-pitfalls page, section 9",
			"go on reading standard input while a call of the host is open, and answer invoke only after its end", (*exam).awaited,
		}, {
			"reverse-correlation", "calls of the host say for which call they are made", "executa-protocol page, section Reverse RPC; no SDK does",
			`put "context": {"invoke_id": …}, as params of invoke has it, into the params of each call of the host`, (*exam).correlated,
		}, {
			"sampling-limits", "sampling stays within the limits of a call", "executa-pitfalls page, section 10",
			"sample less or ask for fewer tokens: the limits are for all calls of one invoke together, 8 calls and 32000 tokens, and for each 8192 tokens", (*exam).sampling,
		}, {
			"storage-exists", `whether a key is there is told by "exists"`, "executa-pitfalls page, section 11",
			`look at "exists"`, (*exam).exists,
		}, {
			"storage-scope", "what is stored says where it belongs", "executa-pitfalls page, section 12",
			`pass "scope": "tool" for what is the plugin's own, or "user"; without it the scope is that of an app, which plugins may not use`, (*exam).scoped,
		}, {
			"progress", "progress says for which call it is, and is not too much", "executa-pitfalls page, section 13",
			`send "executa/progress" with "params": {"type": "progress" or "tool_update", "data": …, "context": {"invoke_id": …}} while the call runs, at most 50 a second of at most 8 KB`, (*exam).progress,
		}, {
			"parallel", "calls side by side are all answered", "six of 22 example plugins block at four calls",
			"handle answers of the host in the thread that reads standard input, never in the pool that runs the tools; or say that it takes one call at a time", (*exam).sideBySide,
		}, {
			"stderr", "standard error is for people", "executa-pitfalls page, section 3",
			"", (*exam).standardError,
		}, {
			"eof", "it ends soon after its standard input", "executa-lifecycle page, section Shutdown",
			"end when standard input ends: let no thread, timer or child keep the process alive", (*exam).ends,
		}, {
			"eof-open", "it ends soon too while a call of the host is open", "six of 22 example plugins wait for up to 320 seconds",
			"make every open call of the host fail when standard input ends, and when the host answers it with an error, as this one does before", (*exam).endsOpen,
		}, {
			"orphans", "nothing that it started outlives it", "executa-lifecycle page, section Shutdown",
			"end and wait for what the plugin starts before it ends itself", (*exam).orphans,
		},
	}
}

// report judges what was seen.
func (x *exam) report() *Report {
	r := &Report{Schema: schemaID, Plugin: x.id, Works: true, Protocol: x.protocol, Tools: []string{}, Checks: []Check{}}
	if x.described != nil {
		for _, t := range x.described.Tools {
			r.Tools = append(r.Tools, oneLine(t.Name))
		}
	}
	r.Stderr = x.fakes.hide(x.stderr)
	for _, t := range tests() {
		v := t.judge(x)
		c := Check{ID: t.id, State: v.state, Title: t.title, Source: t.source, Evidence: clip(v.evidence)}
		switch v.state {
		case Advice, Fault:
			c.Repair = t.repair
			if v.repair != "" {
				c.Repair = v.repair
			}
		case Skipped:
			c.Reason = oneLine(v.reason)
		}
		r.Works = r.Works && v.state != Fault
		r.Checks = append(r.Checks, c)
	}
	return r
}
