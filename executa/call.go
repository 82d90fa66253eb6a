package executa

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/matrix-nexus/skillkit/registry"
)

// invoke makes one call of a tool, which must still be as it was registered.
func (p *Plugin) invoke(ctx context.Context, tool string, info toolInfo, call *registry.Call) (result registry.Result, err error) {
	if err := p.record(tool, call, (*Journal).known); err != nil {
		return result, err
	}
	p.enter()
	depth := nesting(ctx, p.id)
	if err := p.queue.acquire(ctx, depth); err != nil {
		p.leave()
		return result, err
	}
	free := func() {
		p.queue.release()
		p.leave()
	}
	sent := false
	defer func() { // also if a resolver of credentials panics
		if !sent {
			free()
		}
	}()
	result, sent, err = p.send(ctx, tool, info, call, depth > 0, free)
	return result, err
}

func (p *Plugin) journaled(call *registry.Call) bool {
	return p.host.opts.Journal != nil && call.ID != ""
}

// record asks the journal about a call with an id, by means of known or sent.
func (p *Plugin) record(tool string, call *registry.Call, ask func(j *Journal, id, plugin, tool string, arguments []byte) error) error {
	if !p.journaled(call) {
		return nil
	}
	err := ask(p.host.opts.Journal, call.ID, p.id, tool, call.Arguments)
	if _, repeated := errors.AsType[*RepeatError](err); repeated {
		call.Sent() // an earlier one was
	}
	return err
}

// send calls a tool in the process that runs, or in the next one if that takes no
// calls. A call of which a byte was sent is never made again. settled is called
// once if it was.
func (p *Plugin) send(ctx context.Context, tool string, info toolInfo, call *registry.Call, nested bool, settled func()) (registry.Result, bool, error) {
	for {
		l, err := p.processWithin(ctx, tool, info.timeout, nested)
		if err != nil {
			return registry.Result{}, false, err
		}
		if now, there := l.tools[tool]; now != info {
			return registry.Result{}, false, &ChangedError{Plugin: p.id, Tool: tool, Gone: !there}
		}
		recorded := false
		result, sent, err := l.Invoke(ctx, Invocation{
			Tool:      tool,
			Arguments: call.Arguments,
			Sent: func() error {
				if err := p.record(tool, call, (*Journal).sent); err != nil {
					return err
				}
				recorded = p.journaled(call)
				return nil
			},
			settled: settled,
		})
		if sent {
			call.Sent() // not before, since the plugin may have closed its input
		}
		if recorded {
			if err := p.host.opts.Journal.ended(call.ID, sent && err == nil, !sent); err != nil {
				p.host.log.Warn("journal", "plugin", p.id, "error", err)
			}
		}
		if sent || err == nil || ctx.Err() != nil || l.accepts() {
			return result, sent, err
		}
	}
}

// processWithin is process for a call: if the plugin has failed, it waits for
// the restart no longer than the call may take.
func (p *Plugin) processWithin(ctx context.Context, tool string, timeout time.Duration, nested bool) (*instance, error) {
	p.mu.Lock()
	broken, reason := p.broken, p.reason
	p.mu.Unlock()
	if broken {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fmt.Errorf("plugin %q does not run again within %s, the time of tool %q: %s", p.id, timeout, tool, reason))
		defer cancel()
	}
	return p.process(ctx, nested)
}
