package night

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// pen is a language model that computes its replies from the number of the request, and
// records its requests.
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

// component returns the name of the component that a request asks to change.
func component(asked string) string {
	_, rest, _ := strings.Cut(asked, `\"name\":\"`)
	name, _, _ := strings.Cut(rest, `\"`)
	return name
}

// wordyNights returns nights of an agent with a text parameter that only the model can
// write.
func wordyNights(t *testing.T) *nights {
	t.Helper()
	o := newNights(t, 40)
	a := &o.Agent
	a.Space.Params = append(a.Space.Params, agent.Param{Name: "strategy", Kind: agent.Text, MaxChars: 200, Default: "Be kind."})
	a.Champion = a.Space.Default()
	a.Feedback, a.Corrections, a.InUse = "The south is hard.", []string{"once in south: \"use euro\""}, "1 correction and 2 turns"
	o.Settings.Reflect.Routes = []ReflectRoute{{AuthorRoute: mutate.AuthorRoute{Name: "writer"}, Model: "small"}}
	for i := range o.suite().Tasks {
		task := &o.suite().Tasks[i]
		task.Goal = fmt.Sprintf("say yes to the %s of task %s", task.Split, task.ID)
	}
	return o
}

// wordyAgent solves everything once its strategy contains the magic word. Its transcript
// has a failed tool call.
func wordyAgent() inProcess {
	plain := toyAgent(40)
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

// school is a searcher that has the champion evaluated on every search task, and then
// requests a change to each component, one at a time. Each draft is evaluated on one task.
type school struct {
	trials     []mutate.Trial // to be asked for before the next brief
	components []string
	champion   mutate.Trial
	asked      int64
	waits      bool
	heard      []mutate.Observation
}

func (s *school) Ask() (mutate.Trial, mutate.Status) {
	var t mutate.Trial
	switch {
	case s.waits:
		return t, mutate.Wait
	case len(s.trials) > 0:
		t, s.trials = s.trials[0], s.trials[1:]
	case len(s.components) > 0:
		t = s.champion
		t.Brief = &mutate.Brief{Component: s.components[0], Form: mutate.Change, Route: "writer", Wording: "diagnose"}
		for _, o := range s.heard {
			if o.Trial.Brief == nil && o.Trial.Variant == t.Variant {
				t.Brief.Cases = append(t.Brief.Cases, mutate.Case{Task: o.Trial.Task, Score: o.Score})
			}
		}
		// Make it appear that the searcher has seen a task that it must not see.
		t.Brief.Cases = append([]mutate.Case{{Task: "secret"}}, t.Brief.Cases...)
		s.components, s.waits = s.components[1:], true
	default:
		return t, mutate.Done
	}
	t.N = s.asked
	s.asked++
	return t, mutate.Ready
}

func (s *school) Tell(o mutate.Observation) {
	s.heard = append(s.heard, o)
	if o.Trial.Brief == nil {
		return
	}
	s.waits = false
	if d := o.Draft; d != nil {
		t := s.champion
		t.Variant, t.Config, t.Parents, t.Generation = d.Config.ID(), d.Config, []agent.ConfigID{o.Trial.Variant}, 1
		t.Operator, t.Rationale = reflectOperator, d.Rationale
		s.trials = append(s.trials, t)
	}
}

func (*school) Recommend() mutate.Recommendation { return mutate.Recommendation{} }

func (*school) Hindsight([]mutate.Moment) mutate.Hindsight { return mutate.Hindsight{} }

// lesson is the result of a school.
type lesson struct {
	run    string
	heard  []mutate.Observation
	budget *bench.Budget
	// summary sums up the drafts.
	summary *archive.DraftSummary
	err     error
}

// drafts returns the drafts that the searcher received, with "" for none.
func (l lesson) drafts() []string {
	var out []string
	for _, o := range l.heard {
		switch {
		case o.Trial.Brief == nil:
		case o.Draft == nil:
			out = append(out, "")
		default:
			out = append(out, o.Draft.Config.String("strategy"))
		}
	}
	return out
}

// teach runs a school, as the search of a night does, with a model and the wordy agent,
// whose evaluations cost a cent each.
func teach(t *testing.T, o *nights, m model.Model, components []string) lesson {
	t.Helper()
	o.Answer = func(ctx context.Context, req agent.Request) agent.Result {
		res := wordyAgent()(ctx, req)
		res.Usage.CostUSD = 0.01
		return res
	}
	o.Reflect, o.Evaluations, o.Concurrency = m, 500, 1
	n := o.start(t)
	author, err := n.newAuthor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &school{components: components}
	for i, task := range n.sample.Search {
		trial := mutate.Trial{Variant: n.Agent.Champion.ID(), Config: n.Agent.Champion, Operator: "champion", Task: task.ID, Stage: bench.StageSearch}
		if s.trials = append(s.trials, trial); i == 0 {
			s.champion = trial
		}
	}
	d := &driver{
		searcher: s, concurrency: 1, lookahead: 4, ordered: n.Agent.Deterministic,
		begin:    func(tr mutate.Trial) error { return n.begin(t.Context(), tr) },
		evaluate: func(tr mutate.Trial) (bench.Evaluation, error) { return n.trial(t.Context(), tr, seqSearch) },
		draft:    func(tr mutate.Trial) func() (reflection.Reply, error) { return author.ask(t.Context(), tr) },
		record:   func(tr mutate.Trial, reply reflection.Reply) error { return author.keep(t.Context(), tr, reply) },
		learn:    author.learn,
	}
	err = d.run(o.Drain)
	if flushed := o.Archive.Flush(t.Context()); flushed != nil {
		t.Fatal(flushed)
	}
	return lesson{run: n.Run.ID, heard: s.heard, budget: n.Budget, summary: author.summary(nil), err: err}
}

// briefs returns the ledger's records of the briefs in a run.
func briefs(t *testing.T, a *archive.Archive, run string) []DraftNote {
	t.Helper()
	var out []DraftNote
	for e, err := range a.Ledger(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == DraftKind && e.Subject == run {
			var d DraftNote
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

// bounded is a pen whose requests can cost up to 4 cents.
type bounded struct{ *pen }

func (bounded) AtMost(*model.Request) model.Most {
	return model.Most{Input: 1000, Output: 1000, InputUSD: .01, OutputUSD: .03}
}

// writing returns a pen whose replies depend only on the text of the request and are now
// and then not JSON.
func writing(stopAt int64, stop func()) *pen {
	p := &pen{}
	p.write = func(n int64) (model.Reply, error) {
		if n == stopAt {
			stop()
		}
		p.mu.Lock()
		asked := p.asked[len(p.asked)-1]
		p.mu.Unlock()
		sum := 0
		for _, b := range []byte(asked) {
			sum += int(b)
		}
		if sum%3 == 0 {
			return model.Reply{Answer: "No JSON.", Usage: agent.Usage{CostUSD: 0.001}}, nil
		}
		return written("strategy", fmt.Sprintf("Note %d.", sum)), nil
	}
	return p
}

// wordySpec returns nights whose search requests drafts often.
func wordySpec(t *testing.T, p *pen) *nights {
	t.Helper()
	o := wordyNights(t)
	o.Answer, o.Reflect, o.Evaluations, o.Concurrency = wordyAgent(), p, 200, 1
	o.Settings.Reflect.Every, o.Settings.SearchOnly = 5, true
	return o
}
