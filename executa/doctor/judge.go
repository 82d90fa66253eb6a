package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// slow is the time within which hosts want a plugin to be up, and to end.
const slow = 5 * time.Second

// Sizes of lines, from the page on the protocol.
const (
	longLine    = 512 << 10
	tooLongLine = 2 << 20
)

const notStarted = "the plugin did not start"

// received returns the frames of a kind that the plugin sent.
func (x *exam) received(k kind) (list []frame) {
	for _, f := range x.script.all() {
		if !f.sent && f.kind == k {
			list = append(list, f)
		}
	}
	return list
}

// replies returns its answers to a method.
func (x *exam) replies(method string) []frame {
	return slices.DeleteFunc(x.received(reply), func(f frame) bool { return f.method != method })
}

func (x *exam) started() verdict {
	switch {
	case x.startErr == nil && x.againErr != nil:
		return fault("it did not come up when it was started again: " + bare(x.againErr).Error())
	case x.startErr == nil:
		return ok(fmt.Sprintf("in %s", ms(x.startTime)))
	}
	evidence := []string{x.startErr.Error()}
	repair := ""
	if e, ok := errors.AsType[*executa.StartError](x.startErr); ok {
		evidence = []string{fmt.Sprintf("%s: %v", e.Stage, bare(e.Err))}
		repair = x.remedy(e)
	}
	lines := strings.Split(strings.TrimSpace(x.fakes.hide(x.stderr)), "\n")
	for _, text := range lines[max(0, len(lines)-3):] {
		if text != "" {
			evidence = append(evidence, "standard error: "+text)
		}
	}
	return fault(evidence...).withRepair(repair)
}

// bare returns err without what a report shows elsewhere.
func bare(err error) error {
	if e, ok := errors.AsType[*executa.ExitError](err); ok {
		return fmt.Errorf("the process ended: %s", e.Status)
	}
	if e, ok := errors.AsType[*executa.TimeoutError](err); ok {
		return fmt.Errorf("no answer within %s", ms(e.After))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer before the time for all of this was over")
	}
	if e, ok := errors.AsType[*executa.ProtocolError](err); ok {
		return errors.New(e.Msg)
	}
	return err
}

// remedy says what to do about a plugin that did not come up.
func (x *exam) remedy(e *executa.StartError) string {
	exit, exited := errors.AsType[*executa.ExitError](e.Err)
	_, late := errors.AsType[*executa.TimeoutError](e.Err)
	stderr := x.stderr
	switch {
	case errors.Is(e.Err, fs.ErrPermission):
		return "make the program executable: chmod +x"
	case e.Stage == "launch" && len(x.target.Command) == 0:
		return "correct the executa.json of the folder, or install the program that it names; or give the command after --"
	case e.Stage == "launch":
		return "correct the command, or install the program: it is looked up on PATH unless it holds a separator"
	case strings.Contains(stderr, "ModuleNotFoundError") || strings.Contains(stderr, "ImportError"):
		return "install the Python packages where the interpreter that is started finds them, or start it with \"uv run --project DIR\""
	case strings.Contains(stderr, "Cannot find module") || strings.Contains(stderr, "ERR_MODULE_NOT_FOUND"):
		return "install the Node packages in the folder of the plugin: npm install"
	case exited && len(x.received(reply)) > 0:
		return "go on after the first answer: " + long
	case exited && exit.Status == "exit status 0":
		return "read requests from standard input, one a line, until it ends: the program ended without an answer"
	case exited:
		return "see why the program ended: run its command by hand and paste {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"describe\"}"
	case (late || errors.Is(e.Err, context.DeadlineExceeded)) && len(x.received(noise)) > 0:
		return "keep standard output for answers: what came there was none"
	case late || errors.Is(e.Err, context.DeadlineExceeded):
		return "answer each line as soon as it is there: flush standard output after each answer, do not wait for the end of the input, and load what is slow later"
	case len(x.replies(e.Stage)) > 0:
		return "correct the answer to " + e.Stage + ": the program itself runs"
	}
	return ""
}

const long = "read standard input in a loop until it ends"

func (x *exam) longRunning() verdict {
	if x.startErr != nil {
		exit, exited := errors.AsType[*executa.ExitError](x.startErr)
		if n := len(x.received(reply)); exited && n > 0 {
			return fault(fmt.Sprintf("it ended after answer no. %d: %s", n, exit.Status))
		}
		return skipped(notStarted)
	}
	switch {
	case x.exited != nil:
		return fault("it ended while nothing was asked of it: " + bare(x.exited).Error())
	case x.afterCall != nil && x.invokeErr == nil:
		return fault("it ended after the answer to invoke: " + bare(x.afterCall).Error())
	case x.healthErr != nil:
		if _, late := errors.AsType[*executa.TimeoutError](x.healthErr); late {
			return fault("after describe it answers nothing: health: " + bare(x.healthErr).Error())
		}
	}
	return ok()
}

// silent reports whether it never said anything on standard output.
func (x *exam) silent() bool {
	return !slices.ContainsFunc(x.script.all(), func(f frame) bool { return !f.sent }) && x.stats.LongLines == 0
}

func (x *exam) noise() verdict {
	if x.silent() {
		return skipped(notStarted)
	}
	var evidence []string
	for _, f := range x.received(noise) {
		if f.size > 0 {
			evidence = append(evidence, fmt.Sprintf("after %s: %s", ms(f.at), x.quote(f.text)))
		}
	}
	return found(Fault, evidence)
}

func (x *exam) frames() verdict {
	if x.silent() {
		return skipped(notStarted)
	}
	v := ok()
	add := func(state State, f frame, text string) {
		if v.state != Fault {
			v.state = state
		}
		v.evidence = append(v.evidence, text+": "+x.quote(f.text))
	}
	for _, f := range x.received(reply) {
		switch {
		case f.byFile:
		case f.id == "":
			add(Fault, f, "an answer without id")
		case f.textID:
			add(Fault, f, "the id is text, and that of the request a number")
		case f.method == "":
			add(Fault, f, "an answer to nothing that was asked, or a second one")
		case f.version != "2.0":
			add(Advice, f, `an answer without "jsonrpc": "2.0"`)
		case f.result != nil && f.failure != nil:
			add(Advice, f, "an answer with both result and error")
		}
	}
	for _, f := range x.received(request) {
		if f.version != "2.0" {
			add(Advice, f, `a call of the host without "jsonrpc": "2.0"`)
		}
	}
	if x.script.lost > 0 {
		v.evidence = append(v.evidence, fmt.Sprintf("%d more lines were not looked at", x.script.lost))
	}
	return v
}

func (x *exam) lineSize() verdict {
	if x.silent() {
		return skipped(notStarted)
	}
	v := ok()
	if n := x.stats.LongLines; n > 0 {
		v = fault(fmt.Sprintf("%d lines over %d bytes", n, executa.DefaultMaxLine))
	}
	for _, f := range x.script.all() {
		if f.sent || f.size <= longLine || f.kind == noise {
			continue
		}
		if v.state == OK {
			v.state = Advice
		}
		if f.size > tooLongLine && f.kind == reply {
			v.state = Fault
		}
		v.evidence = append(v.evidence, fmt.Sprintf("a line of %d bytes: %s", f.size, x.quote(f.text[:min(len(f.text), 80)])))
	}
	return v
}

func (x *exam) describeShape() verdict {
	replies := x.replies("describe")
	if len(replies) == 0 {
		return skipped("describe was not answered")
	}
	f := replies[0]
	switch {
	case f.failure != nil:
		return fault(fmt.Sprintf("describe is answered with an error: %s (code %d)", f.failure.Message, f.failure.Code)).
			withRepair("answer describe with the manifest: it is how a host learns of the tools")
	case f.byFile:
		return ok("by file")
	case !f.isObject:
		return fault("the result is not an object: " + x.quote(f.text))
	case f.has("manifest") && !f.has("tools"):
		return fault(x.quote(f.text))
	case !f.has("tools"):
		return fault(`the result has no "tools": ` + x.quote(f.text)).withRepair(`answer describe with {"name": …, "tools": […]}`)
	}
	return ok()
}

func (x *exam) coldStart() verdict {
	if x.startErr != nil {
		return skipped(notStarted)
	}
	evidence := fmt.Sprintf("it took %s", ms(x.startTime))
	switch {
	case x.startTime <= slow:
		return ok(evidence)
	case x.again > slow:
		return fault(evidence, fmt.Sprintf("and %s when it was started again", ms(x.again)))
	case x.again > 0:
		return advice(evidence, fmt.Sprintf("and %s when it was started again: hosts wait longer for the first start of a binary only", ms(x.again)))
	}
	return fault(evidence)
}

func (x *exam) version() verdict {
	asked := slices.ContainsFunc(x.script.all(), func(f frame) bool { return f.sent && f.method == "initialize" })
	replies := x.replies("initialize")
	switch {
	case !asked || len(replies) == 0 && x.startErr != nil:
		return skipped(notStarted)
	case len(replies) == 0:
		return found(Advice, []string{"initialize was not answered: hosts wait for 5 seconds, and then take the plugin for one of version 1.1"})
	}
	f := replies[0]
	var evidence []string
	version := unquote(f.member("protocolVersion"))
	switch {
	case f.failure != nil && f.failure.Code == -32601:
	case f.failure != nil:
		evidence = append(evidence, fmt.Sprintf("initialize is answered with the error %d: %s", f.failure.Code, f.failure.Message))
	case version != "2.0" && version != "1.1":
		evidence = append(evidence, fmt.Sprintf("protocolVersion is %q", version))
	case !f.has("serverInfo") && !f.has("server_info"):
		evidence = append(evidence, "serverInfo is missing")
	}
	if m := x.described; m != nil && len(m.HostCapabilities) > 0 && x.protocol == "1.1" {
		evidence = append(evidence, fmt.Sprintf("the manifest asks for %s, which takes version 2.0", strings.Join(m.HostCapabilities, ", ")))
	}
	return found(Advice, evidence)
}

func (x *exam) healthy() verdict {
	h := x.health
	if x.startErr != nil {
		return skipped(notStarted)
	}
	if x.healthErr != nil {
		return advice("health: " + bare(x.healthErr).Error())
	}
	var evidence []string
	if h.Raw != "" && h.Raw != h.Status {
		evidence = append(evidence, fmt.Sprintf("the status is %q, which is taken for %q", h.Raw, h.Status))
	}
	if h.Status != "ready" && len(evidence) == 0 {
		evidence = append(evidence, "it says that it is "+h.Status+": "+h.Message)
	}
	return found(Advice, evidence)
}

func (x *exam) named() verdict {
	switch m := x.described; {
	case m == nil:
		return skipped("describe was not answered")
	case m.Name == "":
		return advice(fmt.Sprintf("it is known as %q by other means", x.id))
	}
	return ok()
}

func (x *exam) distinct() verdict {
	if x.described == nil {
		return skipped("describe was not answered")
	}
	var evidence []string
	seen := map[string]int{}
	for _, t := range x.described.Tools {
		if seen[t.Name]++; seen[t.Name] == 2 {
			evidence = append(evidence, fmt.Sprintf("%q is there more than once", t.Name))
		}
	}
	return found(Fault, evidence)
}

func (x *exam) inputSchema() verdict {
	if x.described == nil {
		return skipped("describe was not answered")
	}
	v := ok()
	for _, t := range x.described.Tools {
		switch {
		case t.InputSchema == nil:
		case t.Parameters == nil:
			v.state = Fault
			v.evidence = append(v.evidence, fmt.Sprintf("tool %q has input_schema and no parameters", t.Name))
		default:
			if v.state == OK {
				v.state = Advice
			}
			v.evidence = append(v.evidence, fmt.Sprintf("tool %q has input_schema beside its parameters", t.Name))
		}
	}
	return v
}

func (x *exam) capabilities() verdict {
	if x.described == nil {
		return skipped("describe was not answered")
	}
	known := manifest.Capabilities()
	var evidence []string
	for _, c := range x.described.HostCapabilities {
		if !slices.Contains(known, c) {
			evidence = append(evidence, fmt.Sprintf("%q is not known; there are %s", c, strings.Join(known, ", ")))
		}
	}
	return found(Advice, evidence)
}

func (x *exam) manifested() verdict {
	if x.described == nil {
		return skipped("describe was not answered")
	}
	return judge(of(x.folder.described, true, ownRules...))
}

func (x *exam) standardError() verdict {
	text := strings.TrimSpace(x.fakes.hide(x.stderr))
	if text == "" {
		return ok("nothing was written there")
	}
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return ok(fmt.Sprintf("lines: %d, the last: %s", strings.Count(text, "\n")+1, last))
}

func (x *exam) ends() verdict {
	switch {
	case x.startErr != nil:
		return skipped(notStarted)
	case !x.closed:
		return skipped("it had ended before")
	case x.invokeErr != nil:
		return skipped("a call was not answered")
	}
	return endTime(x.eof)
}

func endTime(took time.Duration) verdict {
	if took >= slow {
		return fault(fmt.Sprintf("it had not ended %s after its standard input, and was ended by a signal", slow))
	}
	return ok(fmt.Sprintf("after %s", ms(took)))
}

func (x *exam) endsOpen() verdict {
	switch {
	case x.startErr != nil:
		return skipped(notStarted)
	case !x.called:
		return skipped(noCall(x))
	case !x.openSeen:
		return skipped("no call of the host was open")
	}
	return endTime(x.openEOF)
}

// quote shows a line of the plugin without the made-up credentials.
func (x *exam) quote(text string) string { return quote([]byte(x.fakes.hide(text))) }
