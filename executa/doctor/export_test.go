package doctor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/registry"
)

// JudgeTranscript judges lines that went to ("> …") and came from ("< …") a plugin,
// a millisecond apart; "= next" starts the next process. settings are words such as
// "protocol=2.0".
func JudgeTranscript(settings, lines, stderr string) *Report {
	x := &exam{script: newTranscript(), fakes: newFakes(), desk: newDesk(), stderr: stderr, closed: true, eof: time.Millisecond}
	x.opts.Parallel = DefaultParallel
	x.fakes.values["TOKEN"] = "q7Zx1"
	for word := range strings.FieldsSeq(settings) {
		name, value, _ := strings.Cut(word, "=")
		d, _ := time.ParseDuration(value)
		switch name {
		case "protocol":
			x.protocol = value
		case "call":
			x.target.Tool, x.called = "t", true
			x.parallel, x.answered, x.callTime, x.inTime = 4, 4, time.Millisecond, time.Second
		case "failed":
			x.result = registry.Result{IsError: true, Text: value}
		case "answered":
			x.answered = int(value[0] - '0')
		case "start":
			x.startTime = d
		case "again":
			x.again = d
		case "eof":
			x.eof = d
		case "open":
			x.openSeen, x.openEOF = true, d
		case "timeout":
			x.startErr = &executa.StartError{Plugin: "p", Stage: value, Err: &executa.TimeoutError{Plugin: "p", Method: value, After: d}}
		case "exit":
			x.startErr = &executa.StartError{Plugin: "p", Stage: value, Err: &executa.ExitError{Plugin: "p", Status: "exit status 0"}}
		case "exited":
			x.exited = &executa.ExitError{Plugin: "p", Status: "exit status 0"}
		case "after-call":
			x.afterCall = &executa.ExitError{Plugin: "p", Status: "exit status 0"}
		case "late":
			x.invokeErr = &executa.TimeoutError{Plugin: "p", Method: "invoke", Tool: "t", After: time.Minute}
		case "lost":
			x.invokeErr = errors.New("no answer")
		case "health":
			x.health = executa.Health{Status: "unknown", Raw: value}
		}
	}
	if x.health.Status == "" {
		x.health.Status = "ready"
	}
	for text := range strings.Lines(lines) {
		mark, line, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
		if mark == "=" {
			x.script.next()
			continue
		}
		x.script.record("p", mark == ">", []byte(line))
		n := len(x.script.frames)
		x.script.frames[n-1].at = time.Duration(n) * time.Millisecond
	}
	x.described = x.manifest()
	x.folder = lookAt(context.Background(), x)
	return x.report()
}
