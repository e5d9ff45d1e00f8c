package policy

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// book returns a book in which every layer contributes a setting.
func book() Book {
	return Book{
		Environment: Settings{Deadline: 15 * time.Second, Attempts: 3, Concurrency: 2},
		Origins: map[string]Settings{
			"mcp":       {RateWait: time.Second, QueueWait: time.Second},
			"mcp:files": {QueueWait: 2 * time.Second, Attempts: 4},
		},
		Roles: map[string]Settings{"clerk": {Backoff: time.Second, MaxBackoff: 4 * time.Second, PerAgent: Budget{Calls: 10}}},
		Tools: map[string]Settings{"grep": {PerAgent: Budget{Calls: 5}, RateCalls: 2}},
		Providers: map[string]Settings{
			"big": {PerDay: Budget{USD: 2.5}, Exhausted: Degrade, DegradedTo: "small"},
		},
	}
}

func TestResolve(t *testing.T) {
	e := engine(t, Options{Book: book()})
	for name, c := range map[string]struct {
		call    Call
		layer   Settings // a stricter layer on top of the layers in the book
		want    []string
		ignored []string
	}{
		"a local tool": {
			call: Call{Kind: Tool, Name: "clock", Origin: local},
			want: []string{"deadline 15s environment", "attempts 3 environment", "concurrency 2 environment"},
		},
		"a foreign tool, which the environment only tightens": {
			call: Call{Kind: Tool, Name: "grep", Origin: "mcp:files", Agent: "clerk"},
			want: []string{
				"deadline 8s built in", "attempts 4 origin mcp:files", "backoff 1s role clerk", "max_backoff 4s role clerk",
				"breaker_calls 10 built in", "breaker_failures 0.5 built in", "breaker_slow 6s built in", "breaker_slow_share 0.8 built in",
				"breaker_open 30s built in", "breaker_probes 1 built in", "rate_calls 2 tool grep", "rate_per 1s built in",
				"rate_wait 1s origin mcp", "concurrency 2 environment", "queue_wait 2s origin mcp:files", "per_agent.calls 5 tool grep",
			},
		},
		"a provider": {
			call: Call{Kind: Provider, Name: "big", Agent: "other"},
			want: []string{
				"deadline 15s environment", "attempts 3 environment", "backoff 500ms built in", "max_backoff 30s built in",
				"breaker_calls 20 built in", "breaker_failures 0.5 built in", "breaker_open 30s built in", "breaker_probes 2 built in",
				"rate_wait 1m0s built in", "concurrency 2 environment", "queue_wait 1m0s built in",
				"per_day.usd 2.5 provider big", "exhausted degrade provider big", "degraded_to small provider big",
			},
		},
		"a stricter top": {
			call: Call{Kind: Tool, Name: "clock", Origin: local},
			layer: Settings{
				Deadline: time.Second, Backoff: time.Second, RateCalls: 1, RatePer: time.Second,
				BreakerCalls: 2, BreakerFailures: 1, BreakerOpen: time.Second, BreakerProbes: 1, PerRun: Budget{Tokens: 7},
			},
			want: []string{
				"deadline 1s top", "attempts 3 environment", "backoff 1s top",
				"breaker_calls 2 top", "breaker_failures 1 top", "breaker_open 1s top", "breaker_probes 1 top",
				"rate_calls 1 top", "rate_per 1s top", "concurrency 2 environment", "per_run.tokens 7 top",
			},
		},
		"a looser top": {
			call: Call{Kind: Tool, Name: "clock", Origin: local},
			layer: Settings{
				Deadline: time.Minute, Attempts: 4, Concurrency: 3, BreakerCalls: 5, RatePer: time.Second,
				Exhausted: Degrade, DegradedTo: "free", PerDay: Budget{USD: -1},
			},
			want:    []string{"deadline 15s environment", "attempts 3 environment", "concurrency 2 environment"},
			ignored: []string{"deadline", "attempts", "breaker_calls", "rate_per", "concurrency", "per_day.usd", "exhausted", "degraded_to"},
		},
		"an equal layer is allowed": {
			call:  Call{Kind: Tool, Name: "clock", Origin: local},
			layer: Settings{Deadline: 15 * time.Second, Exhausted: Deny},
			want:  []string{"deadline 15s environment", "attempts 3 environment", "concurrency 2 environment"},
		},
		"a rate counts as a pair": {
			call:  Call{Kind: Tool, Name: "grep", Origin: "mcp"},
			layer: Settings{RateCalls: 10, RatePer: time.Hour, QueueWait: time.Hour},
			want: []string{
				"deadline 8s built in", "attempts 1 built in", "backoff 250ms built in", "max_backoff 2s built in",
				"breaker_calls 10 built in", "breaker_failures 0.5 built in", "breaker_slow 6s built in", "breaker_slow_share 0.8 built in",
				"breaker_open 30s built in", "breaker_probes 1 built in", "rate_calls 10 top", "rate_per 1h0m0s top",
				"rate_wait 1s origin mcp", "concurrency 2 environment", "queue_wait 1s origin mcp", "per_agent.calls 5 tool grep",
			},
			ignored: []string{"queue_wait"},
		},
		"half a condition is none": {
			call:  Call{Kind: Provider, Name: "small"},
			layer: Settings{BreakerSlow: time.Second, BreakerOpen: time.Minute},
			want: []string{
				"deadline 15s environment", "attempts 3 environment", "backoff 500ms built in", "max_backoff 30s built in",
				"breaker_calls 20 built in", "breaker_failures 0.5 built in", "breaker_open 1m0s top", "breaker_probes 2 built in",
				"rate_wait 1m0s built in", "concurrency 2 environment", "queue_wait 1m0s built in",
			},
			ignored: []string{"breaker_slow"},
		},
		"a group with nonsense in it is ignored": {
			call:  Call{Kind: Provider, Name: "small"},
			layer: Settings{BreakerSlow: time.Second, BreakerSlowShare: 2, BreakerOpen: time.Minute},
			want: []string{
				"deadline 15s environment", "attempts 3 environment", "backoff 500ms built in", "max_backoff 30s built in",
				"breaker_calls 20 built in", "breaker_failures 0.5 built in", "breaker_open 30s built in", "breaker_probes 2 built in",
				"rate_wait 1m0s built in", "concurrency 2 environment", "queue_wait 1m0s built in",
			},
			ignored: []string{"breaker_slow", "breaker_slow_share", "breaker_open"},
		},
		"degrading can be denied": {
			call:  Call{Kind: Provider, Name: "big"},
			layer: Settings{Exhausted: Deny, DegradedTo: "other", BreakerCalls: 1, BreakerFailures: .6},
			want: []string{
				"deadline 15s environment", "attempts 3 environment", "backoff 500ms built in", "max_backoff 30s built in",
				"breaker_calls 20 built in", "breaker_failures 0.5 built in", "breaker_open 30s built in", "breaker_probes 2 built in",
				"rate_wait 1m0s built in", "concurrency 2 environment", "queue_wait 1m0s built in",
				"per_day.usd 2.5 provider big", "exhausted deny top", "degraded_to small provider big",
			},
			ignored: []string{"breaker_calls", "breaker_failures", "degraded_to"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := e.book.resolve(e.fields, c.call.Kind, c.call.Name, c.call.Origin, c.call.Agent)
			ignored, values := r.tighten(layer{"top", c.layer}), r.values()
			var got []string
			for _, v := range values {
				got = append(got, v.Setting+" "+v.Value+" "+v.Origin)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("values:\n%s", diff)
			}
			if diff := cmp.Diff(c.ignored, ignored); diff != "" {
				t.Errorf("ignored:\n%s", diff)
			}
		})
	}
}

func TestForeignStartsStricter(t *testing.T) {
	e := engine(t, Options{Book: Book{Environment: Settings{Deadline: time.Hour, Attempts: 9, Concurrency: 99}}})
	s, _ := e.Resolve(Call{Kind: Tool, Name: "x", Origin: "mcp:files"})
	if s.Deadline != 8*time.Second || s.Attempts != 1 || s.Concurrency != 4 {
		t.Errorf("the environment loosened a foreign tool: %+v", s)
	}
	for _, origin := range []string{"mcp:files", authored} {
		near, far := builtIn(Tool, local), builtIn(Tool, origin)
		for _, f := range fields() {
			if f.set(&near) && !f.equal(&far, &near) && !f.stricter(&far, &near) {
				t.Errorf("%s of %s is %s, looser than %s of a local tool", f.name, origin, f.text(&far), f.text(&near))
			}
		}
	}
	if far := builtIn(Tool, "mcp:files"); far.Deadline >= builtIn(Tool, local).Deadline {
		t.Errorf("the deadline of a server is %s", far.Deadline)
	}
	e = engine(t, Options{Book: Book{Origins: map[string]Settings{"mcp": {Deadline: time.Hour}}}})
	if s, _ := e.Resolve(Call{Kind: Tool, Name: "x", Origin: "mcp:files"}); s.Deadline != time.Hour {
		t.Errorf("its own overlay could not: %+v", s)
	}
}

// someSettings draws a layer in which every field is absent or valid or, if broken is set,
// sometimes invalid.
func someSettings(t *rapid.T, label string, broken bool) Settings {
	whole := func(name string) int {
		if rapid.Bool().Draw(t, label+name+" absent") {
			return 0
		}
		low := 0
		if broken {
			low = -2
		}
		return rapid.IntRange(low, 6).Draw(t, label+name)
	}
	span := func(name string) time.Duration { return time.Duration(whole(name)) * time.Second }
	part := func(name string) float64 {
		v := float64(whole(name)) / 6
		if broken && rapid.IntRange(0, 20).Draw(t, label+name+" odd") == 0 {
			v = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 3}).Draw(t, label+name+" value")
		}
		return v
	}
	budget := func(name string) Budget {
		return Budget{int64(whole(name + ".calls")), int64(whole(name + ".tokens")), part(name + ".usd"), span(name + ".elapsed")}
	}
	return Settings{
		Deadline: span("deadline"), Attempts: whole("attempts"), Backoff: span("backoff"), MaxBackoff: span("max_backoff"),
		BreakerCalls: whole("breaker_calls"), BreakerFailures: part("breaker_failures"), BreakerSlow: span("breaker_slow"),
		BreakerSlowShare: part("breaker_slow_share"), BreakerOpen: span("breaker_open"), BreakerProbes: whole("breaker_probes"),
		RateCalls: whole("rate_calls"), RatePer: span("rate_per"), RateWait: span("rate_wait"),
		Concurrency: whole("concurrency"), QueueWait: span("queue_wait"),
		PerRun: budget("run"), PerAgent: budget("agent"), PerDay: budget("day"),
		Exhausted:  rapid.SampledFrom([]Exhausted{"", Deny, Degrade}).Draw(t, label+"exhausted"),
		DegradedTo: rapid.SampledFrom([]string{"", "small", "free"}).Draw(t, label+"degraded_to"),
	}
}

// mend removes contradictory settings.
func mend(s Settings) Settings {
	if !s.breaks() {
		s.BreakerCalls, s.BreakerFailures, s.BreakerSlow, s.BreakerSlowShare, s.BreakerOpen, s.BreakerProbes = 0, 0, 0, 0, 0, 0
	} else if s.BreakerSlow == 0 { // an overlay cannot remove a built-in setting
		s.BreakerSlow, s.BreakerSlowShare = 0, 0
	}
	if s.interval() == 0 {
		s.RateCalls, s.RatePer = 0, 0
	}
	if s.Backoff > 0 {
		s.MaxBackoff = max(s.MaxBackoff, s.Backoff)
	}
	return s
}

// TestTighteningNeverLoosens defines what "looser" means once more, independently of the
// table that the program uses, and checks the program against this definition.
func TestTighteningNeverLoosens(t *testing.T) {
	tightened := 0
	rapid.Check(t, func(t *rapid.T) {
		s := mend(someSettings(t, "", false))
		b := Book{Tools: map[string]Settings{"x": s}, Providers: map[string]Settings{"x": s}}
		c := Call{
			Kind: rapid.SampledFrom([]Kind{Tool, Provider}).Draw(t, "kind"), Name: "x", Agent: "clerk",
			Origin: rapid.SampledFrom([]string{local, authored, "mcp:files"}).Draw(t, "origin"),
		}
		e := &Engine{book: b, fields: fields()}
		base, _ := e.Resolve(c)
		if err := coherent(&base); err != nil {
			t.Fatal(err)
		}
		r := e.book.resolve(e.fields, c.Kind, c.Name, c.Origin, c.Agent)
		ignored := r.tighten(layer{"top", someSettings(t, "top ", true)})
		got, values := r.settings, r.values()
		if err := coherent(&got); err != nil && !strings.Contains(err.Error(), "max_backoff") {
			t.Fatalf("contradictory: %v", err)
		}

		least := func(what string, base, got float64) { // for settings that are loosest when unset
			if base > 0 && !(got > 0 && got <= base) || got < 0 {
				t.Fatalf("%s: %v became %v", what, base, got)
			}
		}
		most := func(what string, base, got float64) {
			if !(got >= base) {
				t.Fatalf("%s: %v became %v", what, base, got)
			}
		}
		least("deadline", float64(base.Deadline), float64(got.Deadline))
		least("attempts", float64(base.Attempts), float64(got.Attempts))
		for n := 1; n < 6; n++ { // the combined effect of backoff and its limit
			most("pause", float64(base.backoff(c, n)), float64(got.backoff(c, n)))
		}
		if base.BreakerCalls > 0 {
			most("breaker_calls", float64(base.BreakerCalls), float64(got.BreakerCalls))
			least("breaker_calls", float64(base.BreakerCalls), float64(got.BreakerCalls))
			most("breaker_probes", float64(base.BreakerProbes), float64(got.BreakerProbes))
			least("breaker_probes", float64(base.BreakerProbes), float64(got.BreakerProbes))
			least("breaker_failures", base.BreakerFailures, got.BreakerFailures)
			least("breaker_slow", float64(base.BreakerSlow), float64(got.BreakerSlow))
			least("breaker_slow_share", base.BreakerSlowShare, got.BreakerSlowShare)
			most("breaker_open", float64(base.BreakerOpen), float64(got.BreakerOpen))
		}
		if base.RateCalls > 0 {
			rate := func(s Settings) float64 { return float64(s.RateCalls) / s.RatePer.Seconds() }
			least("rate", rate(base), rate(got))
		}
		least("rate_wait", float64(base.RateWait), float64(got.RateWait))
		least("concurrency", float64(base.Concurrency), float64(got.Concurrency))
		least("queue_wait", float64(base.QueueWait), float64(got.QueueWait))
		for what, p := range map[string][2]Budget{
			"run": {base.PerRun, got.PerRun}, "agent": {base.PerAgent, got.PerAgent}, "day": {base.PerDay, got.PerDay},
		} {
			least(what+" calls", float64(p[0].Calls), float64(p[1].Calls))
			least(what+" tokens", float64(p[0].Tokens), float64(p[1].Tokens))
			least(what+" usd", p[0].USD, p[1].USD)
			least(what+" elapsed", float64(p[0].Elapsed), float64(p[1].Elapsed))
		}
		if got.Exhausted == Degrade && base.Exhausted != Degrade || got.DegradedTo != base.DegradedTo {
			t.Fatalf("degrading: %q to %q became %q to %q", base.Exhausted, base.DegradedTo, got.Exhausted, got.DegradedTo)
		}
		taken := map[string]bool{}
		for _, v := range values {
			if v.Origin == "top" {
				taken[v.Setting] = true
				tightened++
			}
		}
		for _, name := range ignored {
			if taken[name] {
				t.Fatalf("%s was both taken and ignored", name)
			}
		}
		if (got != base) != (len(taken) > 0) {
			t.Fatalf("%v changed %+v to %+v", taken, base, got)
		}
	})
	if tightened == 0 {
		t.Error("no layer ever tightened anything")
	}
}
