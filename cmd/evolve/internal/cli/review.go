package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// reviewView is the output of `evolve review --json`. It holds the decisions that were
// made.
type reviewView struct {
	Approved []string `json:"approved"`
	Rejected []string `json:"rejected"`
	Left     []string `json:"left"`
}

func reviewCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "go through the proposals that await a decision, one by one",
		Description: "Works only on a terminal. Each proposal is shown in full; then you approve it (and confirm, as in `evolve approve`), reject it with " +
			"a reason, look at its diff or its gates, or leave it for later.",
		Flags: []cli.Flag{byFlag()},
		Action: func(c *cli.Context) error {
			if err := outside(sh); err != nil {
				return err
			}
			who, ok := sh.asker()
			if !ok {
				return exit.Errorf(exit.Usage, "`evolve proposals`, `evolve show ID` and `evolve approve ID --yes` need no terminal", "there is no terminal to review on")
			}
			w, err := sh.load(c)
			if err != nil {
				return err
			}
			if c.IsSet("by") {
				if _, err := earlyDecider(sh, c, w.Root, w); err != nil {
					return err
				}
			}
			return reviewQueue(sh, c, w, who)
		},
	}
}

func reviewQueue(sh *shell, c *cli.Context, w *workspace.Workspace, who *person) error {
	list, err := awaiting(sh, c, w.Root)
	if err != nil {
		return err
	}
	view := reviewView{Approved: []string{}, Rejected: []string{}, Left: []string{}}
	out := &shell{Host: sh.Host, console: sh.on(who.out)} // the output is part of the question
	for i, p := range list {
		_, _ = fmt.Fprintf(who.out, "\n%d of %d\n\n", i+1, len(list))
		if p.Patch != nil {
			printPatch(out.console, p.patch(sh.PatchReader(w.Root)), false)
		} else {
			printProposal(out.console, p, false)
			printGrounds(who.out, p.grounds)
		}
		state, err := reviewOne(sh, c, w, who, out, p)
		if errors.Is(err, errGone) || errors.Is(err, errEnough) {
			for _, rest := range list[i:] {
				view.Left = append(view.Left, rest.ID)
			}
			break
		}
		if err != nil {
			return err
		}
		switch state {
		case archive.Adopted:
			view.Approved = append(view.Approved, p.ID)
		case archive.Rejected:
			view.Rejected = append(view.Rejected, p.ID)
		default:
			view.Left = append(view.Left, p.ID)
		}
	}
	if sh.json {
		return sh.printJSON(view)
	}
	if len(list) == 0 {
		_, err = fmt.Fprintln(sh.stdout, "nothing awaits a decision")
	} else {
		_, err = fmt.Fprintf(sh.stdout, "\n%d approved, %d rejected, %d left for later\n", len(view.Approved), len(view.Rejected), len(view.Left))
	}
	return err
}

// claimed is a proposal, together with what may be claimed about its variant.
type claimed struct {
	archive.ProposalRecord
	claim stats.Claim
	// against describes how the stored evaluations contradict the proposal. If it is not
	// empty, the grounds for the decision are not shown.
	against string
	// decisions lists all decisions on the proposal, oldest first.
	decisions []archive.DecisionRecord
	// notes describe whether a decision on the proposal was lost.
	notes []string
	// small describes how the version in a patch was reduced from a finalist.
	small string
	// waited is how long the proposal has waited for a decision; it is empty if the
	// proposal has waited for less than a day.
	waited string
	// variant and champion are the names of the configs that the proposal concerns.
	variant, champion string
	// price lists what gets worse or more expensive with the variant.
	price []string
	// grounds holds the lines that precede the question, without those about the price.
	grounds []string
	// stale lists what changed since a config was measured; it is empty if nothing did. A
	// stale config cannot be approved.
	stale []string
}

// staleWords describes what changed since a config was measured; it returns "" if nothing
// did.
func (p claimed) staleWords(con *console) string {
	if len(p.stale) == 0 {
		return ""
	}
	return con.localHint(model.StaleWords(p.stale))
}

// commands returns the commands for deciding on a proposal. A stale proposal cannot be
// approved.
func (p claimed) commands() []string {
	list := decisionsOn(p.ProposalRecord)
	if len(p.stale) > 0 {
		list = slices.DeleteFunc(list, func(c string) bool { return strings.HasPrefix(c, "evolve approve ") })
	}
	return list
}

// awaiting returns the proposals that a person may decide on. The archive is closed when
// awaiting returns.
func awaiting(sh *shell, c *cli.Context, root string) ([]claimed, error) {
	var list []claimed
	err := wire.LookIfThere(root, func(a *archive.Archive) error {
		var found []archive.ProposalRecord
		err := forEachProposal(c.Context, a, func(p archive.ProposalRecord) {
			if undecided(p) {
				found = append(found, p)
			}
		})
		if err != nil {
			return err
		}
		for _, p := range found {
			one, err := claimedOf(c.Context, sh, a, root, p)
			if err == nil && one.against == "" {
				one.grounds, err = shownOf(c.Context, a, p, sh.Now())
			}
			if err != nil {
				return err
			}
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

// claimedOf reads what may be claimed about a proposal, except the grounds.
func claimedOf(ctx context.Context, sh *shell, a *archive.Archive, root string, p archive.ProposalRecord) (out claimed, err error) {
	out.ProposalRecord = p
	if p.OfConfig() {
		out.Rationale = named(ctx, a, p.Agent, p.Rationale)
	}
	out.variant, out.champion = numberOf(ctx, a, p.Agent, p.Variant), numberOf(ctx, a, p.Agent, p.Champion)
	if undecided(p) {
		out.waited = waited(p.Created, sh.Now())
	}
	if out.claim, err = claimOf(ctx, a, p); err != nil {
		return out, err
	}
	if out.against, err = contradiction(ctx, a, p); err != nil {
		return out, err
	}
	if out.price, err = priceOf(ctx, a, p); err != nil {
		return out, err
	}
	if out.small, err = madeSmall(ctx, a, p); err != nil {
		return out, err
	}
	if out.stale, _, err = movedSince(ctx, func() *workspace.Workspace { return loadable(root) }, a, p.ID); err != nil {
		return out, err
	}
	if out.decisions, err = decisionsOf(ctx, a, p); err != nil {
		return out, err
	}
	out.notes, err = provenanceNotes(ctx, sh, a, root, p)
	return out, err
}

// waited describes how many whole days a proposal has waited for a decision; it returns ""
// for less than a day.
func waited(since, now time.Time) string {
	if days := model.Days(since, now); days > 0 {
		return "has waited " + count(days, "day") + " for a decision"
	}
	return ""
}

// errEnough reports that the person quits the review.
var errEnough = errors.New("enough")

// reviewOne asks until the proposal is decided on or left for later. After a refusal it
// prints the reason and asks again.
func reviewOne(sh *shell, c *cli.Context, w *workspace.Workspace, who *person, out *shell, one claimed) (archive.ProposalState, error) {
	p := one.ProposalRecord
	question, keys := "\n[a]pprove  [r]eject  [d]iff  [g]ates  [l]eave  [q]uit: ", "a or y, r, d, g, l or n, or q, or the full word"
	merge := sh.Reviewer(w, nil).MergeOnly(p)
	if merge != nil {
		_, hint := exit.Of(merge)
		_, _ = fmt.Fprintf(who.out, "\n%s\n%s\n", merge, hint)
	}
	approvable := merge == nil && len(one.stale) == 0
	if !approvable {
		question, keys = "\n[r]eject  [d]iff  [g]ates  [l]eave  [q]uit: ", "r, d, g, l or n, or q, or the full word"
	}
	for {
		choice, err := who.ask(c.Context, question)
		if err != nil {
			return p.State, err
		}
		d, word := decision{}, review.Decision{By: c.String("by")}
		choice = strings.ToLower(choice)
		switch yes, known := text.YesOrNo(choice); {
		case known && yes:
			choice = "a"
		case known && choice != "":
			choice = "l"
		}
		if !approvable && (choice == "a" || choice == "approve") {
			choice = ""
		}
		switch choice {
		case "a", "approve":
			d = approving()
			if p.Kind == archive.KindAutonomy {
				if word.Reason, err = who.ask(c.Context, "why does the agent deserve this level? "); err != nil {
					return p.State, err
				}
			}
			if p.State == archive.HumanLane {
				if word.OverrideReason, err = who.ask(c.Context, "a gate flagged the proposal; reason for approving it anyway? "); err != nil {
					return p.State, err
				}
			}
		case "r", "reject":
			d = rejecting()
			if word.Reason, err = who.ask(c.Context, "why? "); err != nil {
				return p.State, err
			}
		case "d", "diff":
			printDiff(out.console, p)
			continue
		case "g", "gates":
			if len(p.Gates) == 0 {
				_, _ = fmt.Fprintln(who.out, "it has no gates")
			}
			listGates(out.console, "  ", p.Gates)
			continue
		case "l", "leave":
			return p.State, nil
		case "q", "quit":
			return p.State, errEnough
		default:
			_, _ = fmt.Fprintln(who.out, "type "+keys)
			continue
		}
		done, err := reviewed(sh, c, w, who, d, p, word)
		if errors.Is(err, errGone) {
			return p.State, err
		}
		if err != nil {
			out.fail(err)
			continue
		}
		_, _ = fmt.Fprintln(who.out, d.done(out, done.Done))
		printFollowing(out.console, done)
		return done.Proposal.State, nil
	}
}

// reviewed carries out a decision. For an approval it first asks the question of `evolve
// approve`.
func reviewed(sh *shell, c *cli.Context, w *workspace.Workspace, who *person, d decision, p archive.ProposalRecord, word review.Decision) (done decided, _ error) {
	word, shown, err := weigh(c.Context, sh, w, d, p, word, func() (string, error) { return decider(sh, c, w.Root) })
	if err != nil {
		return done, err
	}
	if !d.reasoned { // a rejection has already asked for its reason
		printQuestion(sh, who.out, p, d.plan(p), shown, changesOf(p), word.Initial)
		if err := who.confirm(c.Context, "done"); err != nil {
			return done, err
		}
	}
	return pronounce(c.Context, sh, w, d, p, word)
}
