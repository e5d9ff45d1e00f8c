package experience

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

var day = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// used returns an experience that has learned from turns in the domain ops. Each turn has
// one call, and the turns are an hour apart.
func used(calls ...Call) *Experience {
	e := &Experience{}
	for i, c := range calls {
		e.Learn(Turn{Domain: "ops", Outcome: agent.OK, Calls: []Call{c}, Time: day.Add(time.Duration(i) * time.Hour)})
	}
	return e
}

// times returns n equal calls.
func times(n int, c Call) []Call { return slices.Repeat([]Call{c}, n) }

func TestCallsCountInTheirDomainAndInAll(t *testing.T) {
	e := &Experience{}
	e.Learn(Turn{ID: "T1", Domain: "ops", Time: day, Calls: []Call{
		{Tool: "http", Method: "get", Origin: "mcp:web", Outcome: agent.OK, Latency: time.Second, Repaired: true},
		{Tool: "http", Method: "get", Origin: "mcp:web", Outcome: agent.Execution, Cause: " no\nroute ", Repaired: true},
		{Tool: "http", Method: "put", Origin: "mcp:web", Outcome: agent.WrongToolBoundary, Axes: []string{" Live  Data", "auth", "live data", ""}, Cause: "needs a login"},
	}})
	e.Learn(Turn{Domain: Global, Time: day.Add(time.Hour), Calls: []Call{{Tool: "http", Method: "get", Origin: "mcp:web2", Outcome: agent.OK}}})
	e.Learn(Turn{Time: day, Calls: []Call{{Tool: "clock", Outcome: "odd"}}})
	referral := Referral{Axes: []string{"auth", "live data"}, Cause: "needs a login", Time: day, Turn: "T1"}
	failure := []Failure{{agent.Execution, "no route", day, "T1"}}
	axes := map[string]int{"auth": 1, "live data": 1}
	want := []Capsule{
		{Tool: "clock", Domain: Global, Calls: 1, Outcomes: map[agent.Outcome]int{agent.ContractViolation: 1}, Failures: []Failure{{agent.ContractViolation, "", day, ""}}, Last: day, Recency: &Recency{2965, 1, 0}},
		{
			Tool: "http", Method: "get", Domain: Global, Origin: "mcp:web2", Calls: 3, Outcomes: map[agent.Outcome]int{agent.OK: 2, agent.Execution: 1},
			Repairs: 2, Repaired: 1, Latencies: []time.Duration{time.Second}, Failures: failure, Last: day.Add(time.Hour), Recency: &Recency{2965, 3, 2},
		},
		{
			Tool: "http", Method: "get", Domain: "ops", Origin: "mcp:web", Calls: 2, Outcomes: map[agent.Outcome]int{agent.OK: 1, agent.Execution: 1},
			Repairs: 2, Repaired: 1, Latencies: []time.Duration{time.Second}, Failures: failure, Last: day, Recency: &Recency{2965, 2, 1},
		},
		{
			Tool: "http", Method: "put", Domain: Global, Origin: "mcp:web", Calls: 1, Outcomes: map[agent.Outcome]int{agent.WrongToolBoundary: 1},
			Axes: axes, Referrals: []Referral{referral}, Last: day,
		},
		{Tool: "http", Method: "put", Domain: "ops", Origin: "mcp:web", Calls: 1, Outcomes: map[agent.Outcome]int{agent.WrongToolBoundary: 1}, Axes: axes, Last: day},
	}
	if diff := cmp.Diff(want, e.Capsules); diff != "" {
		t.Error(diff)
	}
}

func TestACapsuleFromElsewhereMayLackMaps(t *testing.T) {
	var e Experience
	if err := json.Unmarshal([]byte(`{"capsules":[{"tool":"t","domain":"_global","origin":"local","calls":0,"outcomes":null}]}`), &e); err != nil || e.Valid() != nil {
		t.Fatal(err, e.Valid())
	}
	e.Learn(Turn{Time: day, Calls: refer(1, "t", "a")})
	if c := e.capsule("t", "", Global); c.Calls != 1 || c.Outcomes[agent.WrongToolBoundary] != 1 || c.Axes["a"] != 1 {
		t.Errorf("%+v", c)
	}
}

func TestRateLeavesOutWhatIsNotTheTools(t *testing.T) {
	for _, o := range agent.Outcomes() {
		c := Capsule{Calls: 20, Outcomes: map[agent.Outcome]int{agent.OK: 10, o: 10}}
		if o == agent.OK {
			c.Calls = 10
		}
		rate, _ := c.Rate()
		want := .5
		switch o {
		case agent.OK, agent.RateLimited, agent.CircuitOpen, agent.BudgetExceeded, agent.Denied, agent.Cancelled, agent.Infrastructure, agent.WrongToolBoundary:
			want = 1
		}
		if rate != want {
			t.Errorf("10 ok and 10 %s: rate %g, not %g", o, rate, want)
		}
		if u := c.usefulness(noHistory); math.Abs(u-(.7*want+.15)) > 1e-12 {
			t.Errorf("10 ok and 10 %s: usefulness %g", o, u)
		}
	}
	if _, ok := (Capsule{Calls: 3, Outcomes: map[agent.Outcome]int{agent.Denied: 3}}).Rate(); ok {
		t.Error("a rate without a judged call")
	}
}

func TestUsefulnessFallsBackToAllDomains(t *testing.T) {
	e := used(times(30, Call{Tool: "t", Outcome: agent.OK})...)
	e.Learn(Turn{Domain: "research", Time: day, Calls: times(4, Call{Tool: "t", Outcome: agent.Denied})})
	e.Learn(Turn{Domain: "crypto", Time: day, Calls: times(10, Call{Tool: "t", Outcome: agent.Timeout})})
	for domain, want := range map[string]float64{"ops": .85, "crypto": .15, "research": .675, "elsewhere": .675, Global: .675, "": .675} {
		if got := e.Usefulness("t", "", domain); math.Abs(got-want) > 1e-12 {
			t.Errorf("in %q: %g, not %g", domain, got, want)
		}
	}
	if got := e.Usefulness("t", "other", "ops"); got != .5 {
		t.Errorf("a method without history: %g", got)
	}
}

func TestPercentile(t *testing.T) {
	var c Capsule
	if c.Percentile(.5) != 0 {
		t.Error("a latency that was not measured")
	}
	for i := range 20 {
		c.Latencies = append(c.Latencies, time.Duration(20-i)*time.Second)
	}
	for q, want := range map[float64]time.Duration{-1: 1, 0: 1, .5: 10, .95: 19, .99: 20, 1: 20, 2: 20} {
		if got := c.Percentile(q); got != want*time.Second {
			t.Errorf("percentile %g is %s, not %ss", q, got, want)
		}
	}
}

func TestLearnings(t *testing.T) {
	e := used(slices.Concat(
		times(4, Call{Tool: "good", Outcome: agent.OK}), times(1, Call{Tool: "good", Outcome: agent.LowUtility}), times(3, Call{Tool: "good", Outcome: agent.RateLimited}),
		times(2, Call{Tool: "bad", Method: "m", Outcome: agent.WrongToolBoundary}),
		times(7, Call{Tool: "middling", Outcome: agent.OK}), times(3, Call{Tool: "middling", Outcome: agent.Timeout}),
		times(3, Call{Tool: "unseen", Outcome: agent.Denied}),
	)...)
	want := func(domain string) []Learning {
		return []Learning{
			{Tool: "bad", Method: "m", Domain: domain, Advised: Avoid, Calls: 2, Confidence: .4},
			{Tool: "good", Domain: domain, Advised: Prefer, Rate: .8, Calls: 5, Confidence: 1},
		}
	}
	for asked, from := range map[string]string{"ops": "ops", "": Global, Global: Global, "research": Global} {
		if diff := cmp.Diff(want(from), e.Learnings(asked)); diff != "" {
			t.Errorf("%q: %s", asked, diff)
		}
	}
	if l := (&Experience{}).Learnings("ops"); len(l) > 0 {
		t.Errorf("without history: %v", l)
	}
}

func TestEvictionKeepsTheFallback(t *testing.T) {
	e := &Experience{}
	e.Learn(Turn{Time: day.AddDate(0, -1, 0), Calls: []Call{{Tool: "old", Outcome: agent.OK}}})
	for i := range 2 * maxCapsules {
		// The tool stays the same. Each turn has a separate domain, and the first domain is
		// used again each time.
		for _, d := range []string{"first", fmt.Sprint("d", i)} {
			e.Learn(Turn{Domain: d, Time: day.Add(time.Duration(i) * time.Minute), Calls: []Call{{Tool: "t", Outcome: agent.OK}}})
		}
	}
	if n := len(e.Capsules); n != maxCapsules {
		t.Fatalf("%d capsules", n)
	}
	if c := e.capsule("t", "", Global); c == nil || c.Calls != 4*maxCapsules {
		t.Error("the fallback has not every call")
	}
	if e.capsule("old", "", Global) == nil {
		t.Error("the capsule of all domains went before those of a domain")
	}
	if e.capsule("t", "", "first") == nil || e.capsule("t", "", fmt.Sprint("d", 2*maxCapsules-1)) == nil || e.capsule("t", "", "d3") != nil {
		t.Error("the least recently used capsules did not go first")
	}
	for i := range 2 * maxCapsules { // an unlimited number of tools: the fallback is bounded, too
		e.Learn(Turn{Time: day.AddDate(0, 1, i), Calls: []Call{{Tool: fmt.Sprint("tool", i), Outcome: agent.OK}}})
	}
	other := e.capsule(Unregistered, "", Global)
	if n := len(e.Tools()); n != maxNamed+1 || other == nil || other.Calls != 2*maxCapsules+2-maxNamed {
		t.Errorf("%d tools, and %v", n, other)
	}
}

// TestNamesWithoutEnd tests that when the model in a turn calls ten thousand tools that do
// not exist, only one capsule is added, and none is displaced.
func TestNamesWithoutEnd(t *testing.T) {
	e := &Experience{}
	for i := range 300 { // the same number of domains as a program has tools
		e.Learn(Turn{Domain: fmt.Sprint("d", i), Time: day, Calls: []Call{{Tool: "calculate", Outcome: agent.OK}}})
	}
	before := len(e.Capsules)
	for i := range 1000 {
		var events []agent.Event
		for k := range 10 {
			events = append(events, agent.Event{Kind: agent.EventTool, Name: fmt.Sprintf("call_me_%d_%d", i, k), Origin: agent.Unregistered, Outcome: agent.Denied, Text: "the tool is not active"})
		}
		e.Learn(Turn{ID: fmt.Sprint("T", i), Time: day.Add(time.Hour), Calls: CallsOf(events)})
	}
	if len(e.Capsules) != before+1 || len(e.Signatures) != 0 || !slices.Equal(e.Tools(), []string{Unregistered, "calculate"}) {
		t.Errorf("%d capsules, %d before; tools %q", len(e.Capsules), before, e.Tools())
	}
	if c := e.capsule(Unregistered, "", Global); c == nil || c.Calls != 10_000 || c.Judged() != 0 {
		t.Errorf("the calls are counted as %v", c)
	}
}

func TestANewAxisReplacesTheRarest(t *testing.T) {
	var c Capsule
	for i := range maxAxes {
		c.count(fmt.Sprintf("axis %02d", i))
	}
	c.count("axis 00")
	c.count("new")
	if _, ok := c.Axes["axis 01"]; ok || len(c.Axes) != maxAxes || c.Axes["axis 00"] != 2 || c.Axes["new"] != 1 {
		t.Errorf("%v", c.Axes)
	}
}

// drawTurn draws a turn with few tools and domains, and with everything that a call may
// have.
func drawTurn(t *rapid.T) Turn {
	words := rapid.SampledFrom([]string{"", "a", "b", "Web ", "live data", "\u202e<x>", strings.Repeat("é", 90)})
	turn := Turn{
		ID: rapid.StringMatching(`T[1-9][0-9]?`).Draw(t, "id"), Session: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "session"),
		Domain: rapid.SampledFrom([]string{"", Global, "ops", "research", strings.Repeat("d", 300)}).Draw(t, "domain"),
		Signal: rapid.SampledFrom([]Signal{None, Corrects, Approves}).Draw(t, "signal"), Message: rapid.String().Draw(t, "message"),
		Outcome:    rapid.SampledFrom(agent.Outcomes()).Draw(t, "outcome"),
		Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
		Time:       day.Add(time.Duration(rapid.IntRange(-1e6, 1e6).Draw(t, "second")) * time.Second).In(time.FixedZone("", 3600)),
	}
	for range rapid.IntRange(0, 8).Draw(t, "calls") {
		turn.Calls = append(turn.Calls, Call{
			Tool: rapid.OneOf(words, rapid.String()).Draw(t, "tool"), Method: words.Draw(t, "method"), Origin: words.Draw(t, "origin"),
			Outcome: rapid.SampledFrom(append(agent.Outcomes(), "odd", "")).Draw(t, "called"),
			Latency: time.Duration(rapid.IntRange(-1, 1e9).Draw(t, "latency")), Repaired: rapid.Bool().Draw(t, "repaired"),
			Axes:  rapid.SliceOfN(rapid.OneOf(words, rapid.String()), 0, 12).Draw(t, "axes"),
			Cause: rapid.OneOf(words, rapid.String(), rapid.Just("\xff\n\x00")).Draw(t, "cause"),
		})
	}
	return turn
}

func TestLearnIsDeterministicBoundedAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(drawTurn), 0, 25).Draw(t, "turns")
		for range rapid.IntRange(0, 3).Draw(t, "doublings") { // exceeds the bounds of each list
			turns = append(turns, turns...)
		}
		var e, again Experience
		calls, outcomes := 0, map[agent.Outcome]int{}
		for _, turn := range turns {
			e.Learn(turn)
			turn.Time = turn.Time.UTC() // the time zone is not part of a time
			again.Learn(turn)
			calls += len(turn.Calls)
		}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := json.Marshal(again); string(other) != string(data) {
			t.Fatal("the same turns gave another experience")
		}
		var back Experience
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Fatal(diff)
		}
		order := func(a, b Capsule) int {
			return slices.Compare([]string{a.Tool, a.Method, a.Domain}, []string{b.Tool, b.Method, b.Domain})
		}
		if !slices.IsSortedFunc(e.Capsules, order) || len(e.Capsules) > maxCapsules {
			t.Fatal("the capsules are not in order or too many")
		}
		global := 0
		for _, c := range e.Capsules {
			checkCapsule(t, c)
			if c.Domain == Global {
				global += c.Calls
				for o, n := range c.Outcomes {
					outcomes[o] += n
				}
			}
		}
		sum := 0
		for _, n := range outcomes {
			sum += n
		}
		if len(e.Capsules) < maxCapsules && (global != calls || sum != calls) {
			t.Fatalf("%d calls count %d times in all domains, with %d outcomes", calls, global, sum)
		}
	})
}

func checkCapsule(t *rapid.T, c Capsule) {
	sum := 0
	for o, n := range c.Outcomes {
		if sum += n; !o.Valid() || n < 1 {
			t.Fatalf("%d of outcome %q", n, o)
		}
	}
	if u := c.usefulness(noHistory); sum != c.Calls || c.Judged() > c.Calls || c.Success() > c.Judged() || !(u >= 0 && u <= 1) {
		t.Fatalf("%d outcomes of %d calls, %d judged, %d successes, usefulness %g", sum, c.Calls, c.Judged(), c.Success(), u)
	}
	if c.Repaired > c.Repairs || c.Repairs > c.Calls || len(c.Latencies) > maxLatencies || len(c.Failures) > maxFailures || len(c.Axes) > maxAxes || len(c.Referrals) > maxReferrals {
		t.Fatalf("out of bounds: %+v", c)
	}
	for _, s := range []string{c.Tool, c.Method, c.Domain, c.Origin} {
		if len(s) > maxName {
			t.Fatalf("a name of %d bytes", len(s))
		}
	}
	for _, f := range c.Failures {
		if len(f.Cause) > keptCause || f.Outcome == agent.OK || f.Outcome == agent.WrongToolBoundary || strings.ContainsAny(f.Cause, "\n\x00") {
			t.Fatalf("failure %+v", f)
		}
	}
	if len(c.Referrals) > 0 && c.Domain != Global {
		t.Fatal("referrals outside the capsules of all domains")
	}
	for _, r := range c.Referrals {
		for _, axis := range r.Axes {
			if axis == "" || len(axis) > 60 || axis != strings.ToLower(axis) {
				t.Fatalf("axis %q", axis)
			}
		}
		if !slices.IsSorted(r.Axes) || len(r.Axes) == 0 {
			t.Fatalf("axes %q", r.Axes)
		}
	}
	if slices.Contains(slices.Collect(maps.Keys(c.Axes)), "") {
		t.Fatal("an axis without a name")
	}
	if p := c.Percentile(.5); p > c.Percentile(.95) || len(c.Latencies) > 0 && !slices.Contains(c.Latencies, p) {
		t.Fatalf("median %s of %v", p, c.Latencies)
	}
}

// TestMethodsAreBounded tests that a tool that keeps using new methods displaces no other
// tool, and that all of its calls count.
func TestMethodsAreBounded(t *testing.T) {
	e := &Experience{}
	e.Learn(Turn{Domain: "ops", Outcome: agent.OK, Calls: []Call{{Tool: "calc", Outcome: agent.OK}}})
	for i := range 700 {
		e.Learn(Turn{Domain: "ops", Outcome: agent.OK, Calls: []Call{{Tool: "shop", Method: fmt.Sprintf("m%d", i), Outcome: agent.OK}}})
	}
	if n := e.Advice("shop").Calls; n != 700 {
		t.Errorf("%d calls", n)
	}
	if n := e.Advice("calc").Calls; n != 1 || len(e.Capsules) != 2*(maxMethods+1)+2 {
		t.Errorf("%d calls of the other tool, %d capsules", n, len(e.Capsules))
	}
	if err := e.Valid(); err != nil {
		t.Error(err)
	}
}
