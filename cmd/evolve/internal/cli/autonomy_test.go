package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
)

func scriptLevel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: level DIR AGENT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(raiseLevel(ts.MkAbs(args[0]), args[1], autonomy.Level(n)))
}

func scriptSeedTurns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: seedturns DIR AGENT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(seedTurns(ts.MkAbs(args[0]), args[1], n))
}

// withArchive calls work with the archive of a workspace.
func withArchive(root string, work func(*archive.Archive) error) error {
	if _, err := workspace.MakeStateDir(root); err != nil {
		return err
	}
	a, err := archive.Open(wire.ArchiveDir(root), archive.Options{Owner: "a test"})
	if err != nil {
		return err
	}
	return errors.Join(work(a), a.Close())
}

// raiseLevel raises an agent by approved requests, without their requirements.
func raiseLevel(root, agentID string, to autonomy.Level) error {
	return withArchive(root, func(a *archive.Archive) error {
		ctx := context.Background()
		for {
			now, err := a.Autonomy(ctx, agentID)
			if err != nil || now.Level >= to {
				return err
			}
			p, err := a.NewProposal(ctx, archive.ProposalRecord{
				Kind: archive.KindAutonomy, State: archive.Awaiting, Agent: agentID, Title: "autonomy", Created: time.Now(),
				Autonomy: &archive.AutonomyBrief{From: now.Level, To: now.Level + 1},
			})
			if err != nil {
				return err
			}
			d := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: "Robin", Reason: "a test", Time: time.Now()}
			p.State, p.Decision = archive.Adopted, &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time}
			if _, err := a.RaiseAutonomy(ctx, d, p); err != nil {
				return err
			}
		}
	})
}

// seedTurns stores successful turns of an agent, each on its own.
func seedTurns(root, agentID string, n int) error {
	return withArchive(root, func(a *archive.Archive) error {
		for i := range n {
			_, err := a.PutTurn(context.Background(), archive.TurnRecord{
				Agent: agentID, Goal: fmt.Sprint("goal ", i), Answer: "done", Outcome: agent.OK, Created: time.Now(),
			}, nil, &experience.Turn{Outcome: agent.OK, Confidence: .9, Time: time.Now()})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
