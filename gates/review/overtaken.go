package review

import (
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Overtaken returns, for a proposal of memories, what the agent's memories of now make needless
// or contradict: what it adds and is there already, or was retracted meanwhile, and marks that
// are as it wants them, or whose memory is gone.
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
		what := fmt.Sprintf("%s is there already", m.ID)
		if id != m.ID {
			what = fmt.Sprintf("%s is there already as %s", m.ID, id)
		}
		if there, _ := find(id); there.Retracted != "" {
			what = fmt.Sprintf("%s was retracted as %s", m.ID, id)
		}
		out = append(out, what)
	}
	for _, m := range marked {
		switch there, has := find(m.ID); {
		case !has:
			out = append(out, m.ID+" is gone")
		case (there.Retracted != "") == (m.Retracted != "") && m.Retracted != "":
			out = append(out, m.ID+" is retracted already")
		case (there.Retracted != "") == (m.Retracted != ""):
			out = append(out, m.ID+" is restored already")
		}
	}
	return out
}
