package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/experience"
	"evolve/runtime/session"
	"evolve/runtime/text"
)

// periodView is a period together with the conclusions drawn from it.
type periodView struct {
	*experience.Period
	Strengths   []experience.Finding `json:"strengths"`
	Worked      []experience.Finding `json:"worked"`
	Weaknesses  []experience.Finding `json:"weaknesses"`
	Referrals   []experience.Finding `json:"referrals"`
	Adjustments []experience.Finding `json:"adjustments"`
}

// lessonsView is the output of `evolve agent lessons --json`. Night and Week are nil if
// there are no turns.
type lessonsView struct {
	Agent string `json:"agent"`
	// Own is a person's own EVAL_FEEDBACK.md. In the system prompt it is followed by
	// Told, which is the advice in Text without quotations from people or tools.
	Own   string      `json:"own"`
	Text  string      `json:"text"`
	Told  string      `json:"told"`
	Night *periodView `json:"night"`
	Week  *periodView `json:"week"`
}

func agentLessonsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "lessons", Usage: "show the lessons from an agent's live turns", ArgsUsage: "[AGENT]",
		Description: "Every night derives lessons from the stored turns: strengths, weaknesses, referrals, corrections,\n" +
			"tool errors, latencies and adjustments, each with its counts and turns. A person's own EVAL_FEEDBACK.md in the\n" +
			"folder of the agent is shown first. The next turn reads that file and the advice in the lessons, but not what the\n" +
			"lessons quote from people and tools. Also works during a run.",
		Action: func(c *cli.Context) error { return agentLessons(sh, c) },
	}
}

func agentLessons(sh *shell, c *cli.Context) error {
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	var e experience.Experience
	var names experience.Names
	err = wire.LookIfThere(w.Root, func(store *archive.Archive) (err error) {
		if e, err = store.Experience(c.Context, a.ID); err != nil {
			return err
		}
		held, err := batch.FindHeldOut(c.Context, w, store)
		if err != nil {
			return err
		}
		e.Lessons = e.Lessons.Without(held.Quoted)
		names, err = wire.PromptNames(c.Context, w, store, a)
		return err
	})
	if err != nil {
		return err
	}
	v := lessonsView{
		Agent: a.ID, Own: a.Bootstrap[session.FeedbackFile], Text: e.Lessons.Text(), Told: e.Lessons.Told(names),
		Night: periodViewOf(e.Lessons.Night), Week: periodViewOf(e.Lessons.Week),
	}
	return sh.show(v, func() {
		parts := []string{}
		for _, part := range []string{v.Own, v.Text} {
			if part != "" {
				parts = append(parts, strings.TrimRight(text.VisibleLines(part), "\n")+"\n")
			}
		}
		if len(parts) == 0 {
			sh.printf("no night has derived lessons from turns of %s\n", a.ID)
		}
		sh.printf("%s", strings.Join(parts, "\n"))
	})
}

func periodViewOf(p *experience.Period) *periodView {
	if p == nil {
		return nil
	}
	return &periodView{p, notNull(p.Strengths()), notNull(p.Worked()), notNull(p.Weaknesses()), notNull(p.Referrals()), notNull(p.Adjustments())}
}
