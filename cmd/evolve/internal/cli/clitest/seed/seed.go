// Package seed puts records into the archive of a workspace, in the form that turns and
// people's decisions would give them, so that a test need not begin with nights and
// conversations.
package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
)

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

// Level raises an agent to a level through approved requests, even if the requirements of
// the levels are not met.
func Level(root, agentID string, to autonomy.Level) error {
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

// Turns stores n successful turns of an agent, each without a session.
func Turns(root, agentID string, n int) error {
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

// Request stores a change request, as an agent's turn does. The data is the JSON of an
// [archive.ChangeRequestRecord] in which "NOW" stands for the time.
func Request(root string, data []byte) error {
	var r archive.ChangeRequestRecord
	data = bytes.ReplaceAll(data, []byte(`"NOW"`), []byte(time.Now().UTC().Format(`"2006-01-02T15:04:05.999999999Z"`)))
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	return withArchive(root, func(a *archive.Archive) error {
		_, err := a.PutRequest(context.Background(), r)
		return err
	})
}
