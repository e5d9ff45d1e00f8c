package memory

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"evolve/runtime/agent"
)

// Verdict is an audit's advice on a memory.
type Verdict string

// The verdicts. Update means that the memory should be confirmed or corrected.
const (
	Keep    Verdict = "keep"
	Retract Verdict = "retract"
	Update  Verdict = "update"
)

// Limits of an audit, and the thresholds for the verdict Update.
const (
	MaxAudited   = 50
	auditScore   = .5                   // minimum relevance to the topic
	lowAssurance = .4                   // confidence below it
	longAgo      = 365 * 24 * time.Hour // age above it
)

// Advice is the result of an audit for one memory. An audit changes nothing.
type Advice struct {
	ID     string  `json:"id"`
	Text   string  `json:"text"`
	Advice Verdict `json:"advice"`
	Why    string  `json:"why"`
	// Replaces lists the older memories that this one corrects.
	Replaces []string `json:"replaces,omitempty"`
}

// Audit returns the memories on a topic, the most relevant first, each with the advice to
// keep, retract or update it. Of two memories that make the same statement, the newer is
// kept; if neither is newer, the more certain; and if both are equally certain, the first.
// Of two that give the same subject different numbers or dates, the newer replaces the
// older; if neither is newer, both should be updated. Memories of other domains are left
// out, as in [Index.Recall], but unlike there, age and confidence do not hide a memory.
// Texts are cut to [MaxEntryBytes].
func (x *Index) Audit(ctx context.Context, topic, domain string, now time.Time) []Advice {
	if ctx.Err() != nil {
		return nil
	}
	pool := x.rank(x.lex.Terms(nil, topic), MaxAudited, func(i int32, score float64) (float64, bool) {
		return score, score >= auditScore && x.visible(i, domain)
	})
	memories := make([]*agent.Memory, len(pool))
	claims := make([]Claim, len(pool))
	advice := make([]Advice, len(pool))
	for i, c := range pool {
		m := x.entry(c.entry)
		memories[i], claims[i] = m, x.lex.Claim(m.Text)
		advice[i] = alone(m, now)
	}
	for i := range pool {
		for j := range i {
			same := claims[i].Same(claims[j])
			switch {
			case same && memories[i].Answer == memories[j].Answer:
				duplicate(memories, advice, i, j)
			case same, claims[i].Contradicts(claims[j]):
				conflict(memories, advice, i, j)
			}
		}
	}
	return advice
}

// alone returns the advice on a memory considered by itself.
func alone(m *agent.Memory, now time.Time) Advice {
	a := Advice{ID: m.ID, Text: Cut(m.Text, MaxEntryBytes), Advice: Keep, Why: "no reason was found to change the memory"}
	switch age := now.Sub(m.Time); {
	case m.Confidence > 0 && m.Confidence < lowAssurance:
		a.Advice, a.Why = Update, fmt.Sprintf("its confidence is only %.2f", m.Confidence)
	case !m.Time.IsZero() && !now.IsZero() && age > longAgo:
		a.Advice, a.Why = Update, fmt.Sprintf("it was learnt %d days ago", int(age.Hours()/24))
	}
	return a
}

// duplicate advises retracting one of two memories that make the same statement, unless one
// of them is already to be retracted.
func duplicate(memories []*agent.Memory, advice []Advice, i, j int) {
	better, worse := j, i
	if cmp.Or(memories[i].Time.Compare(memories[j].Time), cmp.Compare(assurance(memories[i]), assurance(memories[j]))) > 0 {
		better, worse = i, j
	}
	if advice[better].Advice == Retract || advice[worse].Advice == Retract {
		return // one of several duplicates must remain
	}
	advice[worse].Advice, advice[worse].Why = Retract, "it repeats "+memories[better].ID
}

// conflict gives the advice on two memories that contradict each other: if one of them is
// newer, it replaces the older; otherwise both should be updated.
func conflict(memories []*agent.Memory, advice []Advice, i, j int) {
	newer, older := i, j
	switch memories[i].Time.Compare(memories[j].Time) {
	case 0:
		for _, pair := range [][2]int{{i, j}, {j, i}} {
			if a := &advice[pair[0]]; a.Advice != Retract {
				a.Advice, a.Why = Update, "it contradicts "+memories[pair[1]].ID+" and neither is newer"
			}
		}
		return
	case -1:
		newer, older = j, i
	}
	advice[older].Advice, advice[older].Why = Retract, "it is contradicted by the newer memory "+memories[newer].ID
	advice[newer].Replaces = append(advice[newer].Replaces, memories[older].ID)
}

func assurance(m *agent.Memory) float64 {
	if m.Confidence <= 0 {
		return 1
	}
	return m.Confidence
}
