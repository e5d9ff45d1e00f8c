package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/scrub"
)

// MaxLearned is the maximum number of memories that one proposal may add, and of memories
// whose mark it may change.
const MaxLearned = 50

// MemoryChange is a change to a file of memories.
type MemoryChange struct {
	// Measured and Now are the hashes of everything on which the proposal depends, keyed
	// by name: Measured when the proposal was measured, and Now at present.
	Measured, Now map[string]string
	// Old and New are the contents of the file before and after the change.
	Old, New []byte
	// Others are the memories that the agent reads from other files.
	Others []agent.Memory
	// Answers indexes the reference answers to every task.
	Answers *bench.AnswerIndex
	// Rehearse applies the change in a scratch folder and reverts it there.
	Rehearse func() error
}

// Memories lists the gates for a change to an agent's memories. They do not judge whether a
// memory is true, because a person reads it.
func Memories(c MemoryChange) []Gate {
	before, _ := parsed(c.Old)
	after, bad := parsed(c.New)
	added, marked, other := differences(before, after)
	return []Gate{
		base(c.Measured, c.Now),
		{Name: "memories", Check: func(context.Context) (Verdict, string) {
			switch {
			case bad != "":
				return Failed, "the file does not load: " + bad
			case other != "":
				return Failed, "the proposal would change " + other + "; memories may only be added or have their retraction marks changed"
			case len(added) > MaxLearned || len(marked) > MaxLearned:
				return Failed, fmt.Sprintf("the proposal adds %d memories and changes the retraction marks of %d, but at most %d of each are allowed", len(added), len(marked), MaxLearned)
			case len(added)+len(marked) == 0:
				return Failed, "the proposal changes no memory"
			}
			for _, m := range added {
				if i := slices.IndexFunc(c.Others, func(o agent.Memory) bool { return o.ID == m.ID }); i >= 0 {
					return Failed, fmt.Sprintf("the id %q belongs to a memory in another file", m.ID)
				}
				if len(m.Text)+len(m.Answer) > memory.MaxEntryBytes {
					return Failed, fmt.Sprintf("the memory %q is longer than %d bytes", m.ID, memory.MaxEntryBytes)
				}
			}
			return Passed, fmt.Sprintf("the file loads: %d added, %d with a changed retraction mark, %d unchanged", len(added), len(marked), len(before)-len(marked))
		}},
		{Name: "credentials", Check: func(context.Context) (Verdict, string) {
			for _, m := range added {
				if scrub.Line([]byte(m.Text+"\n"+m.Answer+"\n"+m.Source)) > 0 {
					return Failed, fmt.Sprintf("the memory %q contains what looks like a credential", m.ID)
				}
			}
			for _, m := range marked {
				if scrub.Line([]byte(m.Retracted)) > 0 {
					return Failed, fmt.Sprintf("the reason for the retraction of %q contains what looks like a credential", m.ID)
				}
			}
			return Passed, "no credential was found in the additions"
		}},
		overlap(c.Answers, func() (map[string]string, error) {
			texts := map[string]string{}
			for _, m := range added {
				texts[fmt.Sprintf("the memory %q", m.ID)] = m.Text + "\n" + m.Answer
			}
			return texts, nil
		}),
		contradictions(added, append(slices.Clip(before), c.Others...)),
		rollback(c.Rehearse),
	}
}

// parsed parses a file of memories. bad describes the first problem in the file, or is "".
func parsed(data []byte) (list []agent.Memory, bad string) {
	for _, l := range bench.ReadMemories(data, func(line, _ int, text string) {
		if bad == "" {
			bad = fmt.Sprintf("line %d: %s", line, text)
		}
	}) {
		list = append(list, l.Memory)
	}
	return list, bad
}

// differences returns the added memories, the memories whose retraction mark changed, and a
// description of any other difference, or "" if there is none.
func differences(before, after []agent.Memory) (added, marked []agent.Memory, other string) {
	was := make(map[string]agent.Memory, len(before))
	for _, m := range before {
		was[m.ID] = m
	}
	for _, m := range after {
		b, ok := was[m.ID]
		if !ok {
			added = append(added, m)
			continue
		}
		delete(was, m.ID)
		same := b.Retracted == m.Retracted && b.RetractedAt.Equal(m.RetractedAt)
		if !b.Time.Equal(m.Time) || unmarked(b) != unmarked(m) {
			return nil, nil, fmt.Sprintf("the memory %q", m.ID)
		}
		if !same {
			marked = append(marked, m)
		}
	}
	for id := range was {
		return nil, nil, fmt.Sprintf("or remove the memory %q", id)
	}
	return added, marked, ""
}

// unmarked returns a memory without its retraction mark and without its times, so that ==
// can compare memories; it cannot compare times.
func unmarked(m agent.Memory) agent.Memory {
	m.Retracted, m.RetractedAt, m.Time = "", time.Time{}, time.Time{}
	return m
}

// contradictions returns the gate that lists the existing and the new memories that a new
// memory contradicts. A contradiction does not fail the gate, because the newer fact may be
// the right one; a person decides.
func contradictions(added, there []agent.Memory) Gate {
	return Gate{Name: "contradictions", Check: func(context.Context) (Verdict, string) {
		lex := memory.NewLexicon()
		known, own := memory.NewKnown(lex, there), memory.NewKnown(lex, added)
		earlier := map[string]bool{} // list each pair of new memories only once
		var found []string
		for _, m := range added {
			ids := known.Contradicted(m)
			for _, id := range own.Contradicted(m) {
				if earlier[id] {
					ids = append(ids, id)
				}
			}
			earlier[m.ID] = true
			if len(ids) > 0 {
				found = append(found, m.ID+" gives a different value from "+strings.Join(ids, " and "))
			}
		}
		if len(found) > 0 {
			return Passed, "for you to judge: " + strings.Join(found, "; ")
		}
		return Passed, "no memory in use contradicts an added memory"
	}}
}
