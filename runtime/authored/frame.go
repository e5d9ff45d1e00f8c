package authored

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Parent and child exchange frames: a four-byte big-endian length, followed by that many
// bytes of JSON. A tool's output never reaches the stream directly: it is a value inside a
// frame.
const (
	frameHead = 4
	maxFrame  = 1 << 20
)

// settings is the parent's first frame.
type settings struct {
	// Data is the number of bytes by which the child may grow beyond its initial size;
	// 0 means no limit.
	Data uint64 `json:"data"`
	// Heap is the heap size, in bytes, at which garbage is collected at once.
	Heap  int64  `json:"heap"`
	Steps uint64 `json:"steps"`
}

// ready is the child's answer to its settings, sent once its limits are set.
type ready struct {
	Error string `json:"error,omitempty"`
}

// request is one call.
type request struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	// Source is omitted if the child already has it from an earlier call.
	Source string          `json:"source,omitempty"`
	Args   json.RawMessage `json:"args"`
}

// ending describes how a call ended, if the child could report it.
type ending string

const (
	value      ending = "value"     // run returned a value that JSON can represent
	noProgram  ending = "program"   // the source does not compile or does not define run
	failure    ending = "failure"   // it failed while running
	steps      ending = "steps"     // the program took too many steps
	unfit      ending = "unfit"     // the result is too large or cannot be represented in JSON
	badRequest ending = "confusion" // the request was invalid
)

// reply is the result of one call.
type reply struct {
	Ending ending `json:"ending"`
	// Value is the JSON form of what run returned.
	Value json.RawMessage `json:"value,omitempty"`
	// Text describes the failure.
	Text string `json:"text,omitempty"`
	// Line is the line of the source on which the call failed, or 0 if it is unknown.
	Line int `json:"line,omitempty"`
	// Printed is the beginning of the tool's printed output.
	Printed string `json:"printed,omitempty"`
	Steps   uint64 `json:"steps,omitempty"`
}

var errFrame = errors.New("frame is too large")

// frame encodes v as one frame.
func frame(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFrame {
		return nil, errFrame
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...), nil
}

// cutFrame returns the data of the first frame in b, or nil while that frame is incomplete.
func cutFrame(b []byte) (data []byte, err error) {
	if len(b) < frameHead {
		return nil, nil
	}
	n := binary.BigEndian.Uint32(b)
	if n > maxFrame {
		return nil, errFrame
	}
	if len(b) < frameHead+int(n) {
		return nil, nil
	}
	return b[frameHead : frameHead+int(n)], nil
}

// readReply decodes and validates a child's frame as a reply.
func readReply(data []byte) (reply, error) {
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		return reply{}, fmt.Errorf("reading a reply: %w", err)
	}
	switch r.Ending {
	case value:
		if len(r.Value) == 0 {
			return reply{}, errors.New("reading a reply: there is no value")
		}
	case noProgram, failure, steps, unfit, badRequest:
		r.Value = nil
	default:
		return reply{}, errors.New("reading a reply: its result code is unknown")
	}
	return r, nil
}

// frameSize returns the size of the frame that begins with b, including its head. The size
// is at least frameHead.
func frameSize(b []byte) int { return frameHead + int(binary.BigEndian.Uint32(b)) }
