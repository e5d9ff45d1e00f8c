package grade

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// jsonPath passes when a value that the path selects in the JSON of the answer equals
// "answer", which may be any JSON value; without "answer" it passes when anything is
// selected. The path is a subset of JSONPath (RFC 9535): $ for the whole value, .name or
// ['name'] for a member, [2] for an item counted from 0, [-1] for an item counted from the
// end, .* or [*] for all members or items.
func jsonPath(b *builder) scorer {
	steps, err := parsePath(b.text("path"))
	if err != nil {
		b.problem("path", "%v", err)
		return nil
	}
	var want any
	given := false
	if raw, ok := b.fields["answer"]; ok { // null is a value here
		if want, err = readJSON(string(raw)); err != nil {
			b.problem("answer", "%v", err)
			return nil
		}
		given = true
	}
	return onAnswer(func(answer string) judgement {
		doc, err := jsonIn(answer)
		if err != nil {
			return judgement{reason: err.Error(), void: true}
		}
		found := []any{doc}
		for _, s := range steps {
			found = s.from(found)
		}
		if len(found) == 0 {
			return yes(false, "the path selects nothing")
		}
		if !given {
			return yes(true, "the path selects at least one value")
		}
		for _, v := range found {
			if equalJSON(v, want) {
				return yes(true, "is %s", show(compact(want)))
			}
		}
		return yes(false, "is %s, not %s", show(compact(found[0])), show(compact(want)))
	})
}

// step selects the member with a name, the item at an index, or all members or items.
type step struct {
	name  string
	index int
	kind  byte // n, i, *
}

// from applies the step to every value. No value is selected twice, so the result is
// never larger than the document.
func (s step) from(values []any) []any {
	var out []any
	for _, v := range values {
		switch v := v.(type) {
		case map[string]any:
			switch s.kind {
			case 'n':
				if m, ok := v[s.name]; ok {
					out = append(out, m)
				}
			case '*':
				for _, name := range slices.Sorted(maps.Keys(v)) {
					out = append(out, v[name])
				}
			}
		case []any:
			if s.kind == '*' {
				out = append(out, v...)
			} else if i := s.index; s.kind == 'i' {
				if i < 0 {
					i += len(v)
				}
				if i >= 0 && i < len(v) {
					out = append(out, v[i])
				}
			}
		}
	}
	return out
}

// stepPattern matches one step of a path: a name, a quoted name, an index, or all.
var stepPattern = regexp.MustCompile(`^(?:\.([^.\[\]()?@'" *]+)|\['([^\\]*?)'\]|\["([^\\]*?)"\]|\[(-?[0-9]{1,9})\]|\.\*|\[\*\])`)

func parsePath(path string) ([]step, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok || len(path) > 1000 {
		return nil, errors.New("a path must begin with $ and have at most 1000 bytes")
	}
	var steps []step
	for rest != "" {
		m := stepPattern.FindStringSubmatch(rest)
		switch {
		case strings.HasPrefix(rest, ".."):
			return nil, errors.New("the path step .. is not supported")
		case m == nil:
			return nil, fmt.Errorf("the path is not valid from %s on", show(rest))
		case m[0] == ".*", m[0] == "[*]":
			steps = append(steps, step{kind: '*'})
		case m[4] != "":
			i, err := strconv.Atoi(m[4])
			if err != nil {
				return nil, err
			}
			steps = append(steps, step{kind: 'i', index: i})
		default:
			steps = append(steps, step{kind: 'n', name: m[1] + m[2] + m[3]})
		}
		rest = rest[len(m[0]):]
	}
	return steps, nil
}
