package review

import (
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Overtaken returns the parts of a proposal for memories that the agent's present
// memories contradict or make unnecessary: added memories that already exist or have
// since been retracted, and marks that are already set in the proposed way or whose
// memory no longer exists.
func Overtaken(p archive.ProposalRecord, now []agent.Memory) []string {
	added, marked := Remembered(p)
	known := memory.NewKnown(memory.NewLexicon(), now)
	find := func(id string) (agent.Memory, bool) {
		i := slices.IndexFunc(now, func(m agent.Memory) bool { return m.ID == id })
		if i < 0 {
			return agent.Memory{}, false
		}
		return now[i], true
	}
	var out []string
	for _, m := range added {
		id, has := known.Has(m)
		if !has {
			continue
		}
		what := fmt.Sprintf("%s already exists", m.ID)
		if id != m.ID {
			what = fmt.Sprintf("%s already exists as %s", m.ID, id)
		}
		if there, _ := find(id); there.Retracted != "" {
			what = fmt.Sprintf("%s was retracted under the id %s", m.ID, id)
		}
		out = append(out, what)
	}
	for _, m := range marked {
		switch there, has := find(m.ID); {
		case !has:
			out = append(out, m.ID+" is gone")
		case (there.Retracted != "") == (m.Retracted != "") && m.Retracted != "":
			out = append(out, m.ID+" is already retracted")
		case (there.Retracted != "") == (m.Retracted != ""):
			out = append(out, m.ID+" is already restored")
		}
	}
	return out
}
