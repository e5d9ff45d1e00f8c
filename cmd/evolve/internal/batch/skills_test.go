package batch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// drafted runs a small night that may make drafts. It returns the night's summary, its
// report and the agents for which it made drafts.
func drafted(t *testing.T, change func(*Options)) (Summary, string, []string) {
	t.Helper()
	a := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 30), a, toyAgent(30), 300)
	o.Workspace.Agents[0].Adapter.Model = "fast"
	seed := int64(7)
	o.Seed = &seed
	o.Propose = func(ctx context.Context, who *workspace.Agent, d review.Draft) (archive.ProposalRecord, error) {
		return a.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindConfig, State: archive.Awaiting, Agent: who.ID, Run: d.Run})
	}
	var asked []string
	o.Skill = func(ctx context.Context, who *workspace.Agent, run string) (*archive.ProposalRecord, error) {
		asked = append(asked, who.ID)
		if _, err := a.Result(ctx, run, who.ID); err != nil {
			t.Errorf("asked before the result is there: %v", err)
		}
		p, err := a.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindTool, State: archive.Awaiting, Agent: who.ID, Run: run})
		return &p, err
	}
	change(&o)
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, stableReport(t, a, s.Run.ID), asked
}

func TestSkillsAreDraftedOnceAllIsDone(t *testing.T) {
	_, plain, _ := drafted(t, func(o *Options) { o.Skill = nil })
	s, report, asked := drafted(t, func(*Options) {})
	if len(s.Skills) != 1 || s.Skills[0].Run != s.Run.ID || !cmp.Equal(asked, []string{"toy"}) {
		t.Errorf("%+v, asked for %v", s.Skills, asked)
	}
	if diff := cmp.Diff(plain, report); diff != "" {
		t.Errorf("a draft changes the report:\n%s", diff)
	}
}

func TestWhoIsDraftedFor(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"a heuristic reads no skills": func(o *Options) { o.Workspace.Agents[0].Adapter.Model = workspace.ModelHeuristic },
		"nor does a program":          func(o *Options) { o.Workspace.Agents[0].Adapter.Kind = workspace.KindCommand },
		"the deadline has passed":     func(o *Options) { o.Until = time.Now().Add(-time.Hour) },
		"a person stopped the run": func(o *Options) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			o.Drain = ctx
		},
	} {
		if s, _, asked := drafted(t, change); len(asked) > 0 || len(s.Skills) > 0 {
			t.Errorf("%s: drafted for %v", name, asked)
		}
	}
	// A failed draft does not count as a failure of the night.
	s, _, _ := drafted(t, func(o *Options) {
		o.Skill = func(context.Context, *workspace.Agent, string) (*archive.ProposalRecord, error) {
			return nil, errors.New("no disk")
		}
	})
	if s.Run.Exit != ExitDone || len(s.Skills) > 0 {
		t.Errorf("exit %d, %+v", s.Run.Exit, s.Skills)
	}
}
