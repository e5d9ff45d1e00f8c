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
	// maxKept is the maximum size of the arguments that a request stores, in bytes of JSON.
	maxKept = 16 << 10
	// maxReason is the maximum length of a text in a request, such as the reason, in bytes.
	maxReason = 500
)

// Request returns the change request for a call that was not made because only a person may
// make it. Effect is the tool's declared effect; the target is taken from the arguments.
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

// NewRequest is like [Request], but the caller specifies the target. Arguments that are not
// valid JSON or are longer than 16 KiB are stored as a JSON string that is cut to that
// size; the id depends on the whole arguments. The other texts are cut as well.
func NewRequest(kind, target, tool, reason string, args json.RawMessage) agent.ChangeRequest {
	short := func(text string) string {
		return foreign.Clip(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"), maxReason)
	}
	return agent.ChangeRequest{
		ID: requestID(kind, target, tool, Canonical(args)), Type: short(kind), Reason: short(reason), Target: short(target), Tool: short(tool),
		Arguments: kept(args), RequiresHumanApproval: true,
	}
}

// ofTool returns what kind of thing a tool of the runtime changes.
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

// kept returns the arguments in the form in which a request stores them, which is always
// valid JSON.
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
		// Escaping can turn one byte into six, so at least a sixth of the excess must be
		// cut.
		text = foreign.Clip(text, len(text)-max(1, (len(out)-maxKept)/6))
	}
}
