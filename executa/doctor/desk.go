package doctor

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
)

// answers are what plugins are told that call the host. They are of the form that
// the pages give, and hold the members that plugins in use need. Methods that are
// not here, such as those of files, need a host.
var answers = map[string]string{
	"sampling/createMessage": sampled,
	"agent/complete":         sampled,
	"agent/session.create": `{"app_session_uuid":"00000000-0000-4000-8000-000000000000","expires_in":600,"kind":"agent","agent_submode":"auto",
		"fixed_client_id":null,"granted_tools":[],"inherit_host_tools":false,"thread_id":"doctor","system_prompt":null,"session_expires_in":600}`,
	"agent/session.run": `{"run_id":"doctor","stream_id":"doctor","frames":[{"type":"token","text":"an answer of the doctor"},
		{"type":"final","text":"an answer of the doctor","usage":{}}],"final":{"text":"an answer of the doctor","usage":{}}}`,
	"agent/session.cancel":  `{"cancelled":true,"run_id":"doctor"}`,
	"agent/session.history": `{"messages":[]}`,
	"agent/session.delete":  `{"deleted":true}`,
	"agent/session.list":    `{"sessions":[]}`,
	"agent/session.refresh": `{"app_session_uuid":"00000000-0000-4000-8000-000000000000","expires_in":600}`,
	"storage/get":           `{"value":null,"exists":false,"etag":null}`,
	"storage/set":           `{"etag":"\"doctor\"","size_bytes":0,"generation":1}`,
	"storage/delete":        `{"deleted":true}`,
	"storage/list":          `{"items":[],"next_cursor":null}`,
	"files/list":            `{"items":[],"next_cursor":null}`,
	"files/delete":          `{"deleted":true}`,
	"image/generate":        imagined,
	"image/edit":            imagined,
	"host/uploadFile": `{"r2_key":"doctor/file","download_url":"https://example.invalid/file","url":"https://example.invalid/file",
		"mime_type":"application/octet-stream","size_bytes":0,"bytes":0,"expires_in":300,"_meta":{"mode":"inline"}}`,
	"embeddings/create": `{"object":"list","model":"anna-managed-v1","data":[{"index":0,"embedding":[0.6,0.8]}],
		"usage":{"prompt_tokens":1,"total_tokens":1},"_meta":{"dimensions":2,"provider":"doctor"}}`,
}

const (
	sampled = `{"role":"assistant","content":{"type":"text","text":"an answer of the doctor"},"model":"doctor","stopReason":"endTurn",
		"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2},"_meta":{"provider":"doctor","latencyMs":1}}`
	imagined = `{"images":[{"url":"https://example.invalid/image.png","mimeType":"image/png","width":1,"height":1}],"model":"doctor","quota_used":1}`
)

// pause is how long the host takes for an answer, so that a plugin which does not
// wait for it is caught.
const pause = 50 * time.Millisecond

// A desk answers the calls that plugins make of the host.
type desk struct {
	mu    sync.Mutex
	count int
	held  chan struct{} // closed by the first call; nil while calls are answered
	once  sync.Once
}

func newDesk() *desk { return &desk{} }

// calls returns how many calls there were.
func (d *desk) calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// holdBack leaves all calls from now on without an answer. The channel is closed
// when there is one.
func (d *desk) holdBack() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = make(chan struct{})
	return d.held
}

func (d *desk) services() map[string]executa.Service {
	services := make(map[string]executa.Service, len(answers))
	for method := range answers {
		services[method] = d.answer
	}
	return services
}

func (d *desk) answer(ctx context.Context, call *executa.ReverseCall) (json.RawMessage, error) {
	d.mu.Lock()
	d.count++
	held := d.held
	d.mu.Unlock()
	if held != nil {
		d.once.Do(func() { close(held) })
		<-ctx.Done()
		return nil, ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return json.RawMessage(strings.Join(strings.Fields(answers[call.Method]), " ")), nil
}
