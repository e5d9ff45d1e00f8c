package reflection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxAnswer bounds an answer, in bytes. A text parameter's own limit is checked later.
const maxAnswer = 256 << 10

// proposal is an answer in valid form.
type proposal struct {
	Component *string         `json:"component"`
	Value     json.RawMessage `json:"value"`
	Rationale *string         `json:"rationale"`
}

// unreadableError is the reason why an answer is no proposal.
type unreadableError struct{ error }

// read parses an answer as foreign text. The error gives the reason why it is no
// proposal, in words that follow "the answer".
func read(answer string) (proposal, error) {
	var p proposal
	if len(answer) > maxAnswer {
		return p, fmt.Errorf("is too long: %d bytes", len(answer))
	}
	dec := json.NewDecoder(strings.NewReader(unfenced(answer)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, errors.New("is not the JSON object that was asked for")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("goes on after the JSON object")
	}
	if p.Component == nil || p.Value == nil || p.Rationale == nil {
		return p, errors.New("lacks component, value or rationale")
	}
	return p, nil
}

// unfenced removes a Markdown code fence around the answer's JSON, which models often
// add.
func unfenced(answer string) string {
	text := strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			return strings.TrimSpace(strings.TrimPrefix(inner, "json"))
		}
	}
	return text
}

// value decodes the proposed value; numbers keep their form.
func (p proposal) value() (any, error) {
	dec := json.NewDecoder(bytes.NewReader(p.Value))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
