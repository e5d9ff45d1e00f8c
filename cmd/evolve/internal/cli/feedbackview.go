package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// feedbackTouch holds a number of stored turns and the number of the calls in them.
type feedbackTouch struct {
	Turns int `json:"turns"`
	Calls int `json:"calls"`
}

func touchOf(turns, calls int) feedbackTouch { return feedbackTouch{turns, calls} }

func (t feedbackTouch) String() string {
	return count(t.Calls, "stored call") + " in " + count(t.Turns, "turn")
}

// feedbackView is the output of `evolve feedback add --json` and `evolve feedback remove
// --json`.
type feedbackView struct {
	Agent    string              `json:"agent"`
	Feedback experience.Feedback `json:"feedback"`
	// Touched holds the numbers of stored turns and calls in the feedback's scope.
	// Conflicts holds the conflicts with other feedback.
	Touched     feedbackTouch           `json:"touched"`
	Conflicts   []experience.Conflict   `json:"conflicts"`
	Suggestions []experience.Suggestion `json:"suggestions"`
	// Notes describes what cannot be enforced, and which names do not occur anywhere.
	Notes []string `json:"notes,omitempty"`
}

// feedbackLine is one piece of feedback in the output of a list.
type feedbackLine struct {
	Agent string `json:"agent"`
	experience.Feedback
	// State is "active" or "over".
	State string `json:"state"`
}

// feedbackConflict is a conflict within an agent's feedback.
type feedbackConflict struct {
	Agent string `json:"agent"`
	experience.Conflict
}

// feedbackCounts is what `evolve feedback stats` shows about an agent.
type feedbackCounts struct {
	Agent    string                     `json:"agent"`
	Feedback int                        `json:"feedback"`
	Active   int                        `json:"active"`
	Verdicts map[experience.Verdict]int `json:"verdicts"`
	Actions  map[experience.Action]int  `json:"actions"`
	Touched  feedbackTouch              `json:"touched"`
	Stored   feedbackTouch              `json:"stored"`
	// Ignored holds the number of calls to tools that feedback forbade at the time of the
	// call, and the number of turns that made such calls.
	Ignored     feedbackTouch           `json:"ignored"`
	Conflicts   []experience.Conflict   `json:"conflicts"`
	Suggestions []experience.Suggestion `json:"suggestions"`
}

// notNull returns a copy of a list that is never nil, so that the JSON has no null.
func notNull[T any](list []T) []T { return append([]T{}, list...) }

// scopeOf describes where and for how long feedback applies.
func scopeOf(f experience.Feedback) string {
	var parts []string
	if f.Domain != "" {
		parts = append(parts, "in "+text.Visible(f.Domain))
	}
	if f.Goal != "" {
		parts = append(parts, "for goals with "+text.Visible(oneLine(f.Goal, 60)))
	}
	switch {
	case f.Session != "":
		parts = append(parts, "in the conversation "+text.Visible(oneLine(f.Session, 60)))
	case !f.Until.IsZero():
		parts = append(parts, "until "+day(f.Until))
	default:
		parts = append(parts, "for good")
	}
	return strings.Join(parts, ", ")
}

func feedbackState(f experience.Feedback, now time.Time) string {
	return orElse("active", "over", f.Active(now))
}

func printFeedbackChange(con *console, v feedbackView, verb string, now time.Time) {
	f := v.Feedback
	con.printf("%s of %s %s: %s, %s, %s\n", f.ID, v.Agent, orElse("added", "removed", verb == "add"), f.Verdict, text.Visible(f.Wish()), scopeOf(f))
	con.printf("  %-10s %s\n", "touches", v.Touched)
	if verb != "add" && feedbackState(f, now) == "over" {
		con.printf("  %-10s the feedback had already expired\n", "state")
	}
	for _, note := range v.Notes {
		con.printf("  %-10s %s\n", "note", text.Visible(note))
	}
	printConflicts(con, v.Conflicts)
	printSuggestions(con, v.Agent, v.Suggestions)
}

func printConflicts(con *console, list []experience.Conflict) {
	for _, x := range list {
		con.printf("  %-10s %s and %s: %s; %s %s\n", "conflict", x.Wins, x.Loses, x.Why, x.Wins, orElse("is newer and wins", "is a prohibition and wins", !x.Holds))
	}
}

func printSuggestions(con *console, agentID string, list []experience.Suggestion) {
	for _, s := range list {
		command := "evolve feedback add " + agentID + " --verdict negative --action constraint"
		for _, f := range [][2]string{{"tool", s.Tool}, {"domain", s.Domain}, {"goal", s.Goal}} {
			if f[1] != "" {
				command += " --" + f[0] + " " + text.ShellQuote(f[1])
			}
		}
		con.printf("  %-10s %s (%s); to forbid the tool: %s\n", "suggestion", count(len(s.Negatives), "negative verdict"), strings.Join(s.Negatives, ", "), text.Visible(con.command(command)))
	}
}

// eachFeedback calls the function look with the experience of the named agent or, if no
// agent is named, once with the experience of each agent.
func eachFeedback(sh *shell, c *cli.Context, look func(store *archive.Archive, a *workspace.Agent, e experience.Experience) error) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	if name := c.Args().First(); name != "" {
		if _, err := namedAgent(w, name); err != nil {
			return err
		}
	}
	return wire.LookIfThere(w.Root, func(store *archive.Archive) error {
		for i := range w.Agents {
			a := &w.Agents[i]
			if name := c.Args().First(); name != "" && name != a.ID {
				continue
			}
			e, err := store.Experience(c.Context, a.ID)
			if err != nil {
				return fmt.Errorf("reading the feedback: %w", err)
			}
			if err := look(store, a, e); err != nil {
				return err
			}
		}
		return nil
	})
}

func feedbackList(sh *shell, c *cli.Context) error {
	lines, conflicts := []feedbackLine{}, []feedbackConflict{}
	only := func(flag, value string) bool { return !c.IsSet(flag) || c.String(flag) == value }
	err := eachFeedback(sh, c, func(_ *archive.Archive, a *workspace.Agent, e experience.Experience) error {
		shown := map[string]bool{}
		for _, f := range e.Feedback {
			if only("tool", f.Tool) && only("domain", f.Domain) && only("verdict", string(f.Verdict)) {
				shown[f.ID] = true
				lines = append(lines, feedbackLine{a.ID, f, feedbackState(f, sh.Now())})
			}
		}
		for _, x := range e.Conflicts(sh.Now()) {
			if shown[x.Wins] || shown[x.Loses] {
				conflicts = append(conflicts, feedbackConflict{a.ID, x})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return sh.show(map[string]any{"feedback": lines, "conflicts": conflicts}, func() {
		if len(lines) == 0 {
			sh.printf("there is no feedback\n")
		}
		for _, l := range lines {
			sh.printf("%-4s  %-6s  %-16s  %-10s  %s, %s  by %s on %s\n", l.ID, l.State, cell(l.Agent, 24), l.Verdict, text.Visible(l.Feedback.Wish()), scopeOf(l.Feedback), cell(l.By, 40), day(l.Time))
			if l.Evidence != "" {
				sh.printf("      %s\n", cell(l.Evidence, 200))
			}
		}
		for _, x := range conflicts {
			printConflicts(sh.console, []experience.Conflict{x.Conflict})
		}
	})
}

// whatIfView is the output of `evolve feedback what-if --json`.
type whatIfView struct {
	Agent    string              `json:"agent"`
	Feedback experience.Feedback `json:"feedback"`
	Choices  []experience.Choice `json:"choices"`
	Stored   feedbackTouch       `json:"stored"`
}

func feedbackWhatIf(sh *shell, c *cli.Context) error {
	var v whatIfView
	id := c.Args().Get(1)
	found := false
	err := eachFeedback(sh, c, func(store *archive.Archive, a *workspace.Agent, e experience.Experience) error {
		turns, err := wire.StoredTurns(c.Context, store, a, nil)
		if err != nil {
			return err
		}
		choices, ok := e.WhatIf(id, turns)
		if !ok {
			return noFeedback(a.ID, id, &e)
		}
		i := slices.IndexFunc(e.Feedback, func(f experience.Feedback) bool { return strings.EqualFold(f.ID, id) })
		v, found = whatIfView{a.ID, e.Feedback[i], notNull(choices), storedCalls(turns)}, true
		return nil
	})
	if err == nil && !found { // nothing is recorded yet
		err = noFeedback(c.Args().First(), id, &experience.Experience{})
	}
	if err != nil {
		return err
	}
	return sh.show(v, func() {
		sh.printf("%s of %s: %s, %s\n", v.Feedback.ID, v.Agent, text.Visible(v.Feedback.Wish()), scopeOf(v.Feedback))
		for _, x := range v.Choices {
			sh.printf("  %-6s %-24s %-16s %-9s %s, without %s %s\n", x.Turn, cell(strings.TrimSpace(x.Tool+" "+x.Method), 48), cell(x.Domain, 24),
				count(x.Calls, "call"), weightOf(x.With), v.Feedback.ID, weightOf(x.Without))
		}
		sh.printf("without this feedback, scores would be different in %s of %s\n", count(len(v.Choices), "choice"), v.Stored)
	})
}

// weightOf describes the factor by which a score is multiplied; a factor of 0 is
// "forbidden".
func weightOf(factor float64) string {
	if factor == 0 {
		return "forbidden"
	}
	return fmt.Sprintf("×%g", factor)
}

// storedCalls counts turns and the calls in them.
func storedCalls(turns []experience.Turn) feedbackTouch {
	t := feedbackTouch{Turns: len(turns)}
	for _, u := range turns {
		t.Calls += len(u.Calls)
	}
	return t
}

func feedbackStats(sh *shell, c *cli.Context) error {
	list := []feedbackCounts{}
	err := eachFeedback(sh, c, func(store *archive.Archive, a *workspace.Agent, e experience.Experience) error {
		n, err := countFeedback(c.Context, store, a, &e, sh.Now())
		list = append(list, n)
		return err
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "agents", list, "there is no feedback", func(n feedbackCounts) error {
		sh.printf("%s: %d given, %d active\n", n.Agent, n.Feedback, n.Active)
		sh.printf("  %-10s %s\n", "verdicts", countsOf(experience.Verdicts(), n.Verdicts))
		sh.printf("  %-10s %s\n", "actions", countsOf(experience.Actions(), n.Actions))
		sh.printf("  %-10s %s, of %s\n", "touches", n.Touched, n.Stored)
		if n.Ignored.Calls > 0 {
			sh.printf("  %-10s %s used a tool that feedback forbade\n", "ignored", n.Ignored)
		}
		printConflicts(sh.console, n.Conflicts)
		printSuggestions(sh.console, n.Agent, n.Suggestions)
		return nil
	})
}

func countFeedback(ctx context.Context, store *archive.Archive, a *workspace.Agent, e *experience.Experience, now time.Time) (feedbackCounts, error) {
	n := feedbackCounts{
		Agent: a.ID, Feedback: len(e.Feedback), Verdicts: map[experience.Verdict]int{}, Actions: map[experience.Action]int{},
		Conflicts: notNull(e.Conflicts(now)), Suggestions: notNull(e.Suggestions()),
	}
	for _, f := range e.Feedback {
		if f.Active(now) {
			n.Active++
		}
		n.Verdicts[f.Verdict]++
		n.Actions[f.Action]++
	}
	turns, err := wire.StoredTurns(ctx, store, a, nil)
	n.Touched, n.Stored, n.Ignored = touchOf(e.Touched(turns)), storedCalls(turns), touchOf(e.Ignored(turns))
	return n, err
}

// countsOf lists counts in the order of the given names.
func countsOf[T ~string](names []T, counts map[T]int) string {
	var parts []string
	for _, name := range names {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
		}
	}
	return orElse("none", strings.Join(parts, ", "), len(parts) == 0)
}
