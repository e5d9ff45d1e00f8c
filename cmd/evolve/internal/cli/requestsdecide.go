package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
)

// requestView is a change request in JSON form.
type requestView struct {
	archive.ChangeRequestRecord
	// Left describes what a person still has to do after an approval.
	Left string `json:"left,omitempty"`
}

// requestWord is a command with which a person decides on a change request.
type requestWord struct {
	name, usage, about string
	// reasoned reports whether the decision requires a reason.
	reasoned bool
	do       func(*review.Reviewer, context.Context, string, review.Decision) (review.Granted, error)
}

func granting() requestWord {
	return requestWord{
		name: "approve", usage: "record the permission for the exact call; nothing is executed",
		about: "A change to the agent's parameters becomes a proposal, which must pass the gates and then awaits `evolve approve`. A person makes any other change: the output lists the steps.",
		do:    (*review.Reviewer).ApproveRequest,
	}
}

func denying() requestWord {
	return requestWord{
		name: "deny", usage: "close a change request, with a reason", reasoned: true,
		about: "If the agent asks for the same change again, the request is counted and stays closed.",
		do:    (*review.Reviewer).DenyRequest,
	}
}

func requestDecision(sh *shell, d requestWord) *cli.Command {
	return &cli.Command{
		Name: d.name, Usage: d.usage, Description: d.about, ArgsUsage: "ID",
		Flags:  decidingFlags("the `REASON`, for the ledger"),
		Action: func(c *cli.Context) error { return decideRequest(sh, c, d) },
	}
}

func decideRequest(sh *shell, c *cli.Context, d requestWord) error {
	if err := mayDecide(sh, c, d.name, d.reasoned); err != nil {
		return err
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	if err := sh.Free(w.Root); err != nil {
		return err
	}
	r, err := peek(c, w.Root, requestOf)
	if err != nil {
		return err
	}
	if r.State == archive.RequestOpen && !c.Bool("yes") {
		if err := confirmRequest(c.Context, sh.console, w, r, d); err != nil {
			return err
		}
	}
	word := review.Decision{By: c.String("by"), Reason: c.String("reason")}
	if word.By, err = decider(sh, c, w.Root); err != nil {
		return err
	}
	if err := review.Discreet(word.Reason); err != nil {
		return err
	}
	a, err := sh.OpenArchive(w.Root, "evolve requests "+d.name)
	if err != nil {
		return err
	}
	granted, err := d.do(sh.Reviewer(w, review.Opened(a)), c.Context, r.ID, word)
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	sh.stands = fmt.Sprintf("%s is decided: %s", r.ID, granted.Request.State)
	return printGranted(sh.console, granted)
}

// confirmBytes is the maximum number of bytes of a call's arguments that are shown before
// the question.
const confirmBytes = 4000

// confirmRequest shows what a decision will record and asks for confirmation.
func confirmRequest(ctx context.Context, con *console, w *workspace.Workspace, r archive.ChangeRequestRecord, d requestWord) error {
	who, err := con.mustAsk("evolve requests show " + r.ID)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(who.out, "%s what %s asks for in %s:\n", d.name, text.Visible(r.Agent), r.ID)
	printCall(who.out, r, confirmBytes)
	if wish := review.RequestedOf(w.Reviewed(), r); wish.Agent != nil && !d.reasoned {
		_, _ = fmt.Fprintln(who.out, "the request becomes a proposal that, if its gates pass, replaces the agent's other undecided config proposals; its changes:")
		printChanges(who.out, review.Changes(wish.Agent.Space.Names(), wish.Agent.Champion, wish.Config), 24)
	}
	return who.confirm(ctx, "done")
}

func printGranted(con *console, g review.Granted) error {
	r, left := g.Request, ""
	if r.State == archive.RequestApproved && g.Proposal == nil {
		left = leftToPerson(r.Request.Type)
	}
	return con.show(requestView{r, left}, func() {
		switch p := g.Proposal; {
		case r.State == archive.RequestDenied:
			con.printf("denied %s: %s of %s\n", r.ID, cell(r.Request.Type, 12), cell(r.Request.Target, 60))
		case p != nil:
			con.printf("approved %s: it became %s  %s  %s\n\n  %s\n", r.ID, p.ID, text.Visible(p.Title), p.State.Name(), con.command("evolve show "+p.ID))
		default:
			con.printf("approved %s: the permission is recorded with the exact call, and nothing was executed\n", r.ID)
			if g.Why != "" {
				con.printf("the request did not become a proposal: %s\n", text.Visible(oneLine(g.Why, 300)))
			}
			con.printf("\n  still to do     %s\n  the call        %s\n", left, con.command("evolve requests show "+r.ID))
		}
	})
}

// leftToPerson describes what a person has to do about a change that evolve does not make
// itself.
func leftToPerson(kind string) string {
	switch kind {
	case "source":
		return "change the source yourself and commit it"
	case "config":
		return "parameters change only through proposals: `evolve variants` lists the variants that were tried, `evolve propose` proposes one"
	case "policy", "settings":
		return "edit evolve.yaml or agents/<id>/agent.yaml yourself"
	case "benchmark", "grader":
		return "edit the suite yourself; earlier measurements on it will no longer count"
	case "archive":
		return "the archive must not be edited by hand; look for an evolve command that makes the change"
	case autonomy.RequestType:
		return "`evolve autonomy request AGENT --level N --from ID --reason \"…\"` requests the level, if the agent meets its requirements"
	case "tool":
		return "change the files in agents/<id>/tools/ yourself"
	}
	return "carry out the call yourself"
}
