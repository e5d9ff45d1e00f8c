package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/memory"
	"evolve/runtime/text"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// failedScore is the score below which an evaluation counts as failed. unusedAge is the age
// from which a memory is listed as unused if no stored turn recalled it.
const (
	failedScore = .5
	unusedAge   = 90 * 24 * time.Hour
)

// Remembering describes how an agent's memories were used in stored turns and evaluations.
type Remembering struct {
	// Gaps holds retracted memories that would have been recalled for a question that the
	// agent later answered wrongly.
	Gaps []memory.Gap
	// Unused holds the memories older than 90 days that no turn recalled. Turns is the
	// number of turns considered, which are those whose transcript is stored.
	Unused []agent.Memory
	Turns  int
}

// RecallOf returns the recall query of a turn that uses the agent's champion; the query has
// no text yet.
func RecallOf(a *workspace.Agent) memory.Query {
	v := turn.DefaultSpace(nil, nil, nil).Default()
	maps.Copy(v, a.Champion)
	return memory.Query{
		MinScore: v.Float("recall.min_score", 0), MaxMemories: v.Int("recall.max_memories", 0),
		Lambda: v.Float("recall.mmr_lambda", 0), TokenBudget: v.Int("recall.token_budget", 0),
	}
}

// RemembersBy determines how an agent's memories were used in stored turns and evaluations.
func RemembersBy(ctx context.Context, store *archive.Archive, w *workspace.Workspace, a *workspace.Agent, now time.Time) (Remembering, error) {
	var out Remembering
	u := usage{recalled: map[string]bool{}, last: map[string]lastTurn{}}
	for listed, err := range store.Turns(ctx) {
		if err != nil {
			return out, fmt.Errorf("reading the turns: %w", err)
		}
		if listed.Agent != a.ID {
			continue
		}
		t, err := store.Turn(ctx, listed.ID)
		if err != nil {
			return out, fmt.Errorf("reading turn %s: %w", listed.ID, err)
		}
		u.add(t)
	}
	failed, err := failedEvaluations(ctx, store, w, a)
	if err != nil {
		return out, err
	}
	asked := append(u.asked, failed...)
	slices.SortStableFunc(asked, func(x, y memory.Asked) int { return x.Time.Compare(y.Time) })
	out.Gaps = memory.Gaps(ctx, memory.NewLexicon(), a.Memories, asked, RecallOf(a))
	if out.Turns = u.turns; out.Turns > 0 {
		for _, m := range a.Memories {
			if m.Retracted == "" && !m.Time.IsZero() && now.Sub(m.Time) > unusedAge && !u.recalled[m.ID] && !strings.Contains(m.ID, recallComma) {
				out.Unused = append(out.Unused, m)
			}
		}
	}
	return out, nil
}

// usage collects the use of memories in stored turns.
type usage struct {
	turns    int
	recalled map[string]bool     // ids
	last     map[string]lastTurn // by session
	asked    []memory.Asked
}

// lastTurn is the latest turn of a conversation.
type lastTurn struct {
	archive.TurnRecord
	domain string
}

// recallComma separates the memories in a recall event.
const recallComma = ", "

func (u *usage) add(t archive.TurnRecord) {
	now := lastTurn{TurnRecord: t}
	for _, e := range t.Transcript.Events {
		switch {
		case e.Kind == agent.EventDomain && now.domain == "":
			now.domain = e.Name
		case e.Kind == agent.EventRecall:
			for part := range strings.SplitSeq(e.Text, recallComma) {
				if i := strings.LastIndexByte(part, ' '); i > 0 {
					u.recalled[part[:i]] = true
				}
			}
		case e.Kind == agent.EventTool && e.Name == "memory_search":
			for _, id := range searched(e.Text) {
				u.recalled[id] = true
			}
		}
	}
	if len(t.Transcript.Events) > 0 {
		u.turns++
	}
	if before, ok := u.last[t.Session]; ok && t.Session != "" && !failedTurn(before.Outcome) {
		earlier := []agent.Message{{Role: "user", Content: before.Goal}, {Role: "assistant", Content: before.Answer}}
		if experience.Classify(t.Goal, earlier) == experience.Corrects {
			u.ask(before, "was corrected in turn "+t.ID, t.ID, t.Goal)
		}
	}
	u.last[t.Session] = now
	if failedTurn(t.Outcome) {
		u.ask(now, "ended with "+string(t.Outcome), "", "")
	}
}

// ask adds to u.asked a turn that failed or that a person corrected. For a correction,
// the parameter by is the later turn in which the person made the correction, and said is
// the text of that turn, which is not empty.
func (u *usage) ask(t lastTurn, why, by, said string) {
	if t.Goal != "" { // if it is empty, the turn's texts were deleted
		u.asked = append(u.asked, memory.Asked{ID: "turn " + t.ID, Why: why, Text: t.Goal, Domain: t.domain, Time: t.Created, Answer: t.Answer, Said: said, By: by})
	}
}

// failedTurn reports whether a turn ended without an answer, for a reason that a memory
// might have prevented.
func failedTurn(o agent.Outcome) bool {
	return o == agent.Execution || o == agent.ContractViolation || o == agent.LowUtility || o == agent.BudgetExceeded
}

// searched returns the ids in a memory_search result. The transcript may hold only the
// beginning of the result.
func searched(result string) []string {
	dec := json.NewDecoder(strings.NewReader(result))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return nil
	}
	var ids []string
	for dec.More() {
		var r tool.Remembered
		if dec.Decode(&r) != nil {
			break
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// failedEvaluations returns the tasks that the champion failed in the agent's latest run.
func failedEvaluations(ctx context.Context, store *archive.Archive, w *workspace.Workspace, a *workspace.Agent) ([]memory.Asked, error) {
	var run archive.Run
	for r, err := range store.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the runs: %w", err)
		}
		if !r.Imported && slices.Contains(r.Agents, a.ID) {
			run = r
			break
		}
	}
	if run.ID == "" {
		return nil, nil
	}
	plan, err := store.Plan(ctx, run.ID, a.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plan of run %s: %w", run.ID, err)
	}
	tasks := map[string]*bench.Task{}
	for _, suite := range w.SuitesOf(a) {
		for i := range suite.Tasks {
			tasks[suite.Tasks[i].ID] = &suite.Tasks[i]
		}
	}
	var out []memory.Asked
	for e, err := range store.Evaluations(ctx, run.ID, a.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the evaluations of run %s: %w", run.ID, err)
		}
		if t := tasks[e.Task]; t != nil && e.Variant == plan.Champion && e.Scored && e.Score < failedScore {
			out = append(out, memory.Asked{
				ID: "task " + t.ID, Why: "had the score " + number.Score(e.Score) + " in run " + run.ID, Text: review.GoalOf(t), Domain: t.Domain, Time: run.Started,
			})
		}
	}
	return out, nil
}

// Missed returns a description of each retracted memory that a later failure of the agent
// asked for. It reads turns only if a memory is retracted.
func Missed(ctx context.Context, a *workspace.Agent, w *workspace.Workspace, store *archive.Archive) ([]string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin || !slices.ContainsFunc(a.Memories, func(m agent.Memory) bool { return m.Retracted != "" && !m.RetractedAt.IsZero() }) {
		return nil, nil
	}
	found, err := RemembersBy(ctx, store, w, a, time.Time{})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, g := range found.Gaps {
		out = append(out, GapText(a, g))
	}
	return out, nil
}

// GapText returns a description of a gap. It names the command that restores the memory or,
// if a person contradicted the memory, the source of the contradiction and the command that
// shows both. It does not quote turns, because the text is shown on a page of the night.
func GapText(a *workspace.Agent, g memory.Gap) string {
	if g.Against.In != "" {
		return fmt.Sprintf("%s %s; the memory %s, retracted on %s (%s), matches it with a score of %s, but a person contradicted the memory in %s: `evolve memory audit --agent %s TOPIC` shows the memory and the contradiction",
			g.Asked.ID, g.Asked.Why, text.Quote(g.Memory.ID), g.Memory.RetractedAt.UTC().Format(time.DateOnly),
			text.OneLine(text.Clip(g.Memory.Retracted, 100, text.Ellipsis)), number.Score(g.Score), g.Against.In, a.ID)
	}
	return fmt.Sprintf("%s %s; the memory %s, retracted on %s (%s), matches it with a score of %s; to restore the memory, run `evolve memory restore %s --agent %s`",
		g.Asked.ID, g.Asked.Why, text.Quote(g.Memory.ID), g.Memory.RetractedAt.UTC().Format(time.DateOnly),
		text.OneLine(text.Clip(g.Memory.Retracted, 100, text.Ellipsis)), number.Score(g.Score), text.ShellQuote(g.Memory.ID), a.ID)
}
