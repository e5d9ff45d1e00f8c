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

// The constant nothing is the answer of a model that has no proposal. A model whose
// answers must follow a schema gives this answer as the value.
const nothing = "unknown"

// maxRationale is the maximum length of a rationale, in bytes.
const maxRationale = 400

// judge converts a proposal to a draft, or returns the reason for its refusal, in words that
// follow "the answer".
func (m Material) judge(p proposal) (mutate.Draft, error) {
	if *p.Component != m.Component {
		return mutate.Draft{}, errors.New("changes a component other than the one that was asked for")
	}
	raw, err := p.value()
	if err != nil {
		return mutate.Draft{}, errors.New("has a value that is not JSON")
	}
	return m.accept(raw, *p.Rationale)
}

// accept converts a proposed value to a draft, or returns the reason for its refusal, in
// words that follow "the answer". The draft is canonical in the space and differs from
// the config only in the component and in the parameters that the component activates or
// deactivates.
func (m Material) accept(raw any, why string) (mutate.Draft, error) {
	param, ok := m.Space.Lookup(m.Component)
	before, active := m.Config[m.Component]
	if !ok || !active {
		return mutate.Draft{}, errors.New("changes a component that the config does not have")
	}
	if m.demonstrates() {
		raw = demonstrations(raw)
	}
	v, err := param.Coerce(raw)
	if err != nil {
		return mutate.Draft{}, fmt.Errorf("has a value that %w", err)
	}
	rationale := memory.Line(why, maxRationale)
	if rationale == "" {
		return mutate.Draft{}, errors.New("gives no rationale")
	}
	if text, ok := v.(string); ok && param.Kind == agent.Text {
		if text, err = m.shorten(param, text); err != nil {
			return mutate.Draft{}, err
		}
		if plain(text) == nothing {
			return mutate.Draft{}, errors.New("proposes no change")
		}
		v = text
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
	given := operator.FailureContext{Space: m.Space, Parent: m.Config, Lineage: m.Lineage}
	if why, refused := operator.Refuse(given, operator.Child{Config: c}); refused {
		return mutate.Draft{}, fmt.Errorf("was refused: %s", why)
	}
	return mutate.Draft{Config: c, Rationale: rationale}, nil
}

// admit checks the text of a change. Values other than texts contain no free text.
func (m Material) admit(before, after any, rationale string) error {
	old, _ := before.(string)
	if text, ok := after.(string); ok {
		if r, hidden := hiddenRune(text); hidden {
			return fmt.Errorf("contains the hidden character %U", r)
		}
		// The marks are a sign that instructions were copied from a transcript. Their
		// absence proves nothing; a person reviews the change before it is adopted.
		known := safety.Marks(old)
		for _, mark := range safety.Marks(text) {
			if !slices.Contains(known, mark) {
				return fmt.Errorf("contains a phrase that is typical of attacks: %q", mark)
			}
		}
		if err := m.copies(old, text, m.demonstrates()); err != nil {
			return err
		}
	}
	return m.copies("", rationale, false)
}

// copies returns an error if the text after a change contains passages of tasks' answers
// that the text before the change did not contain. The error does not quote the passages,
// because they may be from the holdout. Demonstrations may contain answers to search tasks.
func (m Material) copies(before, after string, demonstrations bool) error {
	if m.Answers == nil {
		return nil
	}
	known := map[string]bool{}
	for _, c := range m.Answers.Find(before) {
		known[c.Words] = true
	}
	for _, c := range m.Answers.Find(after) {
		if !known[c.Words] && !(demonstrations && m.Dataset.ids[c.Task]) {
			return errors.New("copies words from a task's answer")
		}
	}
	return nil
}

// hiddenRune returns an invisible character in a text, if there is one: a control character
// other than tab and line break, one of Unicode's format characters, such as bidirectional
// marks, zero-width signs and tags, or a supplementary variation selector.
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

// changeable reports whether a component can have another value.
func changeable(p agent.Param) bool { return p.Kind == agent.Text || !operator.Fixed(p) }
