package batch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// TestANightProposesMemoriesAndNamesMissedOnes checks the proposed memories and the
// warnings about missed memories in a night's summary and report, and that the night
// succeeds even if both steps fail.
func TestANightProposesMemoriesAndNamesMissedOnes(t *testing.T) {
	warnings := []string{"the memory \"m1\" answers it", "2", "3", "4", "5", "6"}
	s, report, _ := drafted(t, func(o *Options) {
		store := o.Archive
		o.Skill = nil
		o.Memories = func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error) {
			p, err := store.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindMemory, State: archive.Awaiting, Agent: a.ID, Run: run})
			return &p, err
		}
		o.Missed = func(context.Context, *workspace.Agent) ([]string, error) { return warnings, nil }
	})
	if len(s.Skills) != 1 || s.Skills[0].Kind != archive.KindMemory || s.Skills[0].Run != s.Run.ID {
		t.Errorf("%+v", s.Skills)
	}
	if !slices.Equal(s.Results[0].Warnings, warnings[:maxMissed]) || !strings.Contains(report, `the memory \"m1\" answers it`) && !strings.Contains(report, `the memory "m1" answers it`) {
		t.Errorf("%q\n%s", s.Results[0].Warnings, report)
	}
	s, _, _ = drafted(t, func(o *Options) {
		o.Skill = nil
		o.Memories = func(context.Context, *workspace.Agent, string) (*archive.ProposalRecord, error) {
			return nil, errors.New("no disk")
		}
		o.Missed = func(context.Context, *workspace.Agent) ([]string, error) { return nil, errors.New("no disk") }
	})
	if s.Run.Exit != ExitDone || len(s.Skills) > 0 || s.Results[0].Warnings != nil {
		t.Errorf("exit %d, %+v", s.Run.Exit, s.Skills)
	}
}
