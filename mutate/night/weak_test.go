package night

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestWeakModelIsAskedForPlainText checks that a route is asked for plain text after two
// answers that are not JSON.
func TestWeakModelIsAskedForPlainText(t *testing.T) {
	for _, c := range []struct {
		unbound bool
		json    int // requests for JSON
	}{{false, 2}, {true, 2}} {
		t.Run(fmt.Sprint("unbound ", c.unbound), func(t *testing.T) {
			o := wordyNights(t)
			p := &pen{}
			p.write = func(n int64) (model.Reply, error) {
				p.mu.Lock()
				plain := !strings.Contains(p.asked[n-1], "JSON object alone")
				p.mu.Unlock()
				if plain {
					return model.Reply{Answer: fmt.Sprintf("1. Note %d.\n2. More.", n)}, nil
				}
				return model.Reply{Answer: "Sure, a note.", Unbound: c.unbound}, nil
			}
			l := teach(t, o, p, slices.Repeat([]string{"strategy"}, 4))
			if l.err != nil {
				t.Fatal(l.err)
			}
			for i, d := range l.drafts() {
				if want := fmt.Sprintf("Be kind.\nNote %d.", i+1); i < c.json && d != "" || i >= c.json && d != want {
					t.Errorf("draft %d is %q", i, d)
				}
			}
			for i, n := range briefs(t, o.Archive, l.run) {
				if n.Plain != (i >= c.json) || n.Unreadable != (i < c.json) || n.Unbound != (c.unbound && i < c.json) {
					t.Errorf("the ledger has %+v", n)
				}
			}
		})
	}
}

// TestAnswerForms checks what causes a route to be asked for plain text, and what ends
// such requests.
func TestAnswerForms(t *testing.T) {
	r := ReflectRoute{AuthorRoute: mutate.AuthorRoute{Name: "r"}, Model: "m"}
	read := DraftNote{Route: "r", Model: "m"}
	bad := DraftNote{Route: "r", Model: "m", Unreadable: true}
	down := DraftNote{Route: "r", Model: "m", Outcome: agent.Infrastructure}
	for name, c := range map[string]struct {
		notes []DraftNote
		plain bool
	}{
		"none":                  {nil, false},
		"one":                   {[]DraftNote{bad}, false},
		"two":                   {[]DraftNote{bad, bad}, true},
		"an outage in between":  {[]DraftNote{bad, down, bad}, true},
		"a success in between":  {[]DraftNote{bad, read, bad}, false},
		"for good":              {[]DraftNote{bad, bad, read, read}, true},
		"an earlier night's":    {[]DraftNote{{Route: "r", Model: "m", Plain: true}}, true},
		"another model's":       {[]DraftNote{{Route: "r", Model: "n", Plain: true}}, false},
		"another route's":       {[]DraftNote{{Route: "q", Model: "m", Plain: true}}, false},
		"of another model, two": {[]DraftNote{{Route: "r", Model: "n", Unreadable: true}, bad}, false},
	} {
		f := answerForms{}
		for _, n := range c.notes {
			f.learn(n)
		}
		if f.plain(r) != c.plain {
			t.Errorf("%s: plain text %v", name, f.plain(r))
		}
	}
}

// TestPatience checks the time limits of requests, which depend on how long earlier
// requests took.
func TestPatience(t *testing.T) {
	var p patience
	want := func(d time.Duration) {
		t.Helper()
		if got := p.bound("r"); got != d {
			t.Errorf("%s, want %s", got, d)
		}
	}
	want(firstPatience)
	p.ended("q", time.Minute, true)
	want(firstPatience)
	p.ended("r", time.Second, true)
	want(leastPatience)
	p.ended("r", time.Minute, true)
	want(4 * time.Minute)
	p.ended("r", 4*time.Minute, false)
	want(8 * time.Minute)
	for range patienceSample {
		p.ended("r", 10*time.Second, true)
	}
	want(40 * time.Second)
	p.ended("r", time.Hour, true)
	want(mostPatience)
}

// lingering is a searcher that issues one brief after its first trial.
type lingering struct {
	diary
	briefed bool
}

func (l *lingering) Ask() (mutate.Trial, mutate.Status) {
	if !l.briefed && l.asked > 0 {
		l.briefed = true
		return mutate.Trial{N: -1, Brief: &mutate.Brief{Route: "r"}}, mutate.Ready
	}
	return l.diary.Ask()
}

// TestHangingBriefTakesNoPlace checks that a model that does not answer occupies no
// evaluation slot, and that the request to that model is ended once the search is done.
func TestHangingBriefTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &lingering{diary: diary{budget: 20}}
		over := make(chan error, 1)
		var running, most atomic.Int64
		d := &driver{searcher: s, concurrency: 1, lookahead: 1, begin: func(mutate.Trial) error { return nil }}
		d.evaluate = func(mutate.Trial) (bench.Evaluation, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Second)
			return bench.Evaluation{Scored: true}, nil
		}
		d.draft = func(mutate.Trial) func() (reflection.Reply, error) {
			return func() (reflection.Reply, error) { return reflection.Reply{Reason: (<-over).Error()}, nil }
		}
		reason := ""
		d.record = func(_ mutate.Trial, r reflection.Reply) error { reason = r.Reason; return nil }
		d.abandon = func(cause error) { over <- cause }
		start := time.Now()
		if err := d.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 20*time.Second || most.Load() != 1 || reason != errSearchOver.Error() || d.count != 20 {
			t.Errorf("%d evaluations in %s, at most %d at once, %q", d.count, took, most.Load(), reason)
		}
	})
}
