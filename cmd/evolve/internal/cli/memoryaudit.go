package cli

import (
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// memoryAuditView is the output of `evolve memory audit --json`.
type memoryAuditView struct {
	Agent     string          `json:"agent"`
	Topic     string          `json:"topic"`
	Memories  []memory.Advice `json:"memories"`
	Retracted []memoryView    `json:"retracted"`
	Gaps      []memoryGap     `json:"gaps"`
	Unused    []memoryView    `json:"unused"`
	Turns     int             `json:"turns"`
}

// memoryGap is a retracted memory that a later failure asked for.
type memoryGap struct {
	Memory memoryView `json:"memory"`
	Asked  string     `json:"asked"`
	Why    string     `json:"why"`
	Goal   string     `json:"goal"`
	Time   time.Time  `json:"time"`
	Score  float64    `json:"score"`
	// For and Against are texts by people: For restates the memory, and Against contradicts
	// it. Command restores the memory; it is empty for a memory that a person contradicted.
	For     string `json:"for,omitempty"`
	Against string `json:"against,omitempty"`
	Command string `json:"command,omitempty"`
}

// maxUnused limits the number of memories that an audit names as not recalled.
const maxUnused = 20

func memoryAudit(sh *shell, c *cli.Context) error {
	topic, w, a, err := memoriesAsked(sh, c, "TOPIC")
	if err != nil {
		return err
	}
	var use wire.Remembering
	err = wire.LookIfThere(w.Root, func(store *archive.Archive) (err error) {
		use, err = wire.RemembersBy(c.Context, store, w, a, sh.Now())
		return err
	})
	if err != nil {
		return err
	}
	all := domainsOpen(c, a.Memories)
	lex := memory.NewLexicon()
	v := memoryAuditView{Agent: a.ID, Topic: topic, Retracted: []memoryView{}, Gaps: []memoryGap{}, Unused: []memoryView{}, Turns: use.Turns}
	v.Memories = notNull(memory.NewIndex(lex, all).Audit(c.Context, topic, c.String("domain"), sh.Now()))
	clean := sh.Scrub(w)
	for i := range v.Memories {
		v.Memories[i].Text = clean(v.Memories[i].Text)
	}
	byID := memoriesByID(a, clean)
	for _, ranked := range memory.NewIndex(lex, onlyRetracted(all)).Audit(c.Context, topic, c.String("domain"), time.Time{}) {
		v.Retracted = append(v.Retracted, memoryView{byID[ranked.ID], sharedMemory(w, ranked.ID)})
	}
	onTopic := map[string]bool{}
	for _, m := range v.Retracted {
		onTopic[m.ID] = true
	}
	for _, g := range use.Gaps {
		if !onTopic[g.Memory.ID] {
			continue
		}
		command := restoreCommand(a, g.Memory.ID)
		if g.Against.In != "" {
			command = ""
		}
		v.Gaps = append(v.Gaps, memoryGap{
			Memory: memoryView{shownMemory(g.Memory, clean), sharedMemory(w, g.Memory.ID)}, Asked: g.Asked.ID, Why: g.Asked.Why, Goal: oneLine(clean(g.Asked.Text), 400), Time: g.Asked.Time,
			Score: g.Score, For: clean(g.For.String()), Against: clean(g.Against.String()), Command: command,
		})
	}
	for _, m := range use.Unused[:min(len(use.Unused), maxUnused)] {
		v.Unused = append(v.Unused, memoryView{shownMemory(m, clean), sharedMemory(w, m.ID)})
	}
	return sh.show(v, func() { printMemoryAudit(sh, v, len(use.Unused)) })
}

func restoreCommand(a *workspace.Agent, id string) string {
	return "evolve memory restore " + text.ShellQuote(id) + " --agent " + a.ID
}

// onlyRetracted returns copies of the retracted memories, unmarked so that they can be
// searched.
func onlyRetracted(list []agent.Memory) []agent.Memory {
	var out []agent.Memory
	for _, m := range list {
		if m.Retracted != "" {
			m.Retracted = ""
			out = append(out, m)
		}
	}
	return out
}

func printMemoryAudit(sh *shell, v memoryAuditView, unused int) {
	if len(v.Memories)+len(v.Retracted) == 0 {
		sh.printf("%s has no memory on this topic\n", v.Agent)
	}
	for _, m := range v.Memories {
		sh.printf("%-7s  %s  %s\n", m.Advice, text.Visible(m.ID), text.Visible(oneLine(m.Text, 200)))
		sh.printf("         %s\n", text.Visible(m.Why))
	}
	for _, m := range v.Retracted {
		sh.printf("retracted  %s  %s\n", text.Visible(m.ID), text.Visible(oneLine(m.Text, 200)))
		sh.printf("         %s: %s\n", orElse("at an unknown time", stamp(m.RetractedAt, time.DateOnly), m.RetractedAt.IsZero()), text.Visible(oneLine(m.Memory.Retracted, maxMemoryReason)))
	}
	for _, g := range v.Gaps {
		sh.printf("\n%s  %s  %s\n", orElse("retracted wrongly?", "missed and contradicted", g.Against == ""), text.Visible(g.Memory.ID), text.Visible(oneLine(g.Memory.Text, 200)))
		sh.printf("  %s %s, and the memory would have been recalled for it, with a score of %s\n", text.Visible(g.Asked), text.Visible(g.Why), number.Score(g.Score))
		if g.For != "" {
			sh.printf("  stated again in %s\n", text.Visible(g.For))
		}
		if g.Against != "" {
			sh.printf("  contradicted in %s\n", text.Visible(g.Against))
			continue
		}
		sh.printf("  %s\n", sh.command(text.Visible(g.Command)))
	}
	if len(v.Unused) > 0 {
		sh.printf("\nmemories, on all topics, that are older than 90 days and were recalled in none of %s\n", count(v.Turns, "stored turn"))
		for _, m := range v.Unused {
			sh.printf("  %s  %s  %s\n", stamp(m.Time, time.DateOnly), text.Visible(m.ID), text.Visible(oneLine(m.Text, 120)))
		}
		if more := unused - len(v.Unused); more > 0 {
			sh.printf("  and %d more\n", more)
		}
	}
}
