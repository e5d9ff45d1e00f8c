package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

func memoryCommand(sh *shell) *cli.Command {
	flagAgent := &cli.StringFlag{Name: "agent", Usage: "the `ID` of the agent that has the memories; needed if there are several agents"}
	flagDomain := &cli.StringFlag{Name: "domain", Usage: "search like a turn in the subject area `DOMAIN`; all subject areas by default"}
	return &cli.Command{
		Name: "memory", Usage: "what agents remember: search, audit, retract, restore, propose",
		Subcommands: []*cli.Command{
			{
				Name: "search", Usage: "find the memories that match a text, as a turn would recall them", ArgsUsage: "QUERY…",
				Description: "Searches the agent's own file and the shared one, and marks the memories that a turn would recall.",
				Flags:       []cli.Flag{flagAgent, flagDomain},
				Action:      func(c *cli.Context) error { return memorySearch(sh, c) },
			},
			{
				Name: "audit", Usage: "give advice on the memories about a topic, and show what retractions have cost", ArgsUsage: "TOPIC…",
				Description: "Advises whether to keep, retract or update each memory, and lists retracted memories that would have\n" +
					"been recalled in later failures, and old memories that no stored turn recalled. Changes nothing; also works during a run.",
				Flags:  []cli.Flag{flagAgent, flagDomain},
				Action: func(c *cli.Context) error { return memoryAudit(sh, c) },
			},
			{
				Name: "retract", Usage: "mark a memory, with one commit, so that it is no longer recalled", ArgsUsage: "ID",
				Description: "Marks the memory's line in its file: agents/AGENT/memories.jsonl, or agents/memories.jsonl,\n" +
					"which all agents read. Nothing is deleted; `evolve memory restore` removes the mark.",
				Flags:  append(decidingFlags("the `REASON`, for the file, the ledger and the commit"), flagAgent),
				Action: func(c *cli.Context) error { return memoryMark(sh, c, "retract") },
			},
			{
				Name: "restore", Usage: "restore a retracted memory by removing its mark, with one commit", ArgsUsage: "ID",
				Description: "The memory is recalled again, from the next turn on.",
				Flags:       append(decidingFlags("the `REASON`, for the ledger and the commit"), flagAgent),
				Action:      func(c *cli.Context) error { return memoryMark(sh, c, "restore") },
			},
			{
				Name: "propose", Usage: "propose the memories that live turns have learned", ArgsUsage: "[AGENT]",
				Description: "Nights also make such proposals. If a person approves the proposal, its memories are added to agents/AGENT/memories.jsonl.",
				Action:      func(c *cli.Context) error { return memoryPropose(sh, c) },
			},
		},
	}
}

// memoryView is a memory as printed with --json.
type memoryView struct {
	agent.Memory
	// Shared reports whether the memory is in the file that all agents read.
	Shared bool `json:"shared"`
}

// foundMemory is a result of `evolve memory search`.
type foundMemory struct {
	memoryView
	Score float64 `json:"score"`
	// Recalled reports whether a turn with this text would recall the memory.
	Recalled bool `json:"recalled"`
}

// memoriesAsked returns the text that follows a command on memories, and the agent whose
// memories it concerns. The parameter "what" is the name that the manual gives that text.
func memoriesAsked(sh *shell, c *cli.Context, what string) (string, *workspace.Workspace, *workspace.Agent, error) {
	q := strings.TrimSpace(strings.Join(c.Args().Slice(), " "))
	if q == "" {
		return "", nil, nil, exit.Errorf(exit.Usage, "write the "+what+" after the command", "the %s is missing", what)
	}
	w, a, err := sh.loadAgent(c, c.String("agent"))
	return q, w, a, err
}

func memorySearch(sh *shell, c *cli.Context) error {
	query, w, a, err := memoriesAsked(sh, c, "QUERY")
	if err != nil {
		return err
	}
	domain, all := c.String("domain"), domainsOpen(c, a.Memories)
	index := memory.NewIndex(memory.NewLexicon(), all)
	q := wire.RecallOf(a)
	q.Text, q.Domain, q.Now = query, domain, sh.Now()
	recalled := map[string]bool{}
	for _, h := range index.Recall(c.Context, q) {
		recalled[h.Memory.ID] = true
	}
	q.MinScore, q.MaxMemories, q.Lambda, q.TokenBudget, q.Search = 0, memory.MaxRecalled, 1, 0, true
	found := []foundMemory{}
	byID := memoriesByID(a, sh.Scrub(w))
	for _, h := range index.Recall(c.Context, q) {
		found = append(found, foundMemory{memoryView{byID[h.Memory.ID], sharedMemory(w, h.Memory.ID)}, h.Score, recalled[h.Memory.ID]})
	}
	if sh.json {
		return sh.printJSON(map[string]any{"agent": a.ID, "memories": found})
	}
	if len(found) == 0 {
		return sh.result(nil, "%s has no memory that matches\n", a.ID)
	}
	for _, f := range found {
		sh.printf("%s  %s%s  %s\n", text.Visible(f.ID), number.Score(f.Score), orElse("", "  recalled", !f.Recalled), memoryNote(f.memoryView))
		sh.printf("    %s\n", text.Visible(oneLine(f.Text, 400)))
		if f.Answer != "" {
			sh.printf("    answer: %s\n", text.Visible(oneLine(f.Answer, 400)))
		}
	}
	return nil
}

// domainsOpen returns the memories in list. Unless the command names a domain, the returned
// memories are available in every domain.
func domainsOpen(c *cli.Context, list []agent.Memory) []agent.Memory {
	if c.IsSet("domain") {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Domain = ""
	}
	return out
}

// memoriesByID returns an agent's memories as they are shown, without credentials.
func memoriesByID(a *workspace.Agent, clean func(string) string) map[string]agent.Memory {
	out := make(map[string]agent.Memory, len(a.Memories))
	for _, m := range a.Memories {
		out[m.ID] = shownMemory(m, clean)
	}
	return out
}

// shownMemory returns a memory without the credentials that its file may hold.
func shownMemory(m agent.Memory, clean func(string) string) agent.Memory {
	for _, s := range []*string{&m.Text, &m.Answer, &m.Source, &m.Retracted} {
		*s = clean(*s)
	}
	return m
}

// sharedMemory reports whether a memory is in the file that all agents read.
func sharedMemory(w *workspace.Workspace, id string) bool { return w.SharedMemories[id] }

// memoryNote describes where a memory comes from.
func memoryNote(m memoryView) string {
	var parts []string
	for _, part := range []string{orElse("shared by all agents", "", m.Shared), orElse("", m.Domain, m.Domain == memory.GlobalDomain), m.Source, orElse("", stamp(m.Time, time.DateOnly), m.Time.IsZero())} {
		if part != "" {
			parts = append(parts, text.Visible(oneLine(part, 160)))
		}
	}
	return strings.Join(parts, ", ")
}
