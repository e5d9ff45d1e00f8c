package experience

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// given returns an experience with feedback. Each entry is a penalty that Ada gave to
// grep at noon, altered by one of the changes.
func given(t testing.TB, changes ...func(*Feedback)) *Experience {
	t.Helper()
	e := &Experience{}
	for _, change := range changes {
		f := Feedback{Verdict: Negative, Action: Penalise, Tool: "grep", Importance: .9, By: "Ada", Time: noon}
		change(&f)
		if _, err := e.AddFeedback(f); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// TestWeigh checks the effect of each verdict, action, scope and duration on calls inside
// and outside the scope and duration, for a tool that is avoided and for a tool that is
// not.
func TestWeigh(t *testing.T) {
	inside := Use{Tool: "grep", Domain: "code", Goal: "Please deploy the new backend to prod!", Session: "talk", Now: noon}
	type variation struct {
		name    string
		set     func(*Feedback)
		outside []func(*Use) // each moves a use outside the scope
	}
	otherTool := func(u *Use) { u.Tool = "search" }
	otherDomain := func(u *Use) { u.Domain = "ops" }
	noDomain := func(u *Use) { u.Domain = "" }
	otherGoal := func(u *Use) { u.Goal = "Please deploy the frontend" }
	scopes := []variation{
		{"tool", func(*Feedback) {}, []func(*Use){otherTool}},
		{"tool and domain", func(f *Feedback) { f.Domain = "code" }, []func(*Use){otherTool, otherDomain, noDomain}},
		{"tool and goal", func(f *Feedback) { f.Goal = "BACKEND deploy*" }, []func(*Use){otherTool, otherGoal}},
		{"tool, domain and goal", func(f *Feedback) { f.Domain, f.Goal = "code", "deploy prod back*nd" }, []func(*Use){otherTool, otherDomain, otherGoal}},
		{"domain", func(f *Feedback) { f.Tool, f.Domain = "", "code" }, []func(*Use){otherDomain}},
		{"everything", func(f *Feedback) { f.Tool, f.Goal = "", "*" }, nil},
	}
	durations := []variation{
		{"permanent", func(*Feedback) {}, nil},
		{"session", func(f *Feedback) { f.Session = "talk" }, []func(*Use){func(u *Use) { u.Session = "other" }, func(u *Use) { u.Session = "" }}},
		{"days", func(f *Feedback) { f.Until = noon.AddDate(0, 0, 3) }, []func(*Use){func(u *Use) { u.Now = noon.AddDate(0, 0, 3) }}},
	}
	actions := map[Action]struct {
		score  float64
		effect string
	}{
		Penalise:  {.8 * .3, "feedback F1 penalise ×0.3"},
		Boost:     {.8 * 1.2, "feedback F1 boost ×1.2"},
		Constrain: {0, "feedback F1 constraint ×0"},
		Replace:   {0, "feedback F1 replace ×0 with search"},
	}
	tried := 0
	for _, verdict := range Verdicts() {
		for action, want := range actions {
			for _, scope := range scopes {
				for _, duration := range durations {
					f := Feedback{Verdict: verdict, Action: action, Tool: "grep", Importance: .9, By: "Ada", Time: noon}
					scope.set(&f)
					duration.set(&f)
					if action == Replace {
						f.With = "search"
					}
					e := &Experience{}
					_, err := e.AddFeedback(f)
					if f.Tool == "" && (action == Constrain || action == Replace) {
						if err == nil {
							t.Errorf("%s of every tool was taken", action)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					at := fmt.Sprint(verdict, " ", action, " ", scope.name, " ", duration.name)
					for usefulness, learned := range map[float64]string{.5: "", .2: "avoided ×0.3 (overruled)"} {
						tried++
						score, effects := e.Weigh(inside, .8, usefulness)
						texts := want.effect
						if learned != "" {
							texts += "; " + learned
						}
						if score != want.score || joined(effects) != texts {
							t.Errorf("%s: %g by %s, not %g by %s", at, score, joined(effects), want.score, texts)
						}
					}
					for i, out := range append(scope.outside, duration.outside...) {
						u := inside
						out(&u)
						if score, effects := e.Weigh(u, .8, .5); score != .8 || len(effects) != 0 {
							t.Errorf("%s, outside %d: %g by %s", at, i, score, joined(effects))
						}
						if score, effects := e.Weigh(u, .8, .2); score != .8*.3 || joined(effects) != "avoided ×0.3" {
							t.Errorf("%s, outside %d and avoided: %g by %s", at, i, score, joined(effects))
						}
					}
				}
			}
		}
	}
	if tried != 3*(4*4+2*2)*3*2 {
		t.Errorf("%d combinations were tried", tried)
	}
	if score, _ := given(t, func(f *Feedback) { f.Action = Boost }).Weigh(inside, .95, .5); score != 1 {
		t.Errorf("a boost of .95 is %g", score)
	}
}

func joined(effects []Effect) string {
	var out []string
	for _, x := range effects {
		out = append(out, x.String())
	}
	return strings.Join(out, "; ")
}

// TestNewestFeedbackWins checks that the newest applicable feedback takes effect, except
// that it does not lift a prohibition with another scope.
func TestNewestFeedbackWins(t *testing.T) {
	e := given(t,
		func(f *Feedback) { f.Domain = "code" },
		func(f *Feedback) { f.Verdict, f.Action = Positive, Boost },
		func(f *Feedback) { f.Tool = "search" },
	)
	score, effects := e.Weigh(Use{Tool: "grep", Domain: "code", Now: noon}, .5, .1)
	if score != .6 || joined(effects) != "feedback F2 boost ×1.2; feedback F1 penalise ×0.3 (overruled); avoided ×0.3 (overruled)" {
		t.Errorf("%g by %s", score, joined(effects))
	}
	if score, _ := e.Weigh(Use{Tool: "search", Domain: "code", Now: noon}, .5, .9); score != .15 {
		t.Errorf("another tool: %g", score)
	}
}

func TestGoalPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, goal string
		want          bool
	}{
		{"", "", true},
		{"*", "", true},
		{"deploy", "Deploy it", true},
		{"deploy", "redeployment", false},
		{"*deploy*", "redeployment", true},
		{"on-call", "who is ON call, and on what", true},
		{"on-call", "on schedule", false},
		{"prod deploy", "deploy to prod", true},
		{"prod deploy", "deploy to staging", false},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "acb", false},
		{"a*a", "a", false},
		{"übung*", "Übungen machen", true},
		{"* price", "the price", true},
	} {
		if got := matchesGoal(c.pattern, c.goal); got != c.want {
			t.Errorf("%q in %q: %v", c.pattern, c.goal, got)
		}
	}
}

// TestFeedbackIsReversible checks that after feedback is removed, every score is the same
// as before to the last bit, and so is the competence.
func TestFeedbackIsReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Experience{}
		name := rapid.SampledFrom([]string{"", "grep", "search", "calc"})
		word := rapid.SampledFrom([]string{"", "code", "ops"})
		session := rapid.SampledFrom([]string{"", "talk"})
		for range rapid.IntRange(0, 8).Draw(t, "turns") {
			e.Learn(Turn{
				Session: session.Draw(t, "session"), Domain: word.Draw(t, "domain"), Outcome: agent.OK, Time: noon,
				Calls: []Call{{Tool: name.Draw(t, "tool"), Outcome: rapid.SampledFrom(agent.Outcomes()).Draw(t, "outcome")}},
			})
		}
		add := func() (added bool) {
			f := Feedback{
				Verdict: rapid.SampledFrom(Verdicts()).Draw(t, "verdict"), Action: rapid.SampledFrom(Actions()).Draw(t, "action"),
				Goal: word.Draw(t, "goal"), Tool: name.Draw(t, "tool"), Domain: word.Draw(t, "domain"), Importance: 1, By: "Ada", Time: noon,
			}
			switch rapid.IntRange(0, 2).Draw(t, "duration") {
			case 1:
				f.Session = "talk"
			case 2:
				f.Until = noon.Add(time.Hour)
			}
			if f.Action == Replace {
				f.With = "calc"
			}
			_, err := e.AddFeedback(f)
			return err == nil
		}
		for range rapid.IntRange(0, 4).Draw(t, "earlier") {
			add()
		}
		scores := func() (bits []uint64) {
			for _, tool := range []string{"grep", "search", "calc", "other"} {
				for _, domain := range []string{"", "code", "ops"} {
					for _, session := range []string{"", "talk"} {
						for _, now := range []time.Time{noon, noon.Add(2 * time.Hour)} {
							u := Use{tool, domain, "code or ops", session, now}
							s, effects := e.Weigh(u, .777, e.Usefulness(tool, "", domain))
							if s < 0 || s > 1 || len(effects) > 0 && effects[0].Factor == 0 && s != 0 {
								t.Fatalf("%g by %s", s, joined(effects))
							}
							bits = append(bits, math.Float64bits(s))
						}
					}
				}
			}
			for _, domain := range []string{"", "code", "ops", "new"} {
				c, _ := e.CompetenceIn(domain)
				bits = append(bits, math.Float64bits(c))
			}
			return bits
		}
		bytes := func() string {
			out := *e
			out.LastFeedback = 0
			data, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		before, stored := scores(), bytes()
		if !add() {
			return
		}
		if err := e.Valid(); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("f%d", e.LastFeedback)
		if f, ok := e.RemoveFeedback(id); !ok || !strings.EqualFold(f.ID, id) {
			t.Fatalf("removed %+v", f)
		}
		if diff := cmp.Diff(before, scores()); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(stored, bytes()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAddFeedback(t *testing.T) {
	e := given(t, func(*Feedback) {}, func(*Feedback) {})
	if _, ok := e.RemoveFeedback("F3"); ok {
		t.Error("an unknown feedback was removed")
	}
	if f, ok := e.RemoveFeedback("f2"); !ok || f.ID != "F2" {
		t.Errorf("removed %+v", f)
	}
	f, err := e.AddFeedback(Feedback{Verdict: Negative, Action: Penalise, Importance: .9, By: "Ada", Time: noon.In(time.FixedZone("x", 3600))})
	if err != nil || f.ID != "F3" || f.Time != noon {
		t.Errorf("the id of a removed one was given again, or the time was changed: %+v, %v", f, err)
	}
	if _, err := e.AddFeedback(Feedback{Verdict: Negative, Action: Replace, Tool: "grep", Importance: .9, By: "Ada", Time: noon}); err == nil || e.LastFeedback != 3 {
		t.Errorf("with nothing to use instead: %v", err)
	}
	if _, err := e.AddFeedback(Feedback{Verdict: Negative, Action: Penalise, Goal: "!!", Importance: .9, By: "Ada", Time: noon}); err == nil {
		t.Error("a pattern without a word was taken")
	}
	for len(e.Feedback) < MaxFeedback {
		if _, err := e.AddFeedback(f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.AddFeedback(f); !errors.Is(err, ErrFeedbackFull) {
		t.Errorf("beyond the bound: %v", err)
	}
	if err := e.Valid(); err != nil {
		t.Error(err)
	}
}

func TestConflicts(t *testing.T) {
	negative := func(*Feedback) {}
	for name, c := range map[string]struct {
		older, newer func(*Feedback)
		want         string
	}{
		"the same effect":       {negative, func(f *Feedback) { f.Domain = "code" }, ""},
		"a boost":               {negative, func(f *Feedback) { f.Action, f.Domain = Boost, "code" }, "one is a boost, the other a penalty"},
		"a prohibition lifted":  {func(f *Feedback) { f.Action = Constrain }, func(f *Feedback) { f.Action = Boost }, "one is a boost, the other a prohibition"},
		"held: by a penalty":    {func(f *Feedback) { f.Action = Constrain }, negative, "one is a penalty, the other a prohibition"},
		"held: of every tool":   {func(f *Feedback) { f.Action = Constrain }, func(f *Feedback) { f.Action, f.Tool = Boost, "" }, "one is a boost, the other a prohibition"},
		"held: wider":           {func(f *Feedback) { f.Action, f.Domain = Constrain, "code" }, func(f *Feedback) { f.Action = Boost }, "one is a boost, the other a prohibition"},
		"held: narrower":        {func(f *Feedback) { f.Action, f.With = Replace, "a" }, func(f *Feedback) { f.Action, f.Goal = Boost, "deploy" }, "one is a boost, the other a prohibition"},
		"held: used instead":    {func(f *Feedback) { f.Action, f.Domain = Constrain, "code" }, func(f *Feedback) { f.Action, f.Tool, f.With = Replace, "search", "grep" }, "one forbids the tool that the other names as the replacement"},
		"used instead":          {func(f *Feedback) { f.Action = Constrain }, func(f *Feedback) { f.Action, f.Tool, f.With, f.Goal = Replace, "search", "grep", "deploy" }, "one forbids the tool that the other names as the replacement"},
		"a prohibition":         {func(f *Feedback) { f.Action = Boost }, func(f *Feedback) { f.Action, f.Domain = Constrain, "code" }, "one is a prohibition, the other a boost"},
		"another tool":          {negative, func(f *Feedback) { f.Action, f.Tool = Boost, "search" }, ""},
		"every tool":            {negative, func(f *Feedback) { f.Action, f.Tool = Boost, "" }, "one is a boost, the other a penalty"},
		"other domains":         {func(f *Feedback) { f.Domain = "code" }, func(f *Feedback) { f.Action, f.Domain = Boost, "ops" }, ""},
		"other conversations":   {func(f *Feedback) { f.Session = "a" }, func(f *Feedback) { f.Action, f.Session = Boost, "b" }, ""},
		"one conversation":      {negative, func(f *Feedback) { f.Action, f.Session = Boost, "b" }, "one is a boost, the other a penalty"},
		"other goals":           {func(f *Feedback) { f.Goal = "deploy" }, func(f *Feedback) { f.Action, f.Goal = Boost, "translate" }, ""},
		"goals that share":      {func(f *Feedback) { f.Goal = "deploy prod" }, func(f *Feedback) { f.Action, f.Goal = Boost, "prod*" }, "one is a boost, the other a penalty"},
		"over":                  {func(f *Feedback) { f.Until = noon }, func(f *Feedback) { f.Action = Boost }, ""},
		"other replacements":    {func(f *Feedback) { f.Action, f.With = Replace, "a" }, func(f *Feedback) { f.Action, f.With = Replace, "b" }, "they name different replacement tools"},
		"both forbid":           {func(f *Feedback) { f.Action, f.With = Replace, "a" }, func(f *Feedback) { f.Action = Constrain }, ""},
		"replacement forbidden": {func(f *Feedback) { f.Action, f.With = Replace, "search" }, func(f *Feedback) { f.Action, f.Tool = Constrain, "search" }, "one forbids the tool that the other names as the replacement"},
		"each for the other": {
			func(f *Feedback) { f.Action, f.With = Replace, "search" },
			func(f *Feedback) { f.Action, f.Tool, f.With = Replace, "search", "grep" }, "one forbids the tool that the other names as the replacement",
		},
	} {
		got := given(t, c.older, c.newer).Conflicts(noon)
		want := []Conflict{{"F2", "F1", c.want, false}}
		if strings.HasPrefix(name, "held: ") {
			want = []Conflict{{"F1", "F2", c.want, true}}
		}
		if c.want == "" {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSuggestions checks that three lasting negative verdicts in a scope suggest a lasting
// prohibition, unless a prohibition exists or a positive verdict followed them.
func TestSuggestions(t *testing.T) {
	negative := func(*Feedback) {}
	scoped := func(f *Feedback) { f.Domain, f.Goal = "code", "prod deploy" }
	session := func(f *Feedback) { f.Session = "talk" }
	days := func(f *Feedback) { f.Until = noon.AddDate(0, 0, 1) }
	if got := given(t, negative, negative, scoped, session, days, session, days).Suggestions(); got != nil {
		t.Errorf("after two of the scope: %+v", got)
	}
	e := given(t, scoped, negative, scoped, func(f *Feedback) { f.Domain, f.Goal = "code", "Deploy, prod" })
	want := []Suggestion{{"grep", "code", "prod deploy", []string{"F1", "F3", "F4"}}}
	if diff := cmp.Diff(want, e.Suggestions()); diff != "" {
		t.Error(diff)
	}
	for name, after := range map[string]func(*Feedback){
		"a prohibition":        func(f *Feedback) { f.Action = Constrain },
		"a replacement":        func(f *Feedback) { f.Action, f.With, f.Domain = Replace, "search", "code" },
		"a positive":           func(f *Feedback) { scoped(f); f.Verdict, f.Action = Positive, Boost },
		"of every tool":        func(f *Feedback) { f.Tool = "" },
		"for one conversation": func(f *Feedback) { f.Action, f.Session = Constrain, "talk" },
		"in another domain":    func(f *Feedback) { f.Action, f.Domain = Constrain, "ops" },
	} {
		f := Feedback{Verdict: Correcting, Action: Penalise, Tool: "grep", Importance: .9, By: "Ada", Time: noon}
		after(&f)
		kept := *e
		if _, err := kept.AddFeedback(f); err != nil {
			t.Fatal(err)
		}
		stays := name == "of every tool" || name == "for one conversation" || name == "in another domain"
		if got := kept.Suggestions(); (len(got) == 1) != stays {
			t.Errorf("after %s: %+v", name, got)
		}
	}
}

// TestWhatIf counts what an item of feedback affects in stored turns, and what its removal
// changes.
func TestWhatIf(t *testing.T) {
	call := func(tool string) Call { return Call{Tool: tool, Outcome: agent.OK} }
	turns := []Turn{
		{ID: "T1", Domain: "code", Message: "deploy it", Time: noon.AddDate(0, -1, 0), Calls: []Call{call("grep"), call("search"), call("grep")}},
		{ID: "T2", Domain: "ops", Message: "deploy it", Time: noon, Calls: []Call{call("grep")}},
		{ID: "T3", Domain: "code", Message: "explain it", Session: "talk", Time: noon, Calls: []Call{call("grep")}},
	}
	e := given(t,
		func(f *Feedback) { f.Action, f.Domain = Constrain, "ops" },
		func(f *Feedback) { f.Goal = "deploy" },
		func(f *Feedback) { f.Verdict, f.Action, f.Session = Positive, Boost, "talk" },
	)
	for i, want := range [][2]int{{1, 1}, {2, 3}, {1, 1}} {
		if inTurns, calls := e.Feedback[i].Touched(turns); inTurns != want[0] || calls != want[1] {
			t.Errorf("%s touches %d calls in %d turns", e.Feedback[i].ID, calls, inTurns)
		}
	}
	if inTurns, calls := e.Touched(turns); inTurns != 3 || calls != 4 {
		t.Errorf("all touch %d calls in %d turns", calls, inTurns)
	}
	for id, want := range map[string][]Choice{
		"F1": {{Turn: "T2", Tool: "grep", Domain: "ops", Calls: 1, With: 0, Without: .3}},
		"f2": {{Turn: "T1", Tool: "grep", Domain: "code", Calls: 2, With: .3, Without: 1}}, // F1 holds in ops
		"F3": {{Turn: "T3", Tool: "grep", Domain: "code", Calls: 1, With: 1.2, Without: 1}},
	} {
		got, ok := e.WhatIf(id, turns)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %s", id, diff)
		}
	}
	if _, ok := e.WhatIf("F4", turns); ok {
		t.Error("an unknown feedback")
	}
	for range 10 {
		e.Learn(Turn{Domain: "code", Outcome: agent.OK, Time: noon, Calls: []Call{{Tool: "grep", Outcome: agent.Timeout}}})
	}
	if got, _ := e.WhatIf("F3", turns); len(got) != 1 || got[0].Without != .3 {
		t.Errorf("without the feedback the tool would be avoided: %+v", got)
	}
}

// TestConfidence checks that a verdict changes a confidence, and that lasting feedback on a
// domain changes the competence that the agent is shown.
func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		base    float64
		verdict Verdict
		want    float64
	}{{.5, Negative, .3}, {.5, Correcting, .3}, {.5, Positive, .65}, {.1, Negative, 0}, {.95, Positive, 1}} {
		if got := Confidence(c.base, c.verdict); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%g after %s: %g", c.base, c.verdict, got)
		}
	}
	in := func(v Verdict, domain string) func(*Feedback) {
		return func(f *Feedback) { f.Verdict, f.Domain = v, domain }
	}
	e := given(t, in(Positive, "ops"), in(Negative, "code"), in(Positive, ""), in(Positive, "web"),
		func(f *Feedback) { f.Domain, f.Session = "code", "talk" }, func(f *Feedback) { f.Domain, f.Goal = "code", "deploy" })
	e.Learn(Turn{Domain: "code", Outcome: agent.OK, Time: noon})
	e.Domains[0].Score = .25
	for domain, want := range map[string]float64{"code": .1, "ops": .65, "other": .5, "": .5} {
		if got, known := e.CompetenceIn(domain); got != want || known != (domain == "code") {
			t.Errorf("in %q: %g, %v", domain, got, known)
		}
	}
	if text, _ := e.KnowledgeText("code"); !strings.Contains(text, "Competence in code: 0.25") || !strings.Contains(text, "it counts as 0.10.") {
		t.Error(text)
	}
}
