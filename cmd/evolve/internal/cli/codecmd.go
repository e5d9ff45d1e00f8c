package cli

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/grade"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

func codeCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "code", Usage: "the marked blocks of a target, and the versions that nights found",
		Description: "TARGET is a target under patches.targets in evolve.yaml that has a scoring command. Nothing is run or scored; also works during a run.",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "show the blocks and the best version so far, or the diff, lineage and values of one version", ArgsUsage: "TARGET [VARIANT]",
				Description: "The diff is against the code that the version was measured on. A version that entered the confirmation has values on held-out cases; it is confirmed if it was shown to be better on them.",
				Action: func(c *cli.Context) error {
					return withCode(sh, c, func(b *codeBook) error { return showCode(sh, b, c.Args().Get(1)) })
				},
			},
			{
				Name: "lineage", Usage: "show how a version came about, with the diff of each step", ArgsUsage: "TARGET [VARIANT]",
				Description: "Without VARIANT: the best version so far or, if there is none, the version of the latest proposal that awaits a decision.",
				Action: func(c *cli.Context) error {
					return withCode(sh, c, func(b *codeBook) error { return showCodeLineage(sh, b, c.Args().Get(1)) })
				},
			},
			{
				Name: "compare", Usage: "compare the values of two versions case by case, and show their diff", ArgsUsage: "TARGET A B",
				Description: "The difference is B − A. Results on search cases are biased in favour of versions found with them; results on held-out cases are not.",
				Action: func(c *cli.Context) error {
					return withCode(sh, c, func(b *codeBook) error { return compareCode(sh, b, c.Args().Get(1), c.Args().Get(2)) })
				},
			},
		},
	}
}

// codeBook combines a target with the archive and the workspace that describe its versions.
type codeBook struct {
	*coding.Prospect
	ctx       context.Context
	archive   *archive.Archive
	workspace *workspace.Workspace
	id        string // the archive's id; empty if there is none
}

// withCode finds the target that the first argument names, and passes that target to the
// function use.
func withCode(sh *shell, c *cli.Context, use func(*codeBook) error) (err error) {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	target, err := scoredTarget(w.PatchTargets(), c.Args().First())
	if err != nil {
		return err
	}
	p, err := coding.Find(c.Context, sh.PatchReader(w.Root), w, target)
	if err == nil {
		_, err = p.Recall(grade.Rules(), codeKept(w))
	}
	var problem *coding.Problem
	if errors.As(err, &problem) {
		return exit.Errorf(exit.Usage, "`evolve help code` describes targets and marks", "the blocks of target %s cannot be read: %s", text.Visible(target.Name), problem.Text)
	}
	if err != nil {
		return err
	}
	a, err := archiveOrEmpty(w.Root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	id, err := a.ID(c.Context)
	if err != nil {
		return err
	}
	return use(&codeBook{p, c.Context, a, w, id})
}

// scoredTarget returns the target with the given name, which must have a scoring command.
func scoredTarget(targets []review.Target, name string) (review.Target, error) {
	var known []string
	for _, t := range targets {
		switch {
		case t.Scoring != nil && t.Name == name:
			return t, nil
		case t.Name == name:
			return t, exit.Errorf(exit.Usage, "`evolve help code` describes the settings of a scoring command", "target %s has no scoring command: nights do not search its code", text.Visible(name))
		case t.Scoring != nil:
			known = append(known, text.Visible(t.Name))
		}
	}
	hint := "no target in patches.targets has a scoring command; `evolve help code` describes the settings of a scoring command"
	if len(known) > 0 {
		hint = "targets with a scoring command: " + strings.Join(known, ", ")
	}
	return review.Target{}, exit.Errorf(exit.Usage, hint, "there is no target %s", text.Quote(name))
}

// version returns the variant with the name that a person typed.
func (b *codeBook) version(name string) (archive.Variant, error) {
	v, err := b.archive.FindVariant(b.ctx, b.Target.Name, name)
	if errors.Is(err, archive.ErrNotFound) {
		return v, exit.Errorf(exit.Usage, "`evolve variants --agent "+text.ShellQuote(b.Target.Name)+"` lists them", "target %s has no version %s", text.Visible(b.Target.Name), text.Quote(name))
	}
	return v, err
}

// codeNight is the result of a night that searched code.
type codeNight struct {
	archive.AgentResult
	run string
}

// nights returns the nights that searched a state of the code, the latest first.
func (b *codeBook) nights(hash string) iter.Seq2[codeNight, error] {
	return func(yield func(codeNight, error) bool) {
		for r, err := range b.archive.Runs(b.ctx) {
			if err != nil {
				yield(codeNight{}, err)
				return
			}
			if plan, err := b.archive.Plan(b.ctx, r.ID, b.Target.Name); err != nil || plan.AgentHash != hash {
				continue // the run did not have the target, had it in another state, or ended before it had a plan
			}
			if result, err := b.archive.Result(b.ctx, r.ID, b.Target.Name); err == nil && !yield(codeNight{result, r.ID}, nil) {
				return
			}
		}
	}
}

// refused returns the versions that gates refused in the latest night.
func (b *codeBook) refused() ([]codeRefused, error) {
	var out []codeRefused
	for n, err := range b.nights(b.ID()) {
		if err != nil {
			return nil, err
		}
		for _, f := range n.Refused {
			out = append(out, codeRefused{b.numberOf(agent.ConfigID(f.Variant)), f})
		}
		break
	}
	return out, nil
}

// leftOut returns the versions that later nights leave out because gates refused them.
func (b *codeBook) leftOut() (map[agent.ConfigID]archive.LeftOut, error) {
	return night.LeftOut(b.ctx, b.archive, b.Target.Name, b.ID(), "")
}

// best returns the best version that nights found for the present code; see [night.BestOf].
// The boolean result reports whether there is one.
func (b *codeBook) best() (night.Best, bool, error) {
	return night.BestOf(b.ctx, b.archive, b.Target.Name, b.ID(), b.Current().ID())
}

// unproposed returns the reason why there is no proposal for a version that the given run
// confirmed.
func (b *codeBook) unproposed(run string) (string, error) {
	r, err := b.archive.Run(b.ctx, run)
	if err != nil {
		return "", err
	}
	for _, n := range r.Patches {
		if n.Target == b.Target.Name && strings.HasPrefix(n.Text, batch.NoProposal) {
			return oneLine(n.Text, noteLength), nil
		}
	}
	return batch.NoProposal + "run " + run + " ended before", nil
}

// named returns the version with the given name. For an empty name it returns the best
// version or, if there is none, the version of the latest pending proposal.
func (b *codeBook) named(name string) (archive.Variant, error) {
	if name != "" {
		return b.version(name)
	}
	best, ok, err := b.best()
	if err == nil && !ok {
		var waits []codeOpen
		if waits, err = b.open(); err == nil && len(waits) > 0 {
			return b.archive.Variant(b.ctx, b.Target.Name, waits[len(waits)-1].Variant)
		}
	}
	if err == nil && !ok {
		err = exit.Errorf(exit.Usage, "name a VARIANT: `evolve variants --agent "+text.ShellQuote(b.Target.Name)+"` lists them", "no night found a version of %s that is better than its current code", text.Visible(b.Target.Name))
	}
	return best.Variant, err
}

// numberOf returns the number of a version, or 0 if the number is not recorded.
func (b *codeBook) numberOf(id agent.ConfigID) int {
	v, err := b.archive.Variant(b.ctx, b.Target.Name, id)
	if err != nil {
		return 0
	}
	return v.Number
}

// basis returns the basis on which versions are compared: the cases of the target, and the
// statistical rule of its nights.
func (b *codeBook) basis(runs []string) comparisonBasis {
	out, as := comparisonBasis{runs: runs}, &workspace.Agent{ID: b.Target.Name, Guards: coding.Guards()}
	if own, ok := b.workspace.Agent(b.Own()); ok {
		as, out.tasks = own, tasksOf(b.workspace.SuitesOf(own)...)
	} else if b.Suite != nil {
		out.tasks = tasksOf(b.Suite)
	}
	out.rule = stats.Rule{Alpha: b.workspace.Settings.Confirm.Control().Alpha(), Guards: b.workspace.Bounds(as)}
	return out
}
