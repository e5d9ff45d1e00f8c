package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/scrub"
	"evolve/runtime/text"
)

// maxMemoryReason bounds the reason of a retraction, in characters.
const maxMemoryReason = 300

func memoryCommand(sh *shell) *cli.Command {
	flagAgent := &cli.StringFlag{Name: "agent", Usage: "whose memories: the agent `ID`; needed where there are several"}
	flagDomain := &cli.StringFlag{Name: "domain", Usage: "as in a turn in the subject area `DOMAIN`; every one by default"}
	return &cli.Command{
		Name: "memory", Usage: "what agents remember: search, audit, retract, restore, propose",
		Subcommands: []*cli.Command{
			{
				Name: "search", Usage: "the memories that fit a text, as a turn would recall them", ArgsUsage: "QUERY…",
				Description: "Searches the agent's own file and the shared one. Marks those that a turn would recall.",
				Flags:       []cli.Flag{flagAgent, flagDomain},
				Action:      func(c *cli.Context) error { return memorySearch(sh, c) },
			},
			{
				Name: "audit", Usage: "advice on the memories of a topic, and what retractions have cost", ArgsUsage: "TOPIC…",
				Description: "Advises to keep, retract or update each, and names the retracted ones that later failures\n" +
					"asked for and the old ones that no stored turn recalled. Changes nothing; works while a run is on.",
				Flags:  []cli.Flag{flagAgent, flagDomain},
				Action: func(c *cli.Context) error { return memoryAudit(sh, c) },
			},
			{
				Name: "retract", Usage: "mark a memory so that it is not recalled: one commit", ArgsUsage: "ID",
				Description: "Marks the line in the file that has it: agents/AGENT/memories.jsonl, or agents/memories.jsonl,\n" +
					"which all agents read. Nothing is deleted; `evolve memory restore` takes the mark away.",
				Flags:  append(decidingFlags("`WHY`, in the file, the ledger and the commit"), flagAgent),
				Action: func(c *cli.Context) error { return memoryMark(sh, c, "retract") },
			},
			{
				Name: "restore", Usage: "take the mark of a retraction away: one commit", ArgsUsage: "ID",
				Description: "The memory is recalled again, from the next turn on.",
				Flags:       append(decidingFlags("`WHY`, for the ledger and the commit"), flagAgent),
				Action:      func(c *cli.Context) error { return memoryMark(sh, c, "restore") },
			},
			{
				Name: "propose", Usage: "propose what turns in use have learnt", ArgsUsage: "[AGENT]",
				Description: "A night does the same. The proposal adds to agents/AGENT/memories.jsonl when a person approves it.",
				Action:      func(c *cli.Context) error { return memoryPropose(sh, c) },
			},
		},
	}
}

// memoryView is a memory as it is printed with --json.
type memoryView struct {
	agent.Memory
	// Shared reports that it is in the file that all agents read.
	Shared bool `json:"shared"`
}

// foundMemory is a result of `evolve memory search`.
type foundMemory struct {
	memoryView
	Score float64 `json:"score"`
	// Recalled reports that a turn with this text would recall it.
	Recalled bool `json:"recalled"`
}

func wordsOf(c *cli.Context, what string) (string, error) {
	q := strings.TrimSpace(strings.Join(c.Args().Slice(), " "))
	if q == "" {
		return "", exit.Errorf(exit.Usage, "write it behind the command", "there is no %s", what)
	}
	return q, nil
}

func memorySearch(sh *shell, c *cli.Context) error {
	query, err := wordsOf(c, "QUERY")
	if err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.String("agent"))
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
	q.MinScore, q.MaxMemories, q.Lambda, q.TokenBudget = 0, memory.MaxRecalled, 1, 0
	found := []foundMemory{}
	byID := memoriesByID(a)
	for _, h := range index.Recall(c.Context, q) {
		found = append(found, foundMemory{memoryView{byID[h.Memory.ID], sharedMemory(w, h.Memory.ID)}, h.Score, recalled[h.Memory.ID]})
	}
	if sh.json {
		return sh.printJSON(map[string]any{"agent": a.ID, "memories": found})
	}
	if len(found) == 0 {
		return sh.result(nil, "%s has no memory on it\n", a.ID)
	}
	for _, f := range found {
		sh.printf("%s  %.2f%s  %s\n", text.Visible(f.ID), f.Score, orElse("", "  recalled", !f.Recalled), memoryNote(f.memoryView))
		sh.printf("    %s\n", text.Visible(oneLine(f.Text, 400)))
		if f.Answer != "" {
			sh.printf("    answer: %s\n", text.Visible(oneLine(f.Answer, 400)))
		}
	}
	return nil
}

// domainsOpen returns the memories, for every domain unless the command names one.
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

func memoriesByID(a *workspace.Agent) map[string]agent.Memory {
	out := make(map[string]agent.Memory, len(a.Memories))
	for _, m := range a.Memories {
		out[m.ID] = m
	}
	return out
}

// sharedMemory reports whether a memory is in the file that all agents read.
func sharedMemory(w *workspace.Workspace, id string) bool { return w.SharedMemories[id] }

// memoryNote describes where a memory is from.
func memoryNote(m memoryView) string {
	var parts []string
	for _, part := range []string{orElse("shared by all agents", "", m.Shared), orElse("", m.Domain, m.Domain == memory.GlobalDomain), m.Source, orElse("", stamp(m.Time, time.DateOnly), m.Time.IsZero())} {
		if part != "" {
			parts = append(parts, text.Visible(oneLine(part, 160)))
		}
	}
	return strings.Join(parts, ", ")
}

// memoryAuditView is `evolve memory audit --json`.
type memoryAuditView struct {
	Agent     string          `json:"agent"`
	Topic     string          `json:"topic"`
	Memories  []memory.Advice `json:"memories"`
	Retracted []memoryView    `json:"retracted"`
	Gaps      []memoryGap     `json:"gaps"`
	Unused    []memoryView    `json:"unused"`
	Turns     int             `json:"turns"`
}

// memoryGap is a retracted memory that something which went wrong later asked for.
type memoryGap struct {
	Memory  memoryView `json:"memory"`
	Asked   string     `json:"asked"`
	Why     string     `json:"why"`
	Goal    string     `json:"goal"`
	Time    time.Time  `json:"time"`
	Score   float64    `json:"score"`
	Command string     `json:"command"`
}

// maxUnused bounds the memories that an audit names as not recalled.
const maxUnused = 20

func memoryAudit(sh *shell, c *cli.Context) error {
	topic, err := wordsOf(c, "TOPIC")
	if err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.String("agent"))
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
	byID := memoriesByID(a)
	for _, ranked := range memory.NewIndex(lex, onlyRetracted(all)).Audit(c.Context, topic, c.String("domain"), time.Time{}) {
		v.Retracted = append(v.Retracted, memoryView{byID[ranked.ID], sharedMemory(w, ranked.ID)})
	}
	for _, g := range use.Gaps {
		v.Gaps = append(v.Gaps, memoryGap{
			Memory: memoryView{g.Memory, sharedMemory(w, g.Memory.ID)}, Asked: g.Asked.ID, Why: g.Asked.Why, Goal: oneLine(g.Asked.Text, 400), Time: g.Asked.Time,
			Score: g.Score, Command: restoreCommand(a, g.Memory.ID),
		})
	}
	for _, m := range use.Unused[:min(len(use.Unused), maxUnused)] {
		v.Unused = append(v.Unused, memoryView{m, sharedMemory(w, m.ID)})
	}
	return sh.show(v, func() { printMemoryAudit(sh, v, len(use.Unused)) })
}

func restoreCommand(a *workspace.Agent, id string) string {
	return "evolve memory restore " + exit.ShellQuote(id) + " --agent " + a.ID
}

// onlyRetracted returns the retracted memories without their marks, to be searched.
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
		sh.printf("%s remembers nothing on it\n", v.Agent)
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
		sh.printf("\nretracted wrongly?  %s  %s\n", text.Visible(g.Memory.ID), text.Visible(oneLine(g.Memory.Text, 200)))
		sh.printf("  %s %s, and it answers that with a score of %.2f\n", text.Visible(g.Asked), text.Visible(g.Why), g.Score)
		sh.printf("  %s\n", sh.command(text.Visible(g.Command)))
	}
	if len(v.Unused) > 0 {
		sh.printf("\nolder than 90 days, and recalled in none of %s\n", count(v.Turns, "stored turn"))
		for _, m := range v.Unused {
			sh.printf("  %s  %s  %s\n", stamp(m.Time, time.DateOnly), text.Visible(m.ID), text.Visible(oneLine(m.Text, 120)))
		}
		if more := unused - len(v.Unused); more > 0 {
			sh.printf("  and %d more\n", more)
		}
	}
}

// learnedView is `evolve memory propose --json`.
type learnedView struct {
	Agents []learnedAgent `json:"agents"`
}

// learnedAgent is what was proposed for one agent.
type learnedAgent struct {
	Agent    string       `json:"agent"`
	Proposal string       `json:"proposal,omitempty"`
	State    string       `json:"state,omitempty"`
	New      bool         `json:"new"`
	Memories []memoryView `json:"memories"`
	Left     int          `json:"left,omitempty"`
	Secret   int          `json:"secret,omitempty"`
	Copied   int          `json:"copied,omitempty"`
}

func memoryPropose(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	agents, err := proposing(c, w)
	if err != nil {
		return err
	}
	v := learnedView{Agents: []learnedAgent{}}
	err = sh.Lender(w.Root, "evolve memory propose")(c.Context, func(store *archive.Archive) error {
		rev := sh.Reviewer(w, review.Opened(store))
		for _, a := range agents {
			learned, err := rev.ProposeMemories(c.Context, a.ID, "", sh.Scrub(w))
			if err != nil {
				return err
			}
			one := learnedAgent{Agent: a.ID, New: learned.New, Memories: []memoryView{}, Left: learned.Left, Secret: learned.Secret, Copied: learned.Copied}
			if p := learned.Proposal; p != nil {
				one.Proposal, one.State = p.ID, string(p.State)
				added, _ := review.Remembered(*p)
				for _, m := range added {
					one.Memories = append(one.Memories, memoryView{Memory: m})
				}
			}
			v.Agents = append(v.Agents, one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return sh.show(v, func() {
		for _, one := range v.Agents {
			printLearned(sh, one)
		}
	})
}

// proposing returns the agent that the command names, or every built-in one.
func proposing(c *cli.Context, w *workspace.Workspace) ([]*workspace.Agent, error) {
	if name := c.Args().First(); name != "" {
		a, err := namedAgent(w, name)
		return []*workspace.Agent{a}, err
	}
	var out []*workspace.Agent
	for i := range w.Agents {
		if w.Agents[i].Adapter.Kind == workspace.KindBuiltin {
			out = append(out, &w.Agents[i])
		}
	}
	return out, nil
}

func printLearned(sh *shell, one learnedAgent) {
	if one.Proposal == "" {
		sh.printf("%s: nothing to propose\n", one.Agent)
	} else {
		sh.printf("%s: %s %s %s with %s: %s\n", one.Agent, one.Proposal, orElse("is new,", "waits,", one.New), stateName(archive.ProposalState(one.State)),
			memories(len(one.Memories)), sh.command("evolve show "+one.Proposal))
	}
	for _, left := range []struct {
		n   int
		why string
	}{
		{one.Left, "further, once this is decided"}, {one.Secret, "left out, with what looks like a credential"}, {one.Copied, "left out, with a part of a reference answer"},
	} {
		if left.n > 0 {
			sh.printf("  %d %s\n", left.n, left.why)
		}
	}
}

func memories(n int) string { return number.Plural(n, "memory", "memories") }

// memoryMark retracts or restores a memory: the person who names it makes the proposal and
// approves it.
func memoryMark(sh *shell, c *cli.Context, verb string) error {
	if err := mayDecide(sh, c, verb, verb == "retract"); err != nil {
		return err
	}
	w, a, err := ownerOf(sh, c, c.Args().First())
	if err != nil {
		return err
	}
	reason := strings.TrimSpace(c.String("reason"))
	if err := discreet(sh, w, reason); err != nil {
		return err
	}
	if _, err := sh.Notary(w.Root); err != nil {
		return err
	}
	d := approving()
	d.name = "memory " + verb
	word := review.Decision{Reason: reason}
	if word.By, err = decider(sh, c, w.Root); err != nil {
		return err
	}
	mark := reason
	if verb == "restore" {
		mark = ""
	}
	p, err := sh.Reviewer(w, nil).Mark(a.ID, c.Args().First(), mark)
	if err != nil {
		return err
	}
	if word.Initial, err = founding(sh, w, d, p); err != nil {
		return err
	}
	if !c.Bool("yes") {
		if _, err := sh.mustAsk("evolve memory audit TOPIC"); err != nil { // the proposal has no id yet
			return err
		}
		if err := confirm(c.Context, sh, p, p.Title, nil, nil, word.Initial); err != nil {
			return err
		}
	} else if !sh.quiet {
		printFounding(sh.stderr, word.Initial)
	}
	lend := sh.Lender(w.Root, "evolve memory "+verb)
	if err := lend(c.Context, func(store *archive.Archive) (err error) {
		p, err = sh.Reviewer(w, review.Opened(store)).ProposeMark(c.Context, p)
		return err
	}); err != nil {
		return err
	}
	done, err := pronounce(sh, c, w, approving(), p, word)
	if err != nil {
		return errors.Join(err, dropMark(c.Context, sh, w, lend, p, word))
	}
	if sh.json {
		view := viewOf(done.Proposal)
		view.After = done.after
		return sh.printJSON(view)
	}
	p = done.Proposal
	sh.printf("%s: commit %s\n", text.Visible(p.Title), wire.Abbreviated(p.AdoptedCommit))
	if verb == "retract" {
		sh.printf("  should it be missed     %s\n", sh.command(restoreCommand(a, c.Args().First())))
	}
	printFollowing(sh.console, done)
	return nil
}

// dropMark rejects the proposal of a mark that was not carried out: the command made it, and
// no person saw it. A proposal whose approval is recorded stays, because it can be completed.
func dropMark(ctx context.Context, sh *shell, w *workspace.Workspace, lend review.WithStore, p archive.ProposalRecord, word review.Decision) error {
	now, err := sh.Reviewer(w, lend).Find(ctx, p.ID)
	if err != nil {
		return err
	}
	if !review.Undecided(now.State) {
		return nil
	}
	word.Reason = "it was not carried out"
	_, err = sh.Reviewer(w, lend).Reject(ctx, p.ID, word)
	return err
}

// discreet refuses a reason that is too long, or that looks like a credential: it is stored.
func discreet(sh *shell, w *workspace.Workspace, reason string) error {
	if len([]rune(reason)) > maxMemoryReason {
		return exit.Errorf(exit.Usage, "say it shorter", "--reason is longer than %d characters", maxMemoryReason)
	}
	if scrub.Line([]byte(reason)) > 0 || sh.Scrub(w)(reason) != reason {
		return exit.Errorf(exit.Usage, "leave it out: the reason is committed", "--reason holds what looks like a credential")
	}
	return nil
}

// ownerOf returns the agent that a command names, or the one that has the memory. A shared
// memory is that of the first.
func ownerOf(sh *shell, c *cli.Context, id string) (*workspace.Workspace, *workspace.Agent, error) {
	if id == "" {
		return nil, nil, exit.Errorf(exit.Usage, "`evolve memory search QUERY` prints the ids", "the ID of a memory is missing")
	}
	w, err := sh.load(c)
	if err != nil {
		return nil, nil, err
	}
	if c.String("agent") != "" {
		a, err := oneAgent(c, w, c.String("agent"))
		return w, a, err
	}
	var owners []*workspace.Agent
	for i := range w.Agents {
		a := &w.Agents[i]
		if a.Adapter.Kind == workspace.KindBuiltin && slices.ContainsFunc(a.Memories, func(m agent.Memory) bool { return m.ID == id }) {
			owners = append(owners, a)
		}
	}
	if len(owners) == 1 || len(owners) > 1 && sharedMemory(w, id) {
		return w, owners[0], nil
	}
	a, err := oneAgent(c, w, "")
	return w, a, err
}
