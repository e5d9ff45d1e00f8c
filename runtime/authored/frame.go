package authored

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// What goes between parent and child is frames: a length of four bytes, big-endian,
// and as much JSON. Nothing that a tool prints gets there: its output is a value
// inside a frame.
const (
	frameHead = 4
	maxFrame  = 1 << 20
)

// settings is the parent's first frame.
type settings struct {
	// Data is by how many bytes the child may grow beyond what it has at its start; 0
	// is no limit.
	Data uint64 `json:"data"`
	// Heap is from where on garbage is collected at once.
	Heap  int64  `json:"heap"`
	Steps uint64 `json:"steps"`
}

// ready is the child's answer once its limits stand.
type ready struct {
	Error string `json:"error,omitempty"`
}

// request is one call.
type request struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	// Source is left out when the child has it from an earlier call.
	Source string          `json:"source,omitempty"`
	Args   json.RawMessage `json:"args"`
}

// ending is how a call went that the child lived to report.
type ending string

const (
	value     ending = "value"     // run returned, and JSON can hold it
	noProgram ending = "program"   // the source does not compile or has no run
	failure   ending = "failure"   // it failed while running
	steps     ending = "steps"     // it took too many steps
	unfit     ending = "unfit"     // what it returned is too large or nothing for JSON
	confused  ending = "confusion" // the request was none
)

// reply is the end of one call.
type reply struct {
	Ending ending `json:"ending"`
	// Value is what run returned, in JSON.
	Value json.RawMessage `json:"value,omitempty"`
	// Text says what went wrong.
	Text string `json:"text,omitempty"`
	// Printed is the beginning of what the tool printed.
	Printed string `json:"printed,omitempty"`
	Steps   uint64 `json:"steps,omitempty"`
}

var errFrame = errors.New("frame is too large")

// frame is v as one frame.
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

// cutFrame takes the first frame off b; data is nil while it is not all there.
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

// readReply reads a child's frame as what a call may have ended in.
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
	case noProgram, failure, steps, unfit, confused:
		r.Value = nil
	default:
		return reply{}, errors.New("reading a reply: it has no known ending")
	}
	return r, nil
}

// frameSize is the size of the frame that begins with b, head included; it is at
// least frameHead.
func frameSize(b []byte) int { return frameHead + int(binary.BigEndian.Uint32(b)) }
