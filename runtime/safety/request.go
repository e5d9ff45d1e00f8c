package safety

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

const (
	// maxKept bounds the arguments that a request keeps, in bytes of JSON.
	maxKept = 16 << 10
	// maxReason bounds a reason, in bytes.
	maxReason = 500
)

// Request returns the change request for a call that only a person may make and that
// was not made. Effect is the tool's declared one; the target is taken from the
// arguments.
func Request(tool, effect string, args json.RawMessage, reason string) agent.ChangeRequest {
	target := TargetOf(args)
	kind := Classify(target)
	if kind == Other {
		kind = ofTool(tool)
	}
	if strings.TrimSpace(reason) == "" {
		reason = tool + " would " + strings.ReplaceAll(effect, "_", " ")
	}
	return NewRequest(kind, target, tool, reason, args)
}

// NewRequest is [Request] for a caller that specifies the target. Arguments that are no
// JSON, or more than 16 KiB, are kept as a JSON string, cut to that size; the id covers
// all of them. Texts are cut as well.
func NewRequest(kind, target, tool, reason string, args json.RawMessage) agent.ChangeRequest {
	short := func(text string) string {
		return foreign.Clip(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"), maxReason)
	}
	return agent.ChangeRequest{
		ID: requestID(kind, target, tool, Canonical(args)), Type: short(kind), Reason: short(reason), Target: short(target), Tool: short(tool),
		Arguments: kept(args), RequiresHumanApproval: true,
	}
}

// ofTool returns the kind of thing that a tool of the runtime changes.
func ofTool(tool string) string {
	switch tool {
	case "pipeline_config":
		return Config
	case "tool_create", "tool_delete":
		return Tool
	case "propose_patch":
		return Source
	}
	return Other
}

// requestID hashes its parts, each preceded by its length.
func requestID(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		var b []byte
		switch p := p.(type) {
		case string:
			b = []byte(p)
		case []byte:
			b = p
		}
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// kept returns the displayed form of the arguments, which is always JSON.
func kept(args json.RawMessage) json.RawMessage {
	if len(args) <= maxKept && json.Valid(args) && utf8.Valid(args) {
		return append(json.RawMessage(nil), args...)
	}
	text := strings.ToValidUTF8(foreign.Clip(string(args), maxKept), "\uFFFD")
	for {
		out, err := json.Marshal(text)
		if err == nil && len(out) <= maxKept {
			return out
		}
		// An escape can take six bytes for one.
		text = foreign.Clip(text, len(text)-max(1, (len(out)-maxKept)/6))
	}
}
