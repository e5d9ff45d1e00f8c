package tokens

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"evolve/mutate/rewrite"
	foreign "evolve/runtime/text"
)

// Limits on texts, and on the search for a valid change.
const (
	mostText   = 64 << 10 // bytes
	mostTokens = 4096     // the maximum for the block; a result may have three times as many tokens
	mostDraws  = 40       // of operators
	mostTries  = 3        // of one operator
	shownSide  = 60       // characters of the old or the new code in a description
)

// Rewriter rewrites the text of a block.
type Rewriter struct {
	language   *language
	vocabulary *vocabulary
	most       int // tokens
}

// New returns the Rewriter for a block. The name of the block's file determines the
// language. New returns an error if the block is too large.
func New(file, text string) (*Rewriter, error) {
	r := &Rewriter{language: languageOf(file)}
	r.vocabulary = newVocabulary(r.language.sql)
	if len(text) > mostText {
		return nil, fmt.Errorf("it has %d bytes; the limit for rewriting is %d", len(text), mostText)
	}
	size := r.read(text).size
	if size > mostTokens {
		return nil, fmt.Errorf("it has %d names, numbers and symbols; the limit for rewriting is %d", size, mostTokens)
	}
	r.most = 3*size + 100
	return r, nil
}

// Mutate returns a text changed by one operator, which is drawn at random. It returns false
// if nothing in the text can be changed. The result depends only on the text and on rng.
func (r *Rewriter) Mutate(text string, rng *rand.Rand) (rewrite.Change, bool) {
	return r.try(text, "", operators, rng)
}

// Cross returns a text that contains an expression or a line from another text.
func (r *Rewriter) Cross(text, other string, rng *rand.Rand) (rewrite.Change, bool) {
	return r.try(text, other, crossings, rng)
}

// Renumber returns a text in which each occurrence of one number is replaced by another. It
// returns false if the number does not occur. Both numbers are given in digits.
func (r *Rewriter) Renumber(text, from, to string) (rewrite.Change, bool) {
	if len(text) > mostText {
		return rewrite.Change{}, false
	}
	m := &mutation{view: r.read(text), other: r.read(""), normal: r.Normal(text)}
	var c change
	for _, i := range m.where(func(i int) bool { return m.items[i].kind == number && m.items[i].text == from }) {
		one, ok := m.replace(place{i, i}, to)
		if !ok {
			return rewrite.Change{}, false
		}
		one.edits = append(c.edits, one.edits...)
		c = one
	}
	if len(c.edits) == 0 {
		return rewrite.Change{}, false
	}
	out := m.apply(c.edits)
	return rewrite.Change{Text: out, Operator: "constant", Describes: m.describe(c)}, m.accepts(out)
}

func (r *Rewriter) try(text, other string, list []operator, rng *rand.Rand) (rewrite.Change, bool) {
	if len(text) > mostText || len(other) > mostText {
		return rewrite.Change{}, false
	}
	m := &mutation{view: r.read(text), other: r.read(other), rng: rng}
	if max(m.size, m.other.size) > r.most {
		return rewrite.Change{}, false
	}
	m.places, m.normal = m.values(), r.Normal(text)
	total := 0
	for _, o := range list {
		total += o.weight
	}
	for range mostDraws {
		o, n := list[0], rng.IntN(total)
		for _, o = range list {
			if n -= o.weight; n < 0 {
				break
			}
		}
		for range mostTries {
			c, ok := o.apply(m)
			if !ok {
				continue
			}
			if out := m.apply(c.edits); m.accepts(out) {
				return rewrite.Change{Text: out, Operator: o.name, Describes: m.describe(c)}, true
			}
		}
	}
	return rewrite.Change{}, false
}

// mutation is the state of one change, which the operators read.
type mutation struct {
	*view
	other  *view
	places []place
	normal string
	rng    *rand.Rand
}

// edit replaces a range of bytes.
type edit struct {
	from, to int
	text     string
}

// change is one change, with the old and the new code for its description.
type change struct {
	edits         []edit
	before, after string
	at            int
}

// apply returns the text with the given edits applied. The edits must not overlap.
func (v *view) apply(edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(v.text[at:e.from] + e.text)
		at = e.to
	}
	return b.String() + v.text[at:]
}

// accepts reports whether a text is a valid result of the mutation.
func (m *mutation) accepts(text string) bool {
	next := m.r.read(text)
	if len(text) > mostText || next.size > m.r.most || next.open != m.open || !slices.Equal(next.heads(), m.heads()) || strings.TrimSpace(text) == "" {
		return false
	}
	for s, n := range next.strings {
		if m.strings[s] == 0 && m.other.strings[s] == 0 || n > 2*(m.strings[s]+m.other.strings[s]) {
			return false
		}
	}
	return m.r.Normal(text) != m.normal
}

// heads returns the tokens that no operator may change, such as the heads of declarations
// and loops, in the order of the text.
func (v *view) heads() []string {
	var out []string
	for _, x := range v.items {
		if x.fixed && !v.r.language.shell {
			out = append(out, x.text)
		}
	}
	return out
}

// describe returns the description of a change on one line.
func (v *view) describe(c change) string {
	side := func(s string) string {
		return foreign.OneLine(foreign.Clip(strings.Join(strings.Fields(s), " "), shownSide, foreign.Runes, foreign.Mark))
	}
	at := "line " + strconv.Itoa(1+strings.Count(v.text[:c.at], "\n")) + ": "
	switch {
	case c.before == "":
		return at + "insert " + side(c.after)
	case c.after == "":
		return at + "delete " + side(c.before)
	}
	return at + side(c.before) + " → " + side(c.after)
}

// Normal returns the normal form of a text: its tokens without comments, empty lines or
// white space within lines. Line ends and the order of indentations are preserved,
// because they have a meaning in some languages.
func (r *Rewriter) Normal(text string) string {
	var b strings.Builder
	levels := []int{0}
	width, begun, blank := 0, false, true // blank: only white space precedes the token on its line
	for _, t := range lex(r.language, r.vocabulary, text) {
		s := text[t.from:t.to]
		switch {
		case t.kind == newline:
			if begun {
				b.WriteByte('\n')
			}
			width, begun, blank = 0, false, true
		case t.kind == space && blank:
			for _, c := range s {
				if width++; c == '\t' {
					width += 7 - (width-1)%8
				}
			}
		case t.kind <= comment:
			blank = t.kind == space && blank
		default:
			if !begun {
				for len(levels) > 1 && width < levels[len(levels)-1] {
					levels = levels[:len(levels)-1]
				}
				if width > levels[len(levels)-1] {
					levels = append(levels, width)
				}
				b.WriteString(strings.Repeat("\t", len(levels)-1))
			}
			begun, blank = true, false
			b.WriteString(s + " ")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
