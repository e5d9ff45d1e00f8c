package nightly

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// pen is a language model that answers with what a function makes of the number of
// the request, and keeps what it was asked.
type pen struct {
	write func(n int64) (model.Reply, error)

	count atomic.Int64
	mu    sync.Mutex
	asked []string
}

func (p *pen) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	raw, err := json.Marshal([]any{req.System, req.Shared, req.Goal, req.Sampling})
	if err != nil {
		return model.Reply{}, err
	}
	p.mu.Lock()
	p.asked = append(p.asked, string(raw))
	p.mu.Unlock()
	return p.write(p.count.Add(1))
}

// component is the name of what a question asks for a change of.
func component(asked string) string {
	_, rest, _ := strings.Cut(asked, `\"name\":\"`)
	name, _, _ := strings.Cut(rest, `\"`)
	return name
}

// wordyWorkspace is toyWorkspace with a text that the model alone can write.
func wordyWorkspace(t *testing.T, n int) *workspace.Workspace {
	t.Helper()
	w := toyWorkspace(t, n)
	a := &w.Agents[0]
	a.Space.Params = append(a.Space.Params, agent.Param{Name: "strategy", Kind: agent.Text, MaxChars: 200, Default: "Be kind."})
	a.Champion = a.Space.Default()
	a.Bootstrap = map[string]string{feedbackFile: "The south is hard."}
	w.Settings.Search.Reflect = "writer"
	for i := range w.Suites["toys"].Tasks {
		task := &w.Suites["toys"].Tasks[i]
		task.Goal = fmt.Sprintf("say yes to the %s of task %s", task.Split, task.ID)
	}
	return w
}

// wordyAgent solves everything once its strategy has the magic word. It tells of a
// call of a tool that fails.
func wordyAgent(n int) inProcess {
	plain := toyAgent(n)
	return func(ctx context.Context, req agent.Request) agent.Result {
		res := plain(ctx, req)
		if strings.Contains(req.Config.String("strategy"), "abracadabra") {
			yes := "yes"
			res.Answer = &yes
		}
		res.Transcript.Add(10, agent.Event{Kind: agent.EventTool, Name: "hammer", Outcome: agent.Execution, Text: "it bent"})
		return res
	}
}

// reflecting runs the wordy agent with a model beside it.
func reflecting(w *workspace.Workspace, a *archive.Archive, run agent.Agent, m model.Model, evaluations int) Options {
	o := toyOptions(w, a, run, evaluations)
	open := o.Open
	o.Open = func(ctx context.Context, a *workspace.Agent, scratch string) (Opened, error) {
		opened, err := open(ctx, a, scratch)
		opened.Reflect = m
		return opened, err
	}
	seed := int64(5)
	o.Seed, o.Stages = &seed, []string{SearchStage}
	return o
}

// briefs are the ledger's words on the briefs of a run.
func briefs(t *testing.T, a *archive.Archive, run string) []draftNote {
	t.Helper()
	var out []draftNote
	for e, err := range a.Ledger(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == draftKind && e.Subject == run {
			var d draftNote
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			out = append(out, d)
		}
	}
	return out
}

func written(component string, value any) model.Reply {
	raw, err := json.Marshal(map[string]any{"component": component, "value": value, "rationale": "the failures say so"})
	if err != nil {
		raw = nil
	}
	return model.Reply{Answer: string(raw), Usage: agent.Usage{CostUSD: 0.001}}
}

func TestTheModelsChangeIsTried(t *testing.T) {
	w := wordyWorkspace(t, 60)
	a := archive.OpenMemory()
	p := &pen{write: func(n int64) (model.Reply, error) {
		return written("strategy", fmt.Sprintf("Be kind. Then abracadabra %d.", n)), nil
	}}
	s, err := Run(t.Context(), reflecting(w, a, wordyAgent(60), p, 1200))
	if err != nil {
		t.Fatal(err)
	}
	notes := briefs(t, a, s.Run.ID)
	if len(notes) == 0 || len(notes) != int(p.count.Load()) {
		t.Fatalf("%d briefs, the model was asked %d times", len(notes), p.count.Load())
	}
	tried := 0
	for _, n := range notes {
		if n.Draft == "" {
			if n.Component == "strategy" {
				t.Errorf("no draft: %s", n.Reason)
			}
			continue
		}
		v, err := a.Variant(t.Context(), "toy", n.Draft)
		if err != nil {
			t.Fatal(err)
		}
		if v.Operator != "reflect" || v.Rationale != "the failures say so" || !slices.Equal(v.Parents, []agent.ConfigID{n.Variant}) || v.Generation < 1 {
			t.Errorf("the variant of a draft is %+v", v)
		}
		for e, err := range a.Evaluations(t.Context(), s.Run.ID, "toy") {
			if err == nil && e.Variant == n.Draft {
				tried++
				break
			}
		}
	}
	if tried == 0 {
		t.Error("no draft was ever evaluated")
	}
	best := s.Results[0].Search.Recommended
	if !strings.Contains(best.Config.String("strategy"), "abracadabra") {
		t.Errorf("the search recommends %s, without the model's word", best.Config.Canonical())
	}
	all := strings.Join(p.asked, "\n")
	for _, want := range []string{"say yes to the search", "hammer", "it bent", "The south is hard.", "mean_score", `"Route":"writer"`} {
		if !strings.Contains(all, want) {
			t.Errorf("the model was never shown %q", want)
		}
	}
	if strings.Contains(all, "holdout") {
		t.Error("the model saw a task of the holdout")
	}
}

func TestHostileAnswersChangeNothing(t *testing.T) {
	secret := "twelve owls read the morning paper"
	answers := []model.Reply{
		written("limits", map[string]any{"timeout": "none"}),
		written("planner", "anarchy"),
		written("strategy", strings.Repeat("abracadabra ", 100_000)),
		written("strategy", "abracadabra "+secret),
		{Answer: `{"component":"strategy","value":"abracadabra","rationale":"r","config":{}}`},
		{Calls: []model.Call{{Tool: "shell", Arguments: json.RawMessage(`{}`)}}},
	}
	w := wordyWorkspace(t, 60)
	for i := range w.Suites["toys"].Tasks {
		if task := &w.Suites["toys"].Tasks[i]; task.Split == bench.Holdout {
			task.Answer = &secret
			break
		}
	}
	a := archive.OpenMemory()
	p := &pen{write: func(n int64) (model.Reply, error) { return answers[int(n)%len(answers)], nil }}
	s, err := Run(t.Context(), reflecting(w, a, wordyAgent(60), p, 1500))
	if err != nil {
		t.Fatal(err)
	}
	if int(p.count.Load()) < len(answers) {
		t.Fatalf("the model was asked only %d times", p.count.Load())
	}
	for _, n := range briefs(t, a, s.Run.ID) {
		if n.Draft != "" || n.Reason == "" {
			t.Errorf("a hostile answer made %+v", n)
		}
	}
	for v, err := range a.Variants(t.Context(), "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if v.Operator == "reflect" || strings.Contains(v.Config.String("strategy"), "abracadabra") {
			t.Errorf("a hostile answer is variant %+v", v)
		}
	}
}

func TestAModelThatIsDownCostsNoEvaluation(t *testing.T) {
	w := wordyWorkspace(t, 60)
	a := archive.OpenMemory()
	p := &pen{write: func(int64) (model.Reply, error) {
		return model.Reply{}, &model.Error{Outcome: agent.Infrastructure, Err: errors.New("no route to host")}
	}}
	s, err := Run(t.Context(), reflecting(w, a, wordyAgent(60), p, 400))
	if err != nil || s.Run.Exit != ExitDone {
		t.Fatalf("exit %d, %v", s.Run.Exit, err)
	}
	if got, want := s.Results[0].Search.Evaluations, s.Plans[0].Search; got != want || p.count.Load() == 0 {
		t.Errorf("%d evaluations of %d planned, the model was asked %d times", got, want, p.count.Load())
	}
}

func TestDraftsRespectTheMoneyOfTheRun(t *testing.T) {
	w := wordyWorkspace(t, 60)
	a := archive.OpenMemory()
	costly := &pen{write: func(int64) (model.Reply, error) {
		r := written("strategy", "x")
		r.Usage.CostUSD = 0.4
		return r, nil
	}}
	priced := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		res := wordyAgent(60)(ctx, req)
		res.Usage.CostUSD = 0.001
		return res
	})
	o := reflecting(w, a, priced, costly, 3000)
	o.Budget.USD = 2
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	// Four replies and what the evaluations cost: what was in flight may exceed it once.
	if n := costly.count.Load(); n == 0 || n > 6 {
		t.Errorf("a run of 2 USD paid %d times .40", n)
	}
}

// TestDraftsSurviveAResume: a run that is taken up again asks the model nothing that it
// answered before, and comes to the same end as one that was never interrupted.
func TestDraftsSurviveAResume(t *testing.T) {
	// run answers the same question in the same way, and is interrupted by one of them.
	run := func(a *archive.Archive, stopAt int64, resume Resume) (Summary, []string) {
		t.Helper()
		w := wordyWorkspace(t, 40)
		drain, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		p := &pen{}
		p.write = func(n int64) (model.Reply, error) {
			if n == stopAt {
				stop(ErrInterrupted)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			last := p.asked[len(p.asked)-1]
			if component(last) != "strategy" {
				return model.Reply{Unsure: true}, nil
			}
			return written("strategy", fmt.Sprintf("Note %d.", len(last)%5)), nil
		}
		o := reflecting(w, a, wordyAgent(40), p, 900)
		o.Drain, o.Resume, o.Concurrency = drain, resume, 1
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return s, p.asked
	}
	whole, halves := archive.OpenMemory(), archive.OpenMemory()
	s, all := run(whole, 0, ResumeCrashed)
	cut, before := run(halves, 1, ResumeCrashed)
	if len(all) < 2 || cut.Run.Exit != ExitInterrupted {
		t.Fatalf("exit %d, %d questions: nothing is tested", cut.Run.Exit, len(all))
	}
	again, after := run(halves, 0, ResumeAny)
	if diff := cmp.Diff(all, append(before, after...)); diff != "" {
		t.Errorf("other questions were asked: %s", diff)
	}
	if diff := cmp.Diff(stableReport(t, whole, s.Run.ID), stableReport(t, halves, again.Run.ID)); diff != "" {
		t.Errorf("the resumed run tells another story:\n%s", diff)
	}
}
