package memory

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// maxCompared is the maximum number of memories, nearest first, with which a memory is
// compared.
const maxCompared = 50

// Known finds memories that make the same statement as a given memory. Unlike an [Index],
// it also considers retracted memories.
type Known struct {
	lex       *Lexicon
	index     *Index
	byID      map[string]agent.Memory
	byWording map[string]string // wording → id
}

// NewKnown returns a Known over memories, including retracted ones.
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

// wording returns a key for a memory's domain and text that ignores differences in case,
// white space and final punctuation.
func wording(m agent.Memory) string {
	domain := m.Domain
	if domain == GlobalDomain {
		domain = ""
	}
	return domain + "\x00" + strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(m.Text), " ")), ".!;")
}

// Has reports whether k holds a memory that has m's id, or m's statement in m's domain or
// in all domains, and returns that memory's id.
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

// Contradicted returns the ids of the memories that give the subject of m another number
// or date. It considers only memories that are not retracted and that belong to m's
// domain or to all domains.
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

// near returns up to maxCompared memories that a turn in m's domain may recall and that
// share words with m, the nearest first.
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
