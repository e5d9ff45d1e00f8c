package night

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

func TestTheModelsChangeIsTried(t *testing.T) {
	o := wordyNights(t)
	a := o.Archive
	p := &pen{write: func(int64) (model.Reply, error) { return written("strategy", "Be kind. Then abracadabra."), nil }}
	l := teach(t, o, p, []string{"strategy"})
	if l.err != nil {
		t.Fatal(l.err)
	}
	champion := o.Agent.Champion.ID()
	notes := briefs(t, a, l.run)
	if len(notes) != 1 || notes[0].Variant != champion || notes[0].Component != "strategy" || notes[0].Usage.CostUSD != 0.001 ||
		notes[0].Route != "writer" || notes[0].Model != "small" || notes[0].Form != mutate.Change || notes[0].Wording != "diagnose" || notes[0].InUse != "1 correction and 2 turns" {
		t.Fatalf("the ledger tells of %+v", notes)
	}
	v, err := a.Variant(t.Context(), "toy", notes[0].Draft)
	if err != nil {
		t.Fatal(err)
	}
	if v.Operator != "reflect" || v.Rationale != "the failures say so" || !slices.Equal(v.Parents, []agent.ConfigID{champion}) || v.Generation != 1 || v.Author != "small (route writer)" {
		t.Errorf("the variant of the draft is %+v", v)
	}
	if last := l.heard[len(l.heard)-1]; last.Trial.Variant != v.ID || last.Score != 1 {
		t.Errorf("the draft was not tried: %+v", last)
	}
	for _, want := range []string{"say yes to the search", "hammer", "it bent", "The south is hard.", "what people corrected", "use euro", "mean_score", `"Route":"writer"`} {
		if !strings.Contains(p.asked[0], want) {
			t.Errorf("the model was not shown %q", want)
		}
	}
	if strings.Contains(p.asked[0], "holdout") {
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
	o := wordyNights(t)
	for i := range o.suite().Tasks {
		if task := &o.suite().Tasks[i]; task.Split == bench.Holdout {
			task.Answer = &secret
			break
		}
	}
	a := o.Archive
	p := &pen{write: func(n int64) (model.Reply, error) { return answers[n-1], nil }}
	l := teach(t, o, p, slices.Repeat([]string{"strategy"}, len(answers)))
	if l.err != nil {
		t.Fatal(l.err)
	}
	if got := l.drafts(); len(got) != len(answers) || strings.Join(got, "") != "" {
		t.Errorf("hostile answers made %q", got)
	}
	for _, n := range briefs(t, a, l.run) {
		if n.Draft != "" || n.Reason == "" || strings.Contains(n.Reason, "owls") {
			t.Errorf("the ledger tells of %+v", n)
		}
	}
	for v, err := range a.Variants(t.Context(), "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if v.ID != o.Agent.Champion.ID() {
			t.Errorf("a hostile answer is variant %+v", v)
		}
	}
}

func TestAModelThatIsDownEndsNoSearch(t *testing.T) {
	for outcome, reason := range map[agent.Outcome]string{agent.Infrastructure: "infrastructure: asking the model for a change: no route to host", agent.RateLimited: "rate limited: asking the model for a change: no route to host"} {
		o := wordyNights(t)
		a := o.Archive
		p := &pen{write: func(int64) (model.Reply, error) {
			return model.Reply{}, &model.Error{Outcome: outcome, Err: errors.New("no route to host")}
		}}
		l := teach(t, o, p, []string{"strategy", "planner"})
		if d := cmp.Diff([]string{"", ""}, l.drafts()); l.err != nil || d != "" {
			t.Errorf("%v: %s", l.err, d)
		}
		for _, n := range briefs(t, a, l.run) {
			if n.Reason != reason || n.Outcome != outcome {
				t.Errorf("the ledger tells of %+v", n)
			}
		}
	}
}

func TestDraftsRespectTheMoneyOfTheRun(t *testing.T) {
	o := wordyNights(t)
	a := o.Archive
	p := &pen{write: func(int64) (model.Reply, error) {
		r := written("strategy", "x")
		r.Usage.CostUSD = 0.4
		return r, nil
	}}
	o.USD = 1
	l := teach(t, o, p, slices.Repeat([]string{"planner"}, 6))
	// The evaluations cost a few cents: two replies fit into the budget, and a third may be
	// requested before their price is known.
	if n := p.count.Load(); l.err != nil || n < 2 || n > 3 || l.budget.Spent() > 1.5 {
		t.Errorf("asked %d times, spent %v of 1 USD, %v", n, l.budget.Spent(), l.err)
	}
	if last := briefs(t, a, l.run); !strings.HasPrefix(last[len(last)-1].Reason, "the budget of the run leaves no room for the request") || !last[len(last)-1].Full {
		t.Errorf("the ledger tells of %+v", last)
	}
}

// No request that could exceed a bound of search.reflect is sent. The record and the
// summary name the bound.
func TestRequestsStayWithinTheirBounds(t *testing.T) {
	o := wordyNights(t)
	o.Settings.Reflect.MaxUSD = .10
	p := &pen{write: func(int64) (model.Reply, error) {
		r := written("strategy", "x")
		r.Usage = agent.Usage{InputTokens: 1000, OutputTokens: 1000, CostUSD: .04}
		return r, nil
	}}
	l := teach(t, o, bounded{p}, slices.Repeat([]string{"planner"}, 6))
	if n := p.count.Load(); l.err != nil || n != 2 {
		t.Fatalf("%d requests of 4 cents within 10, %v", n, l.err)
	}
	notes := briefs(t, o.Archive, l.run)
	last := notes[len(notes)-1]
	if want := "max_usd of search.reflect leaves no room for the next request: $0.08 of $0.1 is used, and the request can cost up to $0.04"; last.Reason != want || !last.Full {
		t.Errorf("%+v, want %q", last, want)
	}
	sum := (&author{notes: notes, purse: newPurse(o.Settings.Reflect)}).summary(nil)
	if calls := sum.Tally("route", "writer").Calls; calls != 2 || !slices.Contains(sum.Full, last.Reason) {
		t.Errorf("%d calls are counted, ended by %q", calls, sum.Full)
	}
}

// A request that was cut off by a kill counts as if it had used the most that it could.
// That amount also counts towards the run's money.
func TestRequestsCutOffByAKillCount(t *testing.T) {
	o := wordyNights(t)
	o.Settings.Reflect.MaxUSD = .10
	drain, stop := context.WithCancelCause(t.Context())
	o.Drain = drain
	p := &pen{write: func(int64) (model.Reply, error) {
		stop(ErrInterrupted)
		return model.Reply{}, context.Canceled
	}}
	first := teach(t, o, bounded{p}, []string{"planner"})
	e, err := archive.NewLedgerEntry(o.Now(), AskedKind, first.run, AskedNote{Agent: o.Agent.ID, Brief: 99, Route: "writer", Tokens: 2000, USD: .04})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Archive.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	o.Drain = t.Context()
	p = &pen{write: func(int64) (model.Reply, error) {
		r := written("strategy", "x")
		r.Usage = agent.Usage{InputTokens: 1000, OutputTokens: 1000, CostUSD: .04}
		return r, nil
	}}
	again := teach(t, o, bounded{p}, slices.Repeat([]string{"planner"}, 3))
	if n := p.count.Load(); again.err != nil || again.run != first.run || n != 1 {
		t.Errorf("%d requests of 4 cents after one that was cut off, within 10 cents: %v", n, again.err)
	}
}

// TestDraftsSurviveACrash checks that a resumed run repeats no answered request, gets the
// same results, and counts the earlier payments.
func TestDraftsSurviveACrash(t *testing.T) {
	components := []string{"strategy", "planner", "strategy", "strategy"}
	answer := func(stopAt int64, stop func()) *pen {
		p := &pen{}
		p.write = func(n int64) (model.Reply, error) {
			if n == stopAt {
				stop()
			}
			last := p.asked[len(p.asked)-1] // one at a time
			if component(last) != "strategy" {
				return model.Reply{Unsure: true, Usage: agent.Usage{CostUSD: 3}}, nil
			}
			r := written("strategy", fmt.Sprintf("Note %d.", len(last)))
			r.Usage.CostUSD = 3
			return r, nil
		}
		return p
	}
	whole, halves := wordyNights(t), wordyNights(t)
	first := answer(0, nil)
	all := teach(t, whole, first, components)
	if all.err != nil || len(first.asked) != 4 {
		t.Fatalf("%d questions, %v", len(first.asked), all.err)
	}

	drain, stop := context.WithCancelCause(t.Context())
	before := answer(2, func() { stop(ErrInterrupted) })
	halves.Drain = drain
	cut := teach(t, halves, before, components)
	halves.Drain = t.Context()
	if !errors.Is(cut.err, ErrInterrupted) || len(before.asked) != 2 {
		t.Fatalf("%d questions, %v", len(before.asked), cut.err)
	}
	after := answer(0, nil)
	again := teach(t, halves, after, components)
	if again.run != cut.run {
		t.Fatal("the run was not taken up")
	}
	if d := cmp.Diff(first.asked[2:], after.asked); d != "" {
		t.Errorf("other questions were asked: %s", d)
	}
	if d := cmp.Diff(all.heard, again.heard); d != "" {
		t.Errorf("the search was told another story: %s", d)
	}
	if spent, want := again.budget.Spent(), all.budget.Spent(); spent < want-0.001 || spent > want+0.001 {
		t.Errorf("%v USD are counted, %v were spent", spent, want)
	}
}

// TestDraftsOfANightRepeat checks that a deterministic night that was stopped and resumed
// makes the same requests and gets the same drafts as an uninterrupted night.
func TestDraftsOfANightRepeat(t *testing.T) {
	first := writing(0, nil)
	whole := wordySpec(t, first)
	all := briefs(t, whole.Archive, whole.run(t).Run.ID)
	if len(all) < 10 {
		t.Fatalf("%d requests", len(all))
	}
	drain, stop := context.WithCancelCause(t.Context())
	before := writing(6, func() { stop(ErrInterrupted) })
	halves := wordySpec(t, before)
	halves.Drain = drain
	halves.run(t)
	if n := len(before.asked); n > 7 {
		t.Fatalf("%d requests before the night was stopped", n)
	}
	halves.Drain = t.Context()
	after := writing(0, nil)
	halves.Reflect = after
	again := halves.run(t)
	if d := cmp.Diff(first.asked, slices.Concat(before.asked, after.asked)); d != "" {
		t.Errorf("other requests: %s", d)
	}
	resumed := briefs(t, halves.Archive, again.Run.ID)
	for _, list := range [][]DraftNote{all, resumed} {
		for i := range list {
			list[i].Asked = 0 // the ledger has more entries after a stop
		}
	}
	if d := cmp.Diff(all, resumed); d != "" {
		t.Errorf("other drafts: %s", d)
	}
	s := again.Result.Search.Drafts
	if s == nil || s.Tallies[0].Option != "writer" || s.Tallies[0].Model != "small" || s.Tallies[0].Calls != len(all) || s.Tallies[0].Drafts == 0 || len(s.Best) == 0 {
		t.Errorf("the summary is %+v", s)
	}
}

// TestDraftsAreTimed tests that a run records the time that its requests for drafts took.
func TestDraftsAreTimed(t *testing.T) {
	var passed atomic.Int64
	p := writing(0, nil)
	write := p.write
	p.write = func(n int64) (model.Reply, error) {
		passed.Add(int64(time.Minute))
		return write(n)
	}
	o := wordySpec(t, p)
	start := time.Now()
	o.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	got := o.run(t).Run.Phases
	if want := time.Duration(len(p.asked)) * time.Minute; want == 0 || got[archive.DraftPhase] != want || got["search"] < want {
		t.Errorf("%d requests of a minute, and the phases are %v", len(p.asked), got)
	}
}

// TestNextNightSeesWhatWasTried checks that drafts and refusals from one night are shown on
// the next.
func TestNextNightSeesWhatWasTried(t *testing.T) {
	p := writing(0, nil)
	p.write = func(n int64) (model.Reply, error) {
		if n%3 == 0 {
			return model.Reply{Answer: "No JSON.", Usage: agent.Usage{CostUSD: 0.001}}, nil
		}
		return written("strategy", fmt.Sprintf("Note %d.", n)), nil
	}
	o := wordySpec(t, p)
	o.run(t)
	n := len(p.asked)
	o.run(t)
	if first := p.asked[0]; strings.Contains(first, "refused, the latest first") || strings.Contains(first, "Note ") {
		t.Errorf("the first request has %s", first)
	}
	next := p.asked[n]
	if !strings.Contains(next, "is not the JSON object that was asked for") || !strings.Contains(next, "Note ") {
		t.Errorf("the first request of the second night has %s", next)
	}
}

// TestBriefsHaveCasesOfEarlierNights checks the brief for a variant that was evaluated
// only on an earlier night. The brief must show the variant's cases from that night, and
// none from the holdout.
func TestBriefsHaveCasesOfEarlierNights(t *testing.T) {
	o := wordyNights(t)
	p := &pen{write: func(int64) (model.Reply, error) { return written("strategy", "Be bold."), nil }}
	first := teach(t, o, p, nil)
	run, err := o.Archive.Run(t.Context(), first.run)
	if err != nil || first.err != nil {
		t.Fatal(err, first.err)
	}
	o.finish(t, run, nil)
	n := o.start(t)
	a, err := n.newAuthor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.history(t.Context()); err != nil {
		t.Fatal(err)
	}
	brief := mutate.Brief{Component: "strategy", Form: mutate.Change, Route: "writer", Wording: "diagnose"}
	for _, task := range []*bench.Task{n.sample.Search[0], n.sample.Holdout[0], n.sample.Search[1]} {
		brief.Cases = append(brief.Cases, mutate.Case{Task: task.ID})
	}
	if _, err := a.ask(t.Context(), mutate.Trial{Variant: n.Agent.Champion.ID(), Config: n.Agent.Champion, Brief: &brief})(); err != nil {
		t.Fatal(err)
	}
	if len(p.asked) != 1 || strings.Count(p.asked[0], "it bent") == 0 {
		t.Fatalf("%d requests, of which the last lacks a transcript: %s", len(p.asked), p.asked[len(p.asked)-1])
	}
	for _, key := range []string{`"case 1"`, `"case 2"`} {
		if !strings.Contains(strings.ReplaceAll(p.asked[0], `\"`, `"`), key) {
			t.Errorf("%s is missing in %s", key, p.asked[0])
		}
	}
	if strings.Contains(p.asked[0], "case 3") || strings.Contains(p.asked[0], "the holdout of task") {
		t.Errorf("a case of the holdout is in %s", p.asked[0])
	}
}
