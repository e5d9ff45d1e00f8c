package reflection

import (
	"errors"
	"fmt"
	"slices"
	"unicode"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/safety"
)

// maxRationale bounds a rationale, in bytes.
const maxRationale = 400

// judge turns an answer into a draft, or says why it is refused, in words that follow
// "the answer". Whatever it accepts is canonical in the space and differs from the
// config in the component, and in what the component switches on or off.
func (m Material) judge(answer string) (mutate.Draft, error) {
	p, err := read(answer)
	if err != nil {
		return mutate.Draft{}, err
	}
	if *p.Component != m.Component {
		return mutate.Draft{}, errors.New("changes another component than the one that was asked for")
	}
	param, ok := m.Space.Lookup(m.Component)
	before, active := m.Config[m.Component]
	if !ok || !active {
		return mutate.Draft{}, errors.New("changes a component that the config does not have")
	}
	raw, err := p.value()
	if err != nil {
		return mutate.Draft{}, errors.New("has a value that is no JSON")
	}
	v, err := param.Coerce(raw)
	if err != nil {
		return mutate.Draft{}, fmt.Errorf("has a value that %w", err)
	}
	rationale := memory.Line(*p.Rationale, maxRationale)
	if rationale == "" {
		return mutate.Draft{}, errors.New("gives no rationale")
	}
	if err := m.admit(before, v, rationale); err != nil {
		return mutate.Draft{}, err
	}
	c := m.Config.Clone()
	c[m.Component] = v
	c = m.Space.Canonical(c)
	if c.Equal(m.Config) {
		return mutate.Draft{}, errors.New("changes nothing")
	}
	scene := operator.Scene{Space: m.Space, Parent: m.Config, Lineage: m.Lineage}
	if why, refused := operator.Refuse(scene, operator.Child{Config: c}); refused {
		return mutate.Draft{}, fmt.Errorf("is not new: %s", why)
	}
	return mutate.Draft{Config: c, Rationale: rationale}, nil
}

// admit checks the words of a change. Values that are no free text have none of
// their own.
func (m Material) admit(before, after any, rationale string) error {
	old, _ := before.(string)
	if text, ok := after.(string); ok {
		if r, hidden := hiddenRune(text); hidden {
			return fmt.Errorf("holds the hidden character %U", r)
		}
		// A sign that instructions from a transcript were taken over. That there is none
		// proves nothing; a person sees the change before it is adopted.
		known := safety.Marks(old)
		for _, mark := range safety.Marks(text) {
			if !slices.Contains(known, mark) {
				return fmt.Errorf("holds a phrase of an attack: %q", mark)
			}
		}
		if err := m.copies(old, text); err != nil {
			return err
		}
	}
	return m.copies("", rationale)
}

// copies refuses passages of tasks' answers that were not in the text before. It does
// not repeat them: they may be the holdout's.
func (m Material) copies(before, after string) error {
	if m.Answers == nil {
		return nil
	}
	known := map[string]bool{}
	for _, c := range m.Answers.Find(before) {
		known[c.Words] = true
	}
	for _, c := range m.Answers.Find(after) {
		if !known[c.Words] {
			return errors.New("copies words of a task's answer")
		}
	}
	return nil
}

// hiddenRune finds a character that a person would not see: a control character other
// than tab and line break, one of Unicode's format characters, such as bidirectional
// marks, zero-width signs and tags, or one of the further variation selectors.
func hiddenRune(text string) (rune, bool) {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
		case unicode.Is(unicode.C, r), r == 0x2028, r == 0x2029, r >= 0xE0100 && r <= 0xE01EF:
			return r, true
		}
	}
	return 0, false
}

// changeable reports whether a component has another value to offer than its own.
func changeable(p agent.Param) bool { return p.Kind == agent.Text || !operator.Fixed(p) }
