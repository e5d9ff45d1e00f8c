package memory

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// maxCompared is how many of the memories nearest to another one are compared with it.
const maxCompared = 50

// Known finds which of many memories state what another one states. In contrast to an
// [Index] it includes retracted memories.
type Known struct {
	lex       *Lexicon
	index     *Index
	byID      map[string]agent.Memory
	byWording map[string]string // wording → id
}

// NewKnown returns a Known over memories; it keeps the list.
func NewKnown(lex *Lexicon, memories []agent.Memory) *Known {
	k := &Known{lex: lex, byID: make(map[string]agent.Memory, len(memories)), byWording: make(map[string]string, len(memories))}
	whole := slices.Clone(memories)
	for i, m := range memories {
		k.byID[m.ID], k.byWording[wording(m)] = m, m.ID
		whole[i].Retracted = ""
	}
	k.index = NewIndex(lex, whole)
	return k
}

// wording is a memory's domain and text, without differences of case, white space and the
// mark at its end.
func wording(m agent.Memory) string {
	domain := m.Domain
	if domain == GlobalDomain {
		domain = ""
	}
	return domain + "\x00" + strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(m.Text), " ")), ".!;")
}

// Has reports whether a memory with the id of m or with its statement, in its domain or in
// all domains, is known, and returns its id.
func (k *Known) Has(m agent.Memory) (id string, ok bool) {
	if _, ok := k.byID[m.ID]; ok {
		return m.ID, true
	}
	if id, ok := k.byWording[wording(m)]; ok {
		return id, true
	}
	claim := k.lex.Claim(m.Text)
	for _, other := range k.near(m) {
		if k.lex.Claim(other.Text).Same(claim) && other.Answer == m.Answer {
			return other.ID, true
		}
	}
	return "", false
}

// Contradicted returns the ids of the memories that are not retracted and that give the
// subject of m another number or date, in its domain or in all domains.
func (k *Known) Contradicted(m agent.Memory) []string {
	claim := k.lex.Claim(m.Text)
	var ids []string
	for _, other := range k.near(m) {
		if other.Retracted == "" && k.lex.Claim(other.Text).Contradicts(claim) {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// near returns the memories with the most words of m that a turn in its domain may recall,
// the nearest first.
func (k *Known) near(m agent.Memory) []agent.Memory {
	text := m.Text
	if len(text) > maxClaimBytes {
		text = text[:maxClaimBytes]
	}
	terms := k.lex.Terms(nil, text)
	var out []agent.Memory
	for _, c := range k.index.rank(terms, maxCompared, func(i int32, score float64) (float64, bool) {
		other := k.index.entry(i)
		return score, other.Domain == "" || other.Domain == GlobalDomain || other.Domain == m.Domain
	}) {
		out = append(out, k.byID[k.index.entry(c.entry).ID])
	}
	return out
}
