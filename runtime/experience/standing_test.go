package experience

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAProhibitionHolds tests each newer verdict and action in each scope against a
// constraint and a replacement. Only a boost with the same tool, domain and goal lifts a
// constraint or a replacement, for as long as the boost applies.
func TestAProhibitionHolds(t *testing.T) {
	use := Use{Tool: "grep", Domain: "code", Goal: "deploy the backend", Session: "talk", Now: noon}
	scopes := map[string]func(*Feedback){
		"the same":                      func(*Feedback) {},
		"the same in other words":       func(f *Feedback) { f.Goal = "BACKEND, deploy *" },
		"every tool":                    func(f *Feedback) { f.Tool = "" },
		"everything":                    func(f *Feedback) { f.Tool, f.Domain, f.Goal = "", "", "" },
		"every domain":                  func(f *Feedback) { f.Domain = "" },
		"every goal":                    func(f *Feedback) { f.Goal = "" },
		"more goals":                    func(f *Feedback) { f.Goal = "deploy*" },
		"fewer goals":                   func(f *Feedback) { f.Goal = "deploy backend the" },
		"the same in a conversation":    func(f *Feedback) { f.Session = "talk" },
		"the same until tomorrow":       func(f *Feedback) { f.Until = noon.AddDate(0, 0, 1) },
		"the same in another":           func(f *Feedback) { f.Session = "other" },
		"the same until this morning":   func(f *Feedback) { f.Until = noon.Add(-time.Hour) },
		"every domain, until yesterday": func(f *Feedback) { f.Domain, f.Until = "", noon.AddDate(0, 0, -1) },
	}
	lifting := map[string]bool{"the same": true, "the same in other words": true, "the same in a conversation": true, "the same until tomorrow": true}
	scoped := func(f *Feedback) { f.Domain, f.Goal = "code", "deploy backend" }
	for _, older := range []Action{Constrain, Replace} {
		for _, verdict := range Verdicts() {
			for _, action := range []Action{Penalise, Boost} {
				for name, scope := range scopes {
					e := given(t, func(f *Feedback) {
						if scoped(f); older == Replace {
							f.With = "search"
						}
						f.Action = older
					}, func(f *Feedback) {
						scoped(f)
						scope(f)
						f.Verdict, f.Action = verdict, action
					})
					score, effects := e.Weigh(use, .5, .1)
					if lifts := action == Boost && lifting[name]; (score > 0) != lifts || lifts && score != .5*1.2 {
						t.Errorf("%s, then %s %s of %s: %g by %s", older, verdict, action, name, score, joined(effects))
					}
					e.RemoveFeedback("F2")
					if score, _ := e.Weigh(use, .5, .1); score != 0 {
						t.Errorf("after its removal: %g", score)
					}
				}
			}
		}
	}
}

// TestReplacesDoNotForbidBothTools tests pairs of feedback items, one on a tool and one on
// the tool to use instead. The item that wins the conflict has its effect, and the other
// has none.
func TestReplacesDoNotForbidBothTools(t *testing.T) {
	replace := func(tool, with, domain string) func(*Feedback) {
		return func(f *Feedback) { f.Action, f.Tool, f.With, f.Domain = Replace, tool, with, domain }
	}
	never := func(tool, domain string) func(*Feedback) {
		return func(f *Feedback) { f.Action, f.Tool, f.Domain = Constrain, tool, domain }
	}
	for name, c := range map[string]struct {
		older, newer func(*Feedback)
		barred, wins string
	}{
		"a cycle":               {replace("a", "b", ""), replace("b", "a", ""), "b", "F2"},
		"a wider cycle":         {replace("a", "b", "code"), replace("b", "a", ""), "b", "F2"},
		"a narrower cycle":      {replace("a", "b", ""), replace("b", "a", "code"), "b", "F2"},
		"never the other":       {replace("a", "b", ""), never("b", ""), "b", "F2"},
		"never the other here":  {replace("a", "b", ""), never("b", "code"), "b", "F2"},
		"the forbidden":         {never("b", ""), replace("a", "b", ""), "a", "F2"},
		"the forbidden here":    {never("b", ""), replace("a", "b", "code"), "a", "F2"},
		"the forbidden, widely": {never("b", "code"), replace("a", "b", ""), "b", "F1"},
	} {
		e := given(t, c.older, c.newer)
		for _, tool := range []string{"a", "b"} {
			score, effects := e.Weigh(Use{Tool: tool, Domain: "code", Now: noon}, .5, .9)
			if (score == 0) != (tool == c.barred) || tool != c.barred && (score != .5 || len(effects) > 0) {
				t.Errorf("%s: %s has %g by %s", name, tool, score, joined(effects))
			}
		}
		if got := e.Conflicts(noon); len(got) != 1 || got[0].Wins != c.wins {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestNoPairForbidsATool tests with random pairs of feedback items that the two tools of a
// replacement are never both forbidden, and that the winner of a conflict has its effect
// where both items apply.
func TestNoPairForbidsATool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Experience{}
		tool := rapid.SampledFrom([]string{"a", "b"})
		for range 2 {
			f := Feedback{
				Verdict: Correcting, Action: rapid.SampledFrom(Actions()).Draw(t, "action"), Tool: tool.Draw(t, "tool"),
				Domain: rapid.SampledFrom([]string{"", "code"}).Draw(t, "domain"), Goal: rapid.SampledFrom([]string{"", "deploy", "deploy it"}).Draw(t, "goal"),
				Importance: 1, By: "Ada", Time: noon,
			}
			if f.Action == Replace {
				f.With = map[string]string{"a": "b", "b": "a"}[f.Tool]
			}
			if _, err := e.AddFeedback(f); err != nil {
				t.Fatal(err)
			}
		}
		forbidden, effects := map[string]bool{}, ""
		for _, name := range []string{"a", "b"} {
			score, x := e.Weigh(Use{Tool: name, Domain: "code", Goal: "deploy it", Now: noon}, .5, .9)
			forbidden[name] = score == 0
			if len(x) > 0 {
				effects += x[0].String() + "; "
			}
		}
		constraints := e.Feedback[0].Action == Constrain && e.Feedback[1].Action == Constrain
		if forbidden["a"] && forbidden["b"] && !constraints {
			t.Fatalf("both are forbidden: %s", effects)
		}
		for _, x := range e.Conflicts(noon) {
			winner := e.Feedback[e.findFeedback(x.Wins)]
			_, effects := e.Weigh(Use{Tool: winner.Tool, Domain: "code", Goal: "deploy it", Now: noon}, .5, .9)
			if len(effects) == 0 || effects[0].Feedback != winner.ID {
				t.Fatalf("%s wins (%s), and the effect is %s", x.Wins, x.Why, fmt.Sprint(effects))
			}
		}
	})
}
