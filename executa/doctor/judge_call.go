package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
)

// Limits for one invoke, from the pages on sampling and on pitfalls, no. 10.
const (
	samplingCalls  = 8
	samplingTokens = 8192
	samplingTotal  = 32_000
)

// noCall says why there is nothing to judge of a call.
func noCall(x *exam) string {
	switch {
	case x.startErr != nil:
		return notStarted
	case x.target.Tool == "":
		return "no tool was called"
	case x.callErr != nil:
		return "the tool could not be called: " + x.callErr.Msg
	case x.exited != nil:
		return "it had ended before"
	case x.invokeErr != nil:
		return "the call was not answered"
	}
	return "there was no time for it"
}

// reverse returns the calls of the host, or a verdict if there are none.
func (x *exam) reverse(prefixes ...string) ([]frame, *verdict) {
	v := skipped(noCall(x))
	if !x.called {
		return nil, &v
	}
	list := x.received(request)
	if len(prefixes) > 0 {
		list = slices.DeleteFunc(list, func(f frame) bool {
			return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(f.method, p) })
		})
	}
	if len(list) == 0 {
		v = ok("there were no such calls")
		return nil, &v
	}
	return list, nil
}

func (x *exam) answers() verdict {
	if !x.called {
		return skipped(noCall(x))
	}
	if x.invokeErr != nil {
		evidence := []string{bare(x.invokeErr).Error()}
		if _, late := errors.AsType[*executa.TimeoutError](x.invokeErr); late {
			if method := x.lastAnswered(); method != "" {
				return fault(append(evidence, "nothing came after the host had answered "+x.quote(method))...).
					withRepair("read answers of the host while the tool waits for them: run the tool beside the thread that reads standard input, not in it")
			}
			return fault(evidence...)
		}
		return fault(evidence...).withRepair("see what it wrote to standard error; answer each request with one line of JSON")
	}
	if x.result.IsError {
		return advice("it failed: " + x.fakes.hide(x.result.Text)).
			withRepair("call it with arguments and credentials with which it should succeed, if this was not meant to fail")
	}
	return ok(fmt.Sprintf("in %s", ms(x.callTime)))
}

// lastAnswered returns the method of the host's answer that is the last frame of the
// first process, or "" if another is.
func (x *exam) lastAnswered() string {
	frames := slices.DeleteFunc(x.script.all(), func(f frame) bool { return f.run > 0 })
	if len(frames) == 0 {
		return ""
	}
	last := frames[len(frames)-1]
	if !last.sent || last.kind != reply {
		return ""
	}
	for _, f := range frames {
		if !f.sent && f.kind == request && f.id == last.id {
			return f.method
		}
	}
	return ""
}

func (x *exam) invokeShape() verdict {
	replies := x.replies("invoke")
	if len(replies) == 0 {
		return skipped(noCall(x))
	}
	var evidence []string
	for _, f := range replies {
		switch success := f.member("success"); {
		case f.failure != nil || f.byFile:
		case !f.isObject:
			evidence = append(evidence, "the result is not an object: "+x.quote(f.text))
		case success == nil:
			evidence = append(evidence, `the result has no "success": `+x.quote(f.text))
		case string(success) != "true" && string(success) != "false":
			evidence = append(evidence, `"success" is neither true nor false: `+x.quote(f.text))
		}
	}
	return found(Fault, evidence)
}

// mark stands where executa has hidden a credential.
const mark = "[redacted]"

func (x *exam) secrets() verdict {
	m := x.described
	switch {
	case !x.called:
		return skipped(noCall(x))
	case m == nil || len(m.Credentials) == 0:
		return ok("it declares no credentials")
	}
	var evidence []string
	look := func(where, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			shown := x.fakes.hide(line)
			if at := strings.Index(shown, "[made-up "); shown != line && at >= 0 || x.fakes.real && strings.Contains(line, mark) {
				start := max(0, at-60)
				evidence = append(evidence, where+": "+strings.ToValidUTF8(shown[start:min(len(shown), start+200)], ""))
			}
		}
	}
	look("standard error", x.stderr)
	for _, f := range x.script.all() {
		if !f.sent {
			look("standard output", f.text)
			if len(f.result) > len(f.text) {
				look("an answer", string(f.result))
			}
		}
	}
	return found(Fault, slices.Compact(evidence))
}

func (x *exam) declared() verdict {
	calls, v := x.reverse()
	if v != nil {
		return *v
	}
	var evidence []string
	seen := map[string]bool{}
	for _, f := range calls {
		if seen[f.method] {
			continue
		}
		seen[f.method] = true
		switch capability, known := executa.Capability(f.method); {
		case !known:
			evidence = append(evidence, fmt.Sprintf("%s is not known", x.quote(f.method)))
		case x.protocol != "2.0":
			evidence = append(evidence, fmt.Sprintf("%s was called, and the protocol is version %s", f.method, x.protocol))
		case x.described != nil && !slices.Contains(x.described.HostCapabilities, capability):
			evidence = append(evidence, fmt.Sprintf("%s was called, and host_capabilities lacks %s", f.method, capability))
		}
	}
	return found(Fault, evidence)
}

func (x *exam) awaited() verdict {
	calls, v := x.reverse()
	if v != nil {
		return *v
	}
	frames := x.script.all()
	var evidence []string
	for _, f := range calls {
		if f.run > 0 {
			continue // what is left open there is left so on purpose
		}
		// The first answer to invoke after the call must come after the host's.
		asked := false
		for _, g := range frames {
			if g.run != f.run {
				continue
			}
			if !asked {
				asked = !g.sent && g.at == f.at && g.id == f.id
				continue
			}
			if g.sent && g.kind == reply && g.id == f.id {
				break
			}
			if !g.sent && g.kind == reply && g.method == "invoke" {
				evidence = append(evidence, fmt.Sprintf("it answered invoke %s after it called %s, whose answer was still to come", ms(g.at-f.at), f.method))
				break
			}
		}
	}
	if len(evidence) == 0 && x.afterCall != nil {
		evidence = append(evidence, "it ended after the call: "+bare(x.afterCall).Error())
	}
	return found(Fault, evidence)
}

func (x *exam) correlated() verdict {
	calls, v := x.reverse()
	if v != nil {
		return *v
	}
	var evidence []string
	for _, f := range calls {
		if f.str("context", "invoke_id") != "" {
			continue
		}
		text := f.method + " has no params.context.invoke_id"
		if f.str("metadata", "executa_invoke_id") != "" {
			text += ", only metadata.executa_invoke_id, which hosts need not read"
		}
		if !slices.Contains(evidence, text) {
			evidence = append(evidence, text)
		}
	}
	return found(Advice, evidence)
}

func (x *exam) sampling() verdict {
	calls, v := x.reverse("sampling/", "agent/complete")
	if v != nil {
		return *v
	}
	var evidence []string
	count, total := 0, int64(0)
	for _, f := range calls {
		if f.run > 0 {
			continue
		}
		tokens, _ := strconv.ParseInt(string(f.param("maxTokens")), 10, 64)
		count, total = count+1, total+tokens
		if tokens > samplingTokens {
			evidence = append(evidence, fmt.Sprintf("%s asks for %d tokens", f.method, tokens))
		}
	}
	if count > samplingCalls {
		evidence = append(evidence, fmt.Sprintf("%d calls in one invoke", count))
	}
	if total > samplingTotal {
		evidence = append(evidence, fmt.Sprintf("%d tokens in one invoke: hosts refuse with -32007 MAX_TOKENS_EXCEEDED", total))
	}
	if len(evidence) == 0 {
		return ok(fmt.Sprintf("%d calls, %d tokens", count, total))
	}
	return fault(evidence...)
}

func (x *exam) exists() verdict {
	if _, v := x.reverse("storage/get"); v != nil {
		return *v
	}
	return ok(`storage/get was called: what it answers has "exists", since values such as 0, "" and [] count as nothing in most languages`)
}

func (x *exam) scoped() verdict {
	calls, v := x.reverse("storage/", "files/")
	if v != nil {
		return *v
	}
	var evidence []string
	for _, f := range calls {
		text := ""
		switch scope := f.str("scope"); scope {
		case "tool", "user":
		case "":
			text = f.method + " has no scope"
		default:
			text = fmt.Sprintf("%s has the scope %q", f.method, scope)
		}
		if text != "" && !slices.Contains(evidence, text) {
			evidence = append(evidence, text)
		}
	}
	return found(Fault, evidence)
}

func (x *exam) progress() verdict {
	if !x.called {
		return skipped(noCall(x))
	}
	var evidence []string
	count := 0
	perSecond := map[string]int{} // by invoke id and second
	live := map[string]bool{}
	for _, f := range x.script.all() {
		switch id := f.str("invoke_id"); {
		case f.sent && f.method == "invoke":
			live[id] = true
		case !f.sent && f.kind == reply && f.method == "invoke":
			// Ids of JSON-RPC are not those of invokes: with one call at a time
			// the answer ends them all.
			if f.run == 0 {
				clear(live)
			}
		case !f.sent && f.kind == notification && f.method == "executa/progress":
			count++
			evidence = append(evidence, x.oneProgress(f, live, perSecond)...)
		case !f.sent && f.kind == notification:
			evidence = append(evidence, "a notification that hosts do not know: "+x.quote(f.method))
		}
	}
	if len(evidence) == 0 {
		return ok(fmt.Sprintf("%d events", count))
	}
	return advice(evidence...)
}

func (x *exam) oneProgress(f frame, live map[string]bool, perSecond map[string]int) (evidence []string) {
	id := f.str("context", "invoke_id")
	switch {
	case id == "":
		evidence = append(evidence, "no params.context.invoke_id, so it is dropped: "+x.quote(f.text))
	case !live[id]:
		evidence = append(evidence, "no call of that invoke_id is running, so it is dropped: "+x.quote(f.text))
	}
	if t := f.str("type"); t != "progress" && t != "tool_update" {
		evidence = append(evidence, fmt.Sprintf("the type is %q", t))
	}
	if n := len(f.param("data")); n > executa.MaxProgress || f.params == nil && f.size > executa.MaxProgress {
		evidence = append(evidence, fmt.Sprintf("an event of %d bytes", f.size))
	}
	key := fmt.Sprint(id, f.at/time.Second)
	if perSecond[key]++; perSecond[key] == executa.ProgressPerCall+1 {
		evidence = append(evidence, fmt.Sprintf("more than %d events in a second", executa.ProgressPerCall))
	}
	return evidence
}

func (x *exam) sideBySide() verdict {
	switch {
	case !x.called || x.invokeErr != nil:
		return skipped(noCall(x))
	case x.opts.Parallel < 2:
		return skipped("it was not asked for")
	case x.parallel == 0:
		return skipped("there was no time for it")
	case x.answered == x.parallel:
		return ok(fmt.Sprintf("%d of %d", x.answered, x.parallel))
	}
	evidence := fmt.Sprintf("of %d calls at once, %d were answered within %s; one alone took %s", x.parallel, x.answered, ms(x.inTime), ms(x.callTime))
	limit := x.target.MaxInFlight
	if limit <= 0 {
		limit = executa.V1InFlight
		if x.protocol == "2.0" {
			limit = executa.V2InFlight
		}
	}
	if limit == 1 {
		return advice(evidence, "hosts send it one at a time, unless they are told otherwise")
	}
	return fault(evidence)
}

func (x *exam) orphans() verdict {
	switch {
	case x.startErr != nil:
		return skipped(notStarted)
	case x.stats.LeftBehind:
		return fault("it ended, and processes that it had started went on")
	case runtime.GOOS != "linux":
		return skipped("this system does not tell")
	case x.closed && x.eof >= slow:
		return skipped("it did not end by itself")
	}
	return ok()
}

// member returns a member of the result, or nil.
func (f *frame) member(name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(f.result, &members) != nil {
		return nil
	}
	return members[name]
}

func unquote(data json.RawMessage) string {
	var s string
	if json.Unmarshal(data, &s) != nil {
		return string(data)
	}
	return s
}
