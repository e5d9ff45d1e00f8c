package reflection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxAnswer is the maximum length of an answer, in bytes. The parameter's own limit on its
// text is checked later.
const maxAnswer = 256 << 10

// proposal is an answer in valid form.
type proposal struct {
	Component *string         `json:"component"`
	Value     json.RawMessage `json:"value"`
	Rationale *string         `json:"rationale"`
}

// unreadableError is the reason why an answer cannot be read as a proposal.
type unreadableError struct{ error }

// read parses an answer, which is untrusted text and may have been cut off. The error
// gives the reason why the answer is not a proposal, in words that follow "the answer".
func read(answer string, cut bool) (proposal, error) {
	var p proposal
	if len(answer) > maxAnswer {
		return p, fmt.Errorf("is too long: %d bytes", len(answer))
	}
	if cut {
		return readCut(answer)
	}
	dec := json.NewDecoder(strings.NewReader(unfenced(answer)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, errors.New("is not the JSON object that was asked for")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("has text after the JSON object")
	}
	if p.Component == nil || p.Value == nil || p.Rationale == nil {
		return p, errors.New("lacks a component, a value or a rationale")
	}
	return p, nil
}

// readCut parses an answer that was cut off in its rationale, which is the last member.
func readCut(answer string) (proposal, error) {
	p := proposal{Rationale: new(string)}
	*p.Rationale = "the model's reason was cut off"
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(strings.TrimSpace(answer), "```json")))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return p, errCut
	}
	for {
		key, err := dec.Token()
		var v json.RawMessage
		if err != nil || dec.Decode(&v) != nil {
			break
		}
		switch key {
		case "component":
			_ = json.Unmarshal(v, &p.Component) // a value of another type leaves p.Component nil
		case "value":
			p.Value = v
		}
	}
	if p.Component == nil || p.Value == nil {
		return p, errCut
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

// value decodes the proposed value; numbers keep the form in which the model wrote them.
func (p proposal) value() (any, error) {
	dec := json.NewDecoder(bytes.NewReader(p.Value))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
