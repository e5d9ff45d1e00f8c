package reflection

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"evolve/mutate"
	"evolve/mutate/blocks"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

//go:embed code.md
var codeTask string

// Limits, in bytes, on the material that a request for code shows.
const (
	maxSource   = 12000 // bytes of the source around a block
	maxVersion  = 4000  // bytes of the text of another version
	maxCodeNote = 6000  // bytes of the results of earlier proposals
	maxFailure  = 800   // bytes of the output of a version that failed
	maxProfile  = 4000  // bytes of the profile of the unchanged code
)

const (
	// codeTokens is the maximum number of tokens in an answer with code.
	codeTokens = 6000
	// maxChanges is the maximum number of edits in one answer.
	maxChanges = 50
	// codeRationale is the rationale of a text that the model gave without a rationale.
	codeRationale = "the model wrote this text and gave no reason"
)

// writesCode reports whether the component is a block of source code.
func (m Material) writesCode() bool {
	p, _ := m.Space.Lookup(m.Component)
	return p.Kind == agent.Text && p.Use == agent.Code
}

// codeExtent is the amount of material that a request for code shows.
type codeExtent struct{ cases, others, tried, source, version, note, profile int }

// codeRequest returns the request for a block of code, with as much material as fits into
// the number of tokens that the model can read.
func (m Material) codeRequest(route string, seed int64) *model.Request {
	extents := []codeExtent{
		{maxCases, 3, 8, maxSource, maxVersion, maxCodeNote, maxProfile},
		{maxCases, 2, 4, maxSource / 3, maxVersion / 2, maxCodeNote / 2, maxProfile / 2},
		{3, 1, 2, maxSource / 8, maxVersion / 4, maxCodeNote / 4, maxProfile / 4},
		{2, 0, 1, 0, maxVersion / 8, maxCodeNote / 8, 0},
	}
	for n := 0; ; n++ {
		req := m.codeRequestAt(extents[n], route, seed)
		if m.Room <= 0 || n == len(extents)-1 || tokens(req) <= m.Room {
			return req
		}
	}
}

func (m Material) codeRequestAt(x codeExtent, route string, seed int64) *model.Request {
	order := "Change the block so that the program does better on cases of this kind, and keep what works."
	if m.Form == mutate.Rewrite {
		order = "Write the block anew as a whole, by another idea than the present one, so that the program does better on cases of this kind."
	}
	req := &model.Request{
		System: []model.Section{{Name: "TASK", Text: codeTask}}, Goal: order, Remaining: 1,
		Sampling: model.Sampling{Route: route, Seed: seed, MaxTokens: codeTokens},
	}
	add := func(key, text string) {
		if text != "" {
			req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: text})
		}
	}
	p, _ := m.Space.Lookup(m.Component)
	add("where block "+m.Component+" stands", p.Description)
	add("source around the block", memory.Cut(m.Source, x.source))
	add("imports that nothing else in the file uses, each of which the block must keep in use", memory.Cut(m.Imports, maxEvent))
	add("the block", m.Config.String(m.Component))
	room := x.source
	for _, other := range m.Space.Params {
		if other.Use != agent.Code || other.Kind != agent.Text || other.Name == m.Component || room <= 0 {
			continue
		}
		text := memory.Cut(m.Config.String(other.Name), room)
		room -= len(text)
		add("block "+other.Name+" of the same version, which stays as it is", text)
	}
	for i, c := range m.Cases[:min(len(m.Cases), x.cases)] {
		raw, err := json.Marshal(struct {
			Case    string        `json:"case"`
			Score   float64       `json:"score"`
			Outcome agent.Outcome `json:"outcome"`
			Value   string        `json:"printed,omitempty"`
			Reasons []string      `json:"errors,omitempty"`
		}{c.Task, c.Score, c.Outcome, memory.Cut(c.Answer, maxEvent), cuts(c.Reasons)})
		if err == nil { // values of these types can always be encoded
			add(fmt.Sprintf("case %d", i+1), string(raw))
		}
	}
	add("profile of the code in use", memory.Cut(m.Profile, x.profile))
	for i, o := range m.Others[:min(len(m.Others), x.others)] {
		add(fmt.Sprintf("another version %d, with a gain of %+.3f: %s", i+1, o.Gain, memory.Line(o.Rationale, maxEvent)), memory.Cut(o.Text, x.version))
	}
	for i, t := range m.Tried[:min(len(m.Tried), x.tried)] {
		what := fmt.Sprintf("an earlier change %d, with a gain of %+.3f over what it changed", i+1, t.Gain)
		text := memory.Line(t.Rationale, maxEvent) + "\n" + memory.Cut(t.Text, x.version/2)
		if t.Unscored {
			what = fmt.Sprintf("an earlier change %d, which has no result yet", i+1)
		}
		if t.Refused != "" {
			what, text = fmt.Sprintf("an earlier change %d, which was refused", i+1), memory.Cut(t.Refused, maxEvent)
		}
		add(what, text)
		add(fmt.Sprintf("how the earlier change %d failed", i+1), memory.Cut(t.Failed, maxFailure))
	}
	add("what became of earlier proposals", memory.Cut(m.Feedback, x.note))
	return req
}

// judgeCode converts an answer with code to a draft, or returns the reason for its refusal,
// in words that follow "the answer".
func (m Material) judgeCode(answer string, cut bool) (mutate.Draft, error) {
	answer = strings.ReplaceAll(answer, "\r\n", "\n")
	switch {
	case len(answer) > maxAnswer:
		return mutate.Draft{}, fmt.Errorf("is too long: %d bytes", len(answer))
	case cut:
		return mutate.Draft{}, errCut
	case plain(answer) == nothing:
		return mutate.Draft{}, errors.New("proposes no change")
	}
	before := m.Config.String(m.Component)
	after, said, err := newCode(before, answer)
	if err != nil {
		return mutate.Draft{}, err
	}
	if after == before {
		return mutate.Draft{}, errors.New("changes nothing")
	}
	if err := blocks.Check(after); err != nil {
		return mutate.Draft{}, fmt.Errorf("cannot be used: %w", err)
	}
	if m.Problem != nil {
		if text := m.Problem(m.Component, after); text != "" {
			return mutate.Draft{}, fmt.Errorf("cannot be used: it %s", text)
		}
	}
	why := memory.Line(said, maxRationale)
	if why == "" {
		why = codeRationale
	}
	if err := m.admit(before, after, why); err != nil {
		return mutate.Draft{}, err
	}
	c := m.Config.Clone()
	c[m.Component] = after
	return mutate.Draft{Config: c, Rationale: why}, nil
}

// searchLine, middleLine and replaceLine are the lines that delimit the parts of an edit.
const (
	searchLine  = "<<<<<<< SEARCH"
	middleLine  = "======="
	replaceLine = ">>>>>>> REPLACE"
)

// newCode returns the new text of a block that an answer gives, and the explanation that
// the answer gives for it.
func newCode(before, answer string) (after, said string, err error) {
	if said, rest, edits := strings.Cut(answer, searchLine+"\n"); edits {
		after, err = edited(before, rest)
		return framed(before, after), unfence(said), err
	}
	text, said := "", ""
	for rest := answer; ; {
		head, tail, found := strings.Cut("\n"+rest, "\n```")
		if !found {
			break
		}
		if _, tail, found = strings.Cut(tail, "\n"); !found { // after the language
			break
		}
		code, next, closed := strings.Cut("\n"+tail, "\n```")
		if !closed {
			return "", "", unreadableError{errors.New("has a code block that does not end")}
		}
		if said == "" {
			said = head
		}
		if len(code) > len(text) {
			text = code
		}
		rest = next
	}
	if text == "" {
		return "", "", unreadableError{errors.New("has no code block")}
	}
	return framed(before, unmarked(strings.Trim(text, "\n")+"\n")), said, nil
}

// framed returns the new text of a block with the same blank lines at its ends as the old
// text. Otherwise the patch would also change these blank lines, without any effect.
func framed(before, after string) string {
	if strings.TrimSpace(before) == "" || strings.TrimSpace(after) == "" {
		return after
	}
	head, _, tail := frame(before)
	_, body, _ := frame(after)
	return head + body + tail
}

// frame splits a text that is not blank into its leading blank lines, the lines between,
// and its trailing blank lines.
func frame(text string) (head, body, tail string) {
	first := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	first = strings.LastIndexByte(text[:first], '\n') + 1
	last := len(strings.TrimRightFunc(text, unicode.IsSpace))
	if i := strings.IndexByte(text[last:], '\n'); i >= 0 {
		last += i + 1
	} else {
		last = len(text)
	}
	return text[:first], text[first:last], text[last:]
}

// edited returns a text after the edits in an answer have been applied. The parameter edits
// is the part of the answer after the first line of the first edit.
func edited(text, edits string) (string, error) {
	for n := 1; ; n++ {
		old, rest, ok := strings.Cut("\n"+edits, "\n"+middleLine+"\n")
		now, tail, done := strings.Cut("\n"+rest, "\n"+replaceLine)
		if n > maxChanges {
			return "", unreadableError{fmt.Errorf("has more than %d edits", maxChanges)}
		}
		if !ok || !done {
			return "", unreadableError{fmt.Errorf("has an incomplete edit: edit %d", n)}
		}
		old, now = strings.TrimPrefix(old, "\n")+"\n", strings.TrimPrefix(now, "\n")
		if now != "" {
			now += "\n"
		}
		switch at := occurrences(text, old); len(at) {
		case 1:
			text = text[:at[0]] + now + text[at[0]+len(old):]
		case 0:
			return "", fmt.Errorf("edits lines that the block does not contain: edit %d", n)
		default:
			return "", fmt.Errorf("edits lines that the block contains more than once: edit %d", n)
		}
		_, next, more := strings.Cut(tail, searchLine+"\n")
		if !more {
			return text, nil
		}
		edits = next
	}
}

// occurrences returns the offsets at which the given whole lines occur in a text.
func occurrences(text, lines string) []int {
	var at []int
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], lines) {
			at = append(at, i)
		}
		_, rest, _ := strings.Cut(text[i:], "\n")
		i = len(text) - len(rest)
	}
	return at
}

// unmarked removes the marker lines of the block from the ends of its text.
func unmarked(text string) string {
	if line, rest, ok := strings.Cut(text, "\n"); ok && strings.Contains(line, "evolve:begin") {
		text = rest
	}
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n'); strings.Contains(text[i+1:], "evolve:end") {
		text = text[:i+1]
	}
	return text
}

// unfence removes the line that opens a code block if it is the last line of a text.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex("\n"+text, "\n```"); i >= 0 && !strings.Contains(text[i:], "\n") {
		text = text[:i]
	}
	return text
}
