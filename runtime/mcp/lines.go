package mcp

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage limits the size of one message from a server, in bytes.
const maxMessage = 4 << 20

// wire is the JSON form of a message.
type wire struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc.Error  `json:"error"`
}

// decode decodes one message. It refuses batches, which the protocol has abolished. The
// SDK's own decoder is not used because it allocates 64 KiB for the smallest message.
func decode(line []byte) (jsonrpc.Message, error) {
	var w wire
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &w) != nil {
		return nil, errors.New("is not a JSON object")
	}
	if number, ok := w.ID.(float64); ok && number != math.Trunc(number) {
		return nil, errors.New("is not a JSON-RPC message: its id is not a whole number")
	}
	id, err := jsonrpc.MakeID(w.ID)
	switch {
	case w.Version != "2.0":
		return nil, errors.New("is not a JSON-RPC message: its version is not 2.0")
	case err != nil:
		return nil, errors.New("is not a JSON-RPC message: its id is neither a number nor text")
	case w.Method != nil:
		return &jsonrpc.Request{ID: id, Method: *w.Method, Params: w.Params}, nil
	case !id.IsValid():
		return nil, errors.New("is not a JSON-RPC message: it has neither method nor id")
	}
	res := &jsonrpc.Response{ID: id, Result: w.Result}
	if w.Error != nil { // a nil *Error must not become a non-nil interface
		res.Error = w.Error
	}
	return res, nil
}
