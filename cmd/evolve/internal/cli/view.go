package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/view"
	"evolve/cmd/evolve/internal/view/archived"
	"evolve/cmd/evolve/internal/wire"
	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/reports/render"
)

func viewCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "view", Usage: "show the archive as pages in a browser on this machine",
		Description: "Serves pages on 127.0.0.1 until interrupted: nights, variants by task, comparisons, transcripts, proposals and the progress of a run. The printed address contains a token that gives a browser access. Can be used during a run without disturbing it. See `evolve help view`.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "listen on port `N`; 0 chooses a free port"},
			&cli.BoolFlag{Name: "no-browser", Usage: "only print the address"},
			&cli.BoolFlag{Name: "decide", Usage: "allow proposals to be approved, rejected and rolled back on the pages, which ask the same questions as the commands"},
			byFlag(),
		},
		Action: func(c *cli.Context) error {
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			if p := c.Int("port"); p < 0 || p > 65535 {
				return exit.Misuse(fmt.Errorf("--port must be between 0 and 65535; it is %d", p))
			}
			if c.IsSet("by") && !c.Bool("decide") {
				return exit.Errorf(exit.Usage, "add --decide to make decisions on the pages", "--by names who decides, so it needs --decide")
			}
			return serveView(sh, c, root)
		},
	}
}

// serveView serves the pages until the context is done.
func serveView(sh *shell, c *cli.Context, root string) error {
	l, err := view.Listen(c.Int("port"))
	if err != nil {
		return exit.Errorf(exit.Infrastructure, "`evolve view` without --port uses a free port", "%w", err)
	}
	defer l.Close()
	src := archived.New(archived.Options{
		Look: func(look func(*archive.Archive) error) error { return wire.LookIfThere(root, look) },
		AsTheyAre: func(ctx context.Context, a *archive.Archive) (model.Source, error) {
			return asTheyAreIn(ctx, root, a)
		},
		Words: viewWords{sh, root}, Now: sh.Now,
	})
	defer src.Close()
	port, err := view.Port(l)
	if err != nil {
		return err
	}
	o := view.Options{Source: src, Name: filepath.Base(root), Log: sh.Log}
	if c.Bool("decide") {
		if err := outside(sh); err != nil {
			return err
		}
		by, err := earlyDecider(sh, c, root, loadable(root))
		if err != nil {
			return err
		}
		d := &viewDecider{sh: sh, root: root, by: by, ctx: c.Context}
		defer d.end()
		o.Decider = d
	}
	server, err := view.New(port, o)
	if err != nil {
		return err
	}
	if err := announce(sh, c, server); err != nil {
		return err
	}
	err = server.Serve(c.Context, l)
	if errors.Is(err, night.ErrInterrupted) { // its usual end
		return nil
	}
	return err
}

// announce prints the address, and opens it in the browser if a person is at the terminal.
func announce(sh *shell, c *cli.Context, server *view.Server) error {
	address := map[string]any{"address": server.Address()}
	if err := sh.result(address, "%s\n", server.Address()); err != nil {
		return err
	}
	tty, _ := terminal(sh.stdout)
	if !tty || sh.json || c.Bool("no-browser") {
		return nil
	}
	// The program that opens the address may keep running until the browser ends.
	go func() {
		if err := browse(context.WithoutCancel(c.Context), sh, server.Ticket()); err != nil && c.Context.Err() == nil && !sh.quiet {
			sh.eprintf("open the address in a browser on this machine; Ctrl-C stops serving the pages\n")
		}
	}()
	return nil
}

// viewWords provides the pages with the descriptions that commands print.
type viewWords struct {
	sh   *shell
	root string
}

// Comparison is [archived.Words.Comparison].
func (v viewWords) Comparison(ctx context.Context, a *archive.Archive, one, two archive.Variant) ([]view.Section, error) {
	compared, err := compareVariants(ctx, a, one, two, basisIn(loadable(v.root), one.Agent))
	if err != nil {
		return nil, err
	}
	return comparisonSections(compared, one, two), nil
}

// Proposal is [archived.Words.Proposal].
func (v viewWords) Proposal(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (parts []view.Section, facts []view.Fact, err error) {
	found, err := claimedOf(ctx, v.sh, a, v.root, p)
	if err != nil {
		return nil, nil, err
	}
	if facts, err = v.facts(ctx, a, found); err != nil {
		return nil, nil, err
	}
	if p.Patch != nil {
		return patchSections(v.sh.console, found.patch(v.sh.PatchReader(v.root))), facts, nil
	}
	return proposalSections(v.sh.console, found), facts, nil
}

// facts returns the gain and the price of a proposal, or nothing if the evidence for the
// proposal is contradicted.
func (v viewWords) facts(ctx context.Context, a *archive.Archive, found claimed) (list []view.Fact, err error) {
	if found.against != "" {
		return nil, nil
	}
	shown, err := shownOf(ctx, a, found.ProposalRecord, v.sh.Now())
	if len(shown) > 0 {
		list = append(list, view.Fact{Name: "gain", Lines: shown})
	}
	price := view.Fact{Name: "price"}
	for _, line := range found.price {
		price.Lines = append(price.Lines, strings.TrimPrefix(line, render.PricePrefix))
	}
	if len(price.Lines) > 0 {
		list = append(list, price)
	}
	return list, err
}

// Question implements [archived.Words.Question]. Credentials are removed from the question,
// as they are from a run's records.
func (v viewWords) Question(agentID, suiteHash, task string) (q *archive.Question, changed bool) {
	w := loadable(v.root)
	if w == nil {
		return nil, false
	}
	of, ok := w.Agent(agentID)
	if !ok {
		return nil, false
	}
	suites := w.SuitesOf(of)
	if sample := (&night.Agent{Suites: suites}).Sample(); sample.Hash != suiteHash {
		return nil, true
	}
	t := tasksOf(suites...)[task]
	if t == nil {
		return nil, false
	}
	scrub := v.sh.Scrub(w)
	goal, expected := t.Question()
	return &archive.Question{SuiteHash: suiteHash, Task: task, Goal: scrub(goal), Expected: scrub(expected)}, false
}

// Weights is [archived.Words.Weights], with the weights of a comparison.
func (v viewWords) Weights(agentID string) map[string]float64 {
	tasks := basisIn(loadable(v.root), agentID).tasks
	if tasks == nil {
		return nil
	}
	out := make(map[string]float64, len(tasks))
	for id, t := range tasks {
		out[id] = t.Importance()
	}
	return out
}

// Limits is [archived.Words.Limits].
func (v viewWords) Limits(ctx context.Context, a *archive.Archive, r archive.Run) (string, error) {
	lines, err := limitLines(ctx, a, r, v.sh.Now())
	return limitWords(lines), err
}

// Undecided is [archived.Words.Undecided].
func (v viewWords) Undecided(p archive.ProposalRecord) bool { return undecided(p) }

// Reversible is [archived.Words.Reversible].
func (v viewWords) Reversible(p archive.ProposalRecord) bool { return completes(view.Rollback, p) }
