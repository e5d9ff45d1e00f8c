package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// maxFeedbackDays bounds --days.
const maxFeedbackDays = 3650

func feedbackCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "feedback", Usage: "people's feedback on an agent's tools, which overrides what the agent learned",
		Subcommands: []*cli.Command{
			{
				Name: "add", Usage: "change how readily a tool is chosen, or forbid it", ArgsUsage: "AGENT",
				Description: "Feedback applies from the next turn on and overrides what the agent learned; if several entries apply, the newest\n" +
					"wins, but a prohibition stays until newer feedback with the same scope asks for the tool\n" +
					"(`evolve help feedback`). The ledger records it with your name.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "verdict", Usage: "the `VERDICT`: positive, negative or correction"},
					&cli.StringFlag{Name: "action", Usage: "the `ACTION`: penalise (×0.3), boost (×1.2), constraint (never use) or replace; by default, replace if --with is given, boost for positive, otherwise penalise"},
					&cli.StringFlag{Name: "tool", Usage: "the `TOOL`; penalise and boost apply to all tools by default"},
					&cli.StringFlag{Name: "with", Usage: "the `TOOL` to use instead, for replace"},
					&cli.StringFlag{Name: "domain", Usage: "only in the subject area `DOMAIN`"},
					&cli.StringFlag{Name: "goal", Usage: "only for goals that contain all of these `WORDS`; * stands for any part of a word"},
					&cli.StringFlag{Name: "session", Usage: "only in the conversation `NAME`"},
					&cli.IntFlag{Name: "days", Usage: "let the feedback expire after `N` days; by default, it never expires"},
					&cli.StringFlag{Name: "evidence", Usage: "what happened, as `TEXT` for later readers"},
					byFlag(),
				},
				Action: func(c *cli.Context) error { return feedbackAdd(sh, c) },
			},
			{
				Name: "list", Usage: "list the feedback and its conflicts", ArgsUsage: "[AGENT]", Description: "Also works during a run.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "tool", Usage: "only the feedback on the `TOOL`"}, &cli.StringFlag{Name: "domain", Usage: "only the feedback in the subject area `DOMAIN`"},
					&cli.StringFlag{Name: "verdict", Usage: "only the feedback with the `VERDICT`"},
				},
				Action: func(c *cli.Context) error { return feedbackList(sh, c) },
			},
			{
				Name: "remove", Usage: "withdraw feedback; scores become what they would be without it", ArgsUsage: "AGENT ID",
				Flags:  []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "the `REASON`, for the ledger"}, byFlag()},
				Action: func(c *cli.Context) error { return feedbackRemove(sh, c) },
			},
			{
				Name: "what-if", Usage: "show the choices in stored turns for which removing the feedback would change the score of a tool", ArgsUsage: "AGENT ID", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return feedbackWhatIf(sh, c) },
			},
			{
				Name: "stats", Usage: "show counts of verdicts and actions, stored calls in scope, conflicts, and suggested constraints", ArgsUsage: "[AGENT]", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return feedbackStats(sh, c) },
			},
		},
	}
}

// feedbackNote is the data of the ledger entries feedback.add and feedback.remove.
type feedbackNote struct {
	Feedback experience.Feedback `json:"feedback"`
	Touched  feedbackTouch       `json:"touched"`
	Reason   string              `json:"reason,omitempty"`
}

func feedbackAdd(sh *shell, c *cli.Context) error {
	if err := outside(sh); err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	f, err := feedbackOf(c, sh.Now(), sh.Scrub(w))
	if err != nil {
		return err
	}
	return changeFeedback(sh, c, w, a, "add", func(by string, e *experience.Experience, store *archive.Archive, turns []experience.Turn) (experience.Feedback, error) {
		if err := knownScope(c, w, a, store, e, turns, f); err != nil {
			return f, err
		}
		f.By = by
		stored, err := e.AddFeedback(f)
		switch {
		case errors.Is(err, experience.ErrFeedbackFull):
			return f, exit.Errorf(exit.Gate, "`evolve feedback remove "+a.ID+" ID` removes an entry", "%v", err)
		case err != nil:
			return f, exit.Errorf(exit.Usage, "`evolve help feedback` describes each field", "this is not valid feedback: %v", err)
		}
		return stored, nil
	})
}

func feedbackRemove(sh *shell, c *cli.Context) error {
	if err := outside(sh); err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	return changeFeedback(sh, c, w, a, "remove", func(_ string, e *experience.Experience, _ *archive.Archive, _ []experience.Turn) (experience.Feedback, error) {
		f, ok := e.RemoveFeedback(c.Args().Get(1))
		if !ok {
			return f, noFeedback(a.ID, c.Args().Get(1), e)
		}
		return f, nil
	})
}

// noFeedback returns the error for an unknown id.
func noFeedback(agentID, id string, e *experience.Experience) error {
	var ids []string
	for _, f := range e.Feedback {
		ids = append(ids, f.ID)
	}
	return exit.Errorf(exit.Usage, exit.Suggest("`evolve feedback list "+agentID+"` lists them", "%s", id, ids), "%s has no feedback %.40q", agentID, id)
}

// feedbackChange adds or removes one piece of feedback in a person's name and returns it.
type feedbackChange func(by string, e *experience.Experience, store *archive.Archive, turns []experience.Turn) (experience.Feedback, error)

// changeFeedback stores a change to an agent's feedback with its ledger entry, and shows
// the change.
func changeFeedback(sh *shell, c *cli.Context, w *workspace.Workspace, a *workspace.Agent, verb string, change feedbackChange) error {
	by, err := decider(sh, c, w.Root)
	if err != nil {
		return err
	}
	store, err := sh.OpenArchive(w.Root, "evolve feedback "+verb)
	if errors.Is(err, archive.ErrLocked) && verb == "add" {
		return forbidMeanwhile(sh, c, w, a, by, change, err)
	}
	if err != nil {
		return err
	}
	v, err := storeFeedback(c.Context, sh, store, a, change, archive.LedgerEntry{
		Time: sh.Now(), Kind: "feedback." + verb, Actor: oneLine(by, 200),
	}, sh.Scrub(w)(oneLine(c.String("reason"), 1000)))
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	return sh.show(v, func() { printFeedbackChange(sh.console, v, verb, sh.Now()) })
}

// forbidMeanwhile stores a prohibition while a run holds the archive, because a prohibition
// must take effect without waiting for hours. Other feedback waits for the end of the run.
func forbidMeanwhile(sh *shell, c *cli.Context, w *workspace.Workspace, a *workspace.Agent, by string, change feedbackChange, held error) error {
	var f experience.Feedback
	waits := false
	err := wire.Look(w.Root, func(store *archive.Archive) error {
		e, err := store.Experience(c.Context, a.ID)
		if err != nil {
			return err
		}
		turns, err := wire.StoredTurns(c.Context, store, a, nil)
		if err != nil {
			return err
		}
		f, err = change(oneLine(by, 200), &e, store, turns)
		waits = err == nil && f.Forbids()
		return err
	})
	if err != nil {
		return err
	}
	if !waits {
		return held
	}
	f.ID = ""
	if err := wire.KeepProhibition(w.Root, a.ID, f); err != nil {
		return err
	}
	sh.Log.Warn("the prohibition applies from the next turn on, but has no ID until a later command records it: " + held.Error())
	v := feedbackView{Agent: a.ID, Feedback: f, Conflicts: notNull[experience.Conflict](nil), Suggestions: notNull[experience.Suggestion](nil)}
	return sh.show(v, func() { sh.printf("in force for %s: %s, %s\n", a.ID, text.Visible(f.Wish()), scopeOf(f)) })
}

func storeFeedback(ctx context.Context, sh *shell, store *archive.Archive, a *workspace.Agent, change feedbackChange, entry archive.LedgerEntry, reason string) (feedbackView, error) {
	v := feedbackView{Agent: a.ID}
	turns, err := wire.StoredTurns(ctx, store, a, nil)
	if err != nil {
		return v, err
	}
	var refused error // the text for a person, without the archive's prefix
	err = store.UpdateExperience(ctx, a.ID, &entry, func(e *experience.Experience) error {
		if v.Feedback, refused = change(entry.Actor, e, store, turns); refused != nil {
			return refused
		}
		v.Touched = touchOf(v.Feedback.Touched(turns))
		if entry.Kind == "feedback.add" {
			v.Notes = feedbackNotes(a, e, turns, v.Feedback)
		}
		v.Conflicts = slices.DeleteFunc(e.Conflicts(sh.Now()), func(x experience.Conflict) bool { return x.Wins != v.Feedback.ID && x.Loses != v.Feedback.ID })
		v.Suggestions = e.Suggestions()
		noted, err := archive.NewLedgerEntry(entry.Time, entry.Kind, a.ID, feedbackNote{v.Feedback, v.Touched, reason})
		entry.Data = noted.Data
		return err
	})
	v.Conflicts, v.Suggestions = notNull(v.Conflicts), notNull(v.Suggestions)
	return v, cmp.Or(refused, err)
}

// feedbackOf reads the flags that describe new feedback.
func feedbackOf(c *cli.Context, now time.Time, scrub func(string) string) (experience.Feedback, error) {
	f := experience.Feedback{
		Verdict: experience.Verdict(c.String("verdict")), Action: experience.Action(c.String("action")),
		Tool: c.String("tool"), With: c.String("with"), Domain: c.String("domain"), Goal: scrub(c.String("goal")), Session: c.String("session"),
		Importance: .9, Evidence: scrub(oneLine(c.String("evidence"), 1000)), Time: now,
	}
	if err := knownWord("verdict", f.Verdict, experience.Verdicts()); err != nil {
		return f, err
	}
	if f.Action == "" {
		f.Action = usualAction(f)
	}
	if err := knownWord("action", f.Action, experience.Actions()); err != nil {
		return f, err
	}
	boosts := f.Action == experience.Boost
	switch {
	case (f.Verdict == experience.Positive && !boosts) || (f.Verdict == experience.Negative && boosts):
		return f, exit.Errorf(exit.Usage, "use boost with positive, any other action with negative, and any action with correction", "%s feedback and the action %s contradict each other", f.Verdict, f.Action)
	case f.Tool == "" && (f.Action == experience.Constrain || f.Action == experience.Replace):
		return f, exit.Errorf(exit.Usage, "name it with --tool TOOL", "%s needs a tool", f.Action)
	case f.Action == experience.Replace && f.With == "":
		return f, exit.Errorf(exit.Usage, "name it with --with TOOL", "replace needs the tool to use instead")
	case f.Action != experience.Replace && f.With != "":
		return f, exit.Errorf(exit.Usage, "use --action replace to have a different tool used instead", "--with applies only to the action replace, not to %s", f.Action)
	case f.Goal != "" && !strings.ContainsFunc(f.Goal, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return f, exit.Errorf(exit.Usage, "give words from the goal, such as \"deploy prod*\", or leave --goal out to match every goal", "--goal %.40q contains no word", f.Goal)
	case f.With != "" && f.With == f.Tool:
		return f, exit.Errorf(exit.Usage, "name a different tool with --with", "%s cannot be used instead of itself", f.Tool)
	case f.Session != "" && c.IsSet("days"):
		return f, exit.Errorf(exit.Usage, "give only one of --session and --days", "--session and --days are mutually exclusive")
	case c.IsSet("days") && (c.Int("days") < 1 || c.Int("days") > maxFeedbackDays):
		return f, exit.Errorf(exit.Usage, fmt.Sprintf("give 1 to %d, or leave --days out for feedback that never expires", maxFeedbackDays), "--days %d is out of range", c.Int("days"))
	}
	if c.IsSet("days") {
		f.Until = now.AddDate(0, 0, c.Int("days"))
	}
	return f, nil
}

// usualAction returns the default action for a verdict.
func usualAction(f experience.Feedback) experience.Action {
	switch {
	case f.With != "":
		return experience.Replace
	case f.Verdict == experience.Positive:
		return experience.Boost
	}
	return experience.Penalise
}

// knownWord refuses the value of a flag if the value is not in list.
func knownWord[T ~string](flag string, value T, list []T) error {
	if slices.Contains(list, value) {
		return nil
	}
	var names []string
	for _, v := range list {
		names = append(names, string(v))
	}
	hint := exit.Suggest("it is "+strings.Join(names, ", "), "--"+flag+" %s", string(value), names)
	if value == "" {
		return exit.Errorf(exit.Usage, hint, "--%s is missing", flag)
	}
	return exit.Errorf(exit.Usage, hint, "there is no %s %.40q", flag, value)
}

// feedbackNotes returns what a person has to know about new feedback: what cannot be
// enforced on an operator's own agent, and which names do not occur anywhere.
func feedbackNotes(a *workspace.Agent, e *experience.Experience, turns []experience.Turn, f experience.Feedback) []string {
	var notes []string
	known := func(name string) bool {
		return slices.ContainsFunc(turns, func(t experience.Turn) bool { return t.Session == name })
	}
	if f.Session != "" && !known(f.Session) {
		var names []string
		for _, t := range turns {
			names = append(names, t.Session)
		}
		notes = append(notes, fmt.Sprintf("%s has no conversation %q yet%s", a.ID, f.Session, meant(f.Session, names)))
	}
	if a.Adapter.Kind == workspace.KindBuiltin {
		return notes
	}
	tools := calledTools(e, turns)
	for _, name := range []string{f.Tool, f.With} {
		if name != "" && !slices.Contains(tools, name) {
			notes = append(notes, fmt.Sprintf("%s has reported no call to a tool %q%s", a.ID, name, meant(name, tools)))
		}
	}
	return append(notes,
		"each live request to "+a.ID+" carries this feedback in the field `feedback`; the turn and `evolve feedback stats` list the calls that ignore it",
		a.ID+" chooses its tools itself: evolve can neither keep it from making a call nor change how it scores its tools")
}

// meant returns a clause that suggests which of the names was probably meant, to be added
// to a sentence; it returns "" if no name is near.
func meant(name string, names []string) string {
	if near := exit.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// calledTools returns the tools that an agent's turns called, sorted.
func calledTools(e *experience.Experience, turns []experience.Turn) []string {
	var tools []string
	for _, k := range e.Capsules {
		tools = append(tools, k.Tool)
	}
	for _, t := range turns {
		for _, call := range t.Calls {
			tools = append(tools, call.Tool)
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}

// knownScope rejects tools and a domain that the agent neither has nor had in a stored
// turn.
func knownScope(c *cli.Context, w *workspace.Workspace, a *workspace.Agent, store *archive.Archive, e *experience.Experience, turns []experience.Turn, f experience.Feedback) error {
	domains := wire.DomainsOf(a, e, turns)
	if f.Domain != "" && !slices.Contains(domains, f.Domain) {
		hint := exit.Suggest(exit.Listed("it has ", domains, "this agent has no domains: leave --domain out"), "--domain %s", f.Domain, domains)
		return exit.Errorf(exit.Usage, hint, "%s has no domain %.80q", a.ID, f.Domain)
	}
	if a.Adapter.Kind != workspace.KindBuiltin {
		return nil // the agent is an operator's program, so the tools that it can call are not known
	}
	lines, err := toolLines(c.Context, w, a, store)
	if err != nil {
		return err
	}
	tools := calledTools(e, turns)
	for _, l := range lines {
		tools = append(tools, l.Name)
	}
	for _, name := range []string{f.Tool, f.With} {
		if name != "" && !slices.Contains(tools, name) {
			return exit.Errorf(exit.Usage, exit.Suggest("`evolve tools list "+a.ID+"` lists them", "%s", name, tools), "%s has no tool %.80q", a.ID, name)
		}
	}
	return nil
}
