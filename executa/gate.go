package executa

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// The codes of JSON-RPC that the host answers with.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// newRPCError returns an error with data as the pages have it: a code that can be
// compared, which does not depend on the number, and what it is about.
func newRPCError(code int64, message, errorCode, detail string) *RPCError {
	data, err := json.Marshal(struct {
		ErrorCode string `json:"errorCode"`
		Detail    string `json:"detail,omitempty"`
	}{errorCode, detail})
	if err != nil {
		data = nil // strings can be marshaled
	}
	return &RPCError{Code: code, Message: message, Data: data}
}

// A refusal is how a page words one.
type refusal struct {
	code      int64
	errorCode string
	message   string
}

func (r refusal) rpc(detail string) *RPCError {
	return newRPCError(r.code, r.message, r.errorCode, detail)
}

// A family is methods that one capability unlocks.
type family struct {
	capability string // in host_capabilities of the manifest
	claim      string // in the answer to initialize; empty if plugins leave it out
	// How it is refused that version 2 was not negotiated, that the capability
	// is not declared, and that the user did not grant it. The codes are not the
	// same on all pages: it is the one on the page of the method.
	unnegotiated, undeclared, ungranted refusal
}

// familyOf returns the family of a method; ok is false if it has none: the host
// has added the method. Its refusals are then of no page.
func familyOf(method string) (f family, ok bool) {
	prefix, _, _ := strings.Cut(method, "/")
	switch {
	case prefix == "sampling":
		no := refusal{-32008, "SAMPLING_NOT_NEGOTIATED", "not_negotiated"}
		return family{"llm.sample", "sampling", no, no,
			refusal{-32001, "SAMPLING_NOT_GRANTED", "User has not enabled sampling for this Executa."}}, true
	case method == "agent/complete":
		return agentFamily("llm.sample"), true
	case prefix == "agent":
		return agentFamily("llm.agent.auto"), true
	case prefix == "storage", prefix == "files":
		capability := map[string]string{"storage": "aps.kv", "files": "aps.files"}[prefix]
		no := refusal{-32021, "STORAGE_NOT_GRANTED", "not_granted"}
		return family{capability, "storage", no, no, no}, true
	case method == "image/edit":
		return imageFamily("llm.image.edit", "image.edit", "edit"), true
	case prefix == "image":
		return imageFamily("llm.image", "image", "generate"), true
	case method == "host/uploadFile":
		no := refusal{-32201, "UPLOAD_NOT_GRANTED", "Upload token missing — host did not authorize host/uploadFile"}
		return family{"host.upload", "upload",
			refusal{-32210, "UPLOAD_NOT_NEGOTIATED", "v2 not negotiated"}, no, no}, true
	case prefix == "embeddings":
		no := refusal{-32501, "EMBEDDINGS_NOT_GRANTED", "not_granted"}
		return family{"llm.embed", "embeddings",
			refusal{-32507, "EMBEDDINGS_NOT_NEGOTIATED", "not_negotiated"}, no, no}, true
	}
	return family{
		unnegotiated: refusal{codeMethodNotFound, "NOT_NEGOTIATED", "v2 not negotiated"},
		ungranted:    refusal{-32000, "NOT_GRANTED", "not_granted"},
	}, false
}

// Capability returns what a plugin has to declare in host_capabilities to call a
// method of the host, by the page of the method. It is false for a method of which no
// page tells: a host that has it needs no capability for it.
func Capability(method string) (capability string, ok bool) {
	f, ok := familyOf(method)
	return f.capability, ok
}

// agentFamily has no claim, since there are plugins that claim sampling only.
func agentFamily(capability string) family {
	no := refusal{-32041, "AGENT_NOT_GRANTED", "Manifest missing " + capability}
	return family{capability, "", no, no, refusal{no.code, no.errorCode, "User has not enabled the agent capability for this Executa."}}
}

func imageFamily(capability, claim, grant string) family {
	no := refusal{-32107, "IMAGE_NOT_NEGOTIATED", "Manifest did not list " + capability + ", or v2 not negotiated."}
	return family{capability, claim, no, no,
		refusal{-32101, "IMAGE_NOT_GRANTED", "User has not enabled image_grant." + grant + " for this Executa."}}
}

// A negotiation is what a plugin may ask for by what it said of itself.
type negotiation struct {
	v2       bool
	claimed  map[string]json.RawMessage // in the answer to initialize
	declared []string                   // in the manifest
}

// check returns how a method is refused, or nil, and what is wrong with it all the
// same. A capability that the answer to initialize lacks is no reason to refuse: the
// manifest, which the user has granted, is the one that counts.
func (n *negotiation) check(plugin, method string) (err *RPCError, advice string) {
	f, known := familyOf(method)
	switch {
	case !n.v2:
		return f.unnegotiated.rpc(fmt.Sprintf("plugin %q did not negotiate protocol version 2.0", plugin)), ""
	case known && !slices.Contains(n.declared, f.capability):
		return f.undeclared.rpc(fmt.Sprintf("plugin %q did not declare host_capabilities [%q]", plugin, f.capability)), ""
	case known && f.claim != "" && n.claimed[f.claim] == nil:
		return nil, fmt.Sprintf("the answer to initialize has no capability %q", f.claim)
	}
	return nil, ""
}

// negotiated says what came of initialize and describe. Before it, all calls are
// refused.
func (r *router) negotiated(v2 bool, capabilities map[string]json.RawMessage, m *manifest.Plugin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.terms = negotiation{v2, capabilities, m.HostCapabilities}
}
