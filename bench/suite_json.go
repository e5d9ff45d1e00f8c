package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// jsonNode is a parsed JSON value with its position. The standard decoder does not return
// the positions of keys, which are needed to find a problem in a suite of a thousand
// lines.
type jsonNode struct {
	// kind is '{' for an object, '[' for a list, '"' for text, '0' for a number, 't' for a
	// boolean, and 'n' for null.
	kind    byte
	off     int // byte offset in the line
	text    string
	members []jsonMember
	items   []jsonNode
}

type jsonMember struct {
	key string
	off int
	val jsonNode
}

// get returns the value of the first member of an object whose key equals key. It reports
// false if there is no such member or if the value is null.
func (n jsonNode) get(key string) (jsonNode, bool) {
	for _, m := range n.members {
		if m.key == key {
			return m.val, m.val.kind != 'n'
		}
	}
	return jsonNode{}, false
}

// name returns a user-facing description of a value's kind.
func (n jsonNode) name() string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case '0':
		return "a number"
	case 't':
		return "true or false"
	}
	return "null"
}

// jsonError is a syntax error at a byte offset of the line.
type jsonError struct {
	off  int
	text string
}

// parseJSON parses one JSON value and records the byte offsets of its parts.
func parseJSON(line []byte) (jsonNode, *jsonError) {
	if json.Valid(line) {
		p := jsonParser{line: line}
		return p.value(), nil
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(line, &whole); errors.As(err, &syntax) {
		off := min(max(int(syntax.Offset)-1, 0), len(line))
		return jsonNode{}, &jsonError{off, fmt.Sprintf("is not valid JSON: %v", syntax)}
	}
	return jsonNode{}, &jsonError{0, "is not valid JSON"}
}

// jsonParser parses a line that the standard library has found valid, so it needs no
// checks of its own.
type jsonParser struct {
	line []byte
	i    int
}

// skip skips white space, commas and colons and returns the next byte.
func (p *jsonParser) skip() byte {
	for {
		switch c := p.line[p.i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			p.i++
		default:
			return c
		}
	}
}

func (p *jsonParser) value() jsonNode {
	c := p.skip()
	n := jsonNode{kind: c, off: p.i}
	switch c {
	case '{':
		p.i++
		for p.skip() != '}' {
			off := p.i
			key := p.text()
			n.members = append(n.members, jsonMember{key, off, p.value()})
		}
		p.i++
	case '[':
		p.i++
		for p.skip() != ']' {
			n.items = append(n.items, p.value())
		}
		p.i++
	case '"':
		n.text = p.text()
	default:
		for p.i < len(p.line) && bytes.IndexByte([]byte(" \t\r\n,:]}"), p.line[p.i]) < 0 {
			p.i++
		}
		switch c {
		case 'n':
		case 't', 'f':
			n.kind = 't'
		default:
			n.kind, n.text = '0', string(p.line[n.off:p.i])
		}
	}
	return n
}

// text parses a JSON string.
func (p *jsonParser) text() string {
	start := p.i
	escaped := false
	for p.i++; p.line[p.i] != '"'; p.i++ {
		if p.line[p.i] == '\\' {
			escaped = true
			p.i++
		}
	}
	p.i++
	quoted := p.line[start:p.i]
	if !escaped {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(quoted) // unreachable: it is valid
	}
	return s
}
