package memory

import (
	"context"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Asked is a question that an agent did not answer correctly.
type Asked struct {
	// ID names the turn or the evaluation, and Why describes what went wrong.
	ID, Why string
	Text    string
	Domain  string
	Time    time.Time
	// Answer is the agent's answer. Said is the text with which a person corrected that
	// answer, and By is the id of the turn in which the person did so; both are empty if
	// the failure was not a correction.
	Answer, Said, By string
}

// Gap is a retracted memory that, if it had not been retracted, would have been recalled
// for a question that the agent answered wrongly.
type Gap struct {
	Memory agent.Memory
	Asked  Asked
	Score  float64
	// For quotes a person's words that restate the memory, and Against quotes words that
	// contradict it; each is zero if there are no such words. A failure shows that the
	// agent lacked the memory, not that the memory is true: a memory that a person
	// contradicted should not be restored because of a failure.
	For, Against Testimony
}

// Testimony is a quotation of what a person wrote about a memory. The field In names the
// turn in which the person wrote the text, or states that the text is the reason for the
// retraction.
type Testimony struct{ In, Text string }

// String quotes the testimony, preceded by In. It is empty for the zero value.
func (t Testimony) String() string {
	if t.In == "" {
		return ""
	}
	return t.In + ": " + text.Quote(text.Clip(text.OneLine(t.Text), maxTestimony, text.Runes, text.Ellipsis))
}

// Gaps returns a gap for each retracted memory that would have been recalled for a later
// failure; the gap names the first such failure. q sets the limits of the recall before a
// turn. A memory counts as retracted from its RetractedAt on; a memory without that time
// has no gap. A memory also has no gap if another memory that is not retracted repeats it
// or replaces it with another number or date, because then its retraction was a correction.
func Gaps(ctx context.Context, lex *Lexicon, memories []agent.Memory, asked []Asked, q Query) []Gap {
	whole := make([]agent.Memory, 0, len(memories))
	retracted := map[string]agent.Memory{}
	hidden := map[string]string{}
	var live []agent.Memory
	for _, m := range memories {
		if m.Retracted == "" {
			live = append(live, m)
			whole = append(whole, m)
			continue
		}
		if m.RetractedAt.IsZero() {
			continue
		}
		retracted[m.ID], hidden[m.ID] = m, m.Retracted
		m.Retracted = ""
		whole = append(whole, m)
	}
	if len(retracted) == 0 || len(asked) == 0 {
		return nil
	}
	known := NewKnown(lex, live)
	for id, m := range retracted {
		if _, has := known.Has(m); has || len(known.Contradicted(m)) > 0 {
			delete(retracted, id)
		}
	}
	index := NewIndex(lex, whole)
	var out []Gap
	found := map[string]bool{}
	for _, a := range asked {
		if len(found) == len(retracted) || ctx.Err() != nil {
			break
		}
		before := map[string]string{} // memories that stay hidden: retracted only after the failure, or replaced
		for id := range hidden {
			if m, ok := retracted[id]; !ok || !m.RetractedAt.Before(a.Time) {
				before[id] = hidden[id]
			}
		}
		q.Text, q.Domain, q.Now = a.Text, a.Domain, a.Time
		for _, h := range index.Without(before).Recall(ctx, q) {
			if m, ok := retracted[h.Memory.ID]; ok && !found[m.ID] {
				found[m.ID] = true
				g := Gap{Memory: m, Asked: a, Score: h.Score}
				g.For, g.Against = testimony(ctx, lex, m, asked, q)
				out = append(out, g)
			}
		}
	}
	return out
}
