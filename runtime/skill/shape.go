package skill

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// maxFold is the maximum number of steps in a repeated piece that is folded.
const maxFold = 4

var wordForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,79}$`)

// step is one position of a shape with every call that was made there.
type step struct {
	tool string
	keys []string // sorted
	uses []use
}

// use is one call: its arguments as text, its output, and the number of successful calls
// that preceded it.
type use struct {
	args   map[string]string
	output string
	before int
}

func (s step) sign() string { return s.tool + "(" + strings.Join(s.keys, ",") + ")" }

// path holds the steps of one transcript.
type path struct {
	steps []step
	// known holds the words of the goal, followed by the words of each call's output.
	known []map[string]bool
	// failed contains the number of calls that did not end ok, keyed by outcome.
	failed map[agent.Outcome]int
}

// follow extracts the successful tool calls from a transcript and folds repetitions. It
// returns false if there are none, or if the shape is unknown because the transcript is
// incomplete or a call is malformed.
func follow(goal string, t agent.Transcript) (path, bool) {
	p := path{known: []map[string]bool{words(goal)}, failed: map[agent.Outcome]int{}}
	for _, e := range t.Events {
		if e.Kind != agent.EventTool {
			continue
		}
		if e.Outcome != agent.OK {
			if e.Outcome.Valid() {
				p.failed[e.Outcome]++
			}
			continue
		}
		var raw map[string]json.RawMessage
		if !wordForm.MatchString(e.Name) || json.Unmarshal(e.Data, &raw) != nil || raw == nil {
			return path{}, false
		}
		s := step{tool: e.Name, keys: slices.Sorted(maps.Keys(raw))}
		u := use{args: map[string]string{}, output: e.Text, before: len(p.steps)}
		for k, v := range raw {
			if !wordForm.MatchString(k) {
				return path{}, false
			}
			u.args[k] = plain(v)
		}
		s.uses = []use{u}
		p.steps = append(p.steps, s)
		p.known = append(p.known, words(e.Text))
	}
	p.steps = fold(p.steps)
	return p, len(p.steps) > 0 && t.Dropped == 0
}

// plain returns a JSON value as text: a string as it is, anything else in compact form.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return ""
	}
	return b.String()
}

// fold merges a piece of up to maxFold steps into an equal piece right before it, until
// there are no such pieces: doing something once and doing it several times in a row count
// as the same.
func fold(steps []step) []step {
	for n := 1; n <= maxFold; n++ {
		for i := n; i+n <= len(steps); {
			if !slices.EqualFunc(steps[i-n:i], steps[i:i+n], func(a, b step) bool { return a.sign() == b.sign() }) {
				i++
				continue
			}
			for j := range n {
				steps[i-n+j].uses = append(steps[i-n+j].uses, steps[i+j].uses...)
			}
			steps = slices.Delete(steps, i, i+n)
			n, i = 1, 1 // start again: a merge may have made other neighbours equal
		}
	}
	return steps
}

// shape returns the steps on one line.
func (p path) shape() string {
	signs := make([]string, len(p.steps))
	for i, s := range p.steps {
		signs[i] = s.sign()
	}
	return strings.Join(signs, " ")
}

// words returns the set of words in a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	memory.EachWord(text, func(w string) { set[w] = true })
	return set
}
