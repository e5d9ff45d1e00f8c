package experience

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

var noon = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

// said returns a turn in the conversation "s" in the domain "ops".
func said(id string, signal Signal, outcome agent.Outcome) Turn {
	return Turn{ID: id, Session: "s", Domain: "ops", Signal: signal, Outcome: outcome, Confidence: .8, Time: noon, Message: "message " + id}
}

func learnt(turns ...Turn) *Experience {
	e := &Experience{}
	for _, t := range turns {
		e.Learn(t)
	}
	return e
}

func TestCompetence(t *testing.T) {
	for name, c := range map[string]struct {
		turns []Turn
		want  Competence
	}{
		"a success": {[]Turn{said("1", None, agent.OK)}, Competence{Score: .52, Turns: 1, Successes: 1}},
		"a failure": {[]Turn{said("1", None, agent.Timeout)}, Competence{Score: .5, Turns: 1}},
		"a corrected success": {
			[]Turn{said("1", None, agent.OK), said("2", Corrects, agent.Timeout)},
			Competence{Score: .47, Turns: 2, Corrected: 1},
		},
		"a corrected failure": {
			[]Turn{said("1", None, agent.OK), said("2", FollowsUp, agent.Timeout), said("3", Corrects, agent.OK)},
			Competence{Score: .49, Turns: 3, Successes: 2, Corrected: 1},
		},
		"an approval": {
			[]Turn{said("1", None, agent.OK), said("2", Approves, agent.OK)},
			Competence{Score: .54, Turns: 2, Successes: 2},
		},
		"an approval and a correction of the next": {
			[]Turn{said("1", None, agent.OK), said("2", Approves, agent.OK), said("3", Corrects, agent.OK)},
			Competence{Score: .51, Turns: 3, Successes: 2, Corrected: 1},
		},
		"a correction of nothing": {
			[]Turn{said("1", Corrects, agent.OK)},
			Competence{Score: .52, Turns: 1, Successes: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Domain, c.want.Day, c.want.DayStart = "ops", "2026-11-14", .5
			if diff := cmp.Diff([]Competence{c.want}, learnt(c.turns...).Domains); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCompetenceIsOfTheJudgedTurn(t *testing.T) {
	other := said("2", Corrects, agent.OK)
	other.Domain = "research"
	e := learnt(said("1", None, agent.OK), other)
	ops, _ := e.CompetenceIn("ops")
	research, _ := e.CompetenceIn("research")
	if ops != .47 || research != .52 {
		t.Errorf("ops %g, research %g", ops, research)
	}
	if score, known := e.CompetenceIn("marketing"); score != .5 || known {
		t.Errorf("%g, %t without history", score, known)
	}
	// A correction in one conversation does not affect another.
	elsewhere := said("3", Corrects, agent.OK)
	elsewhere.Session = "other"
	e.Learn(elsewhere)
	if len(e.Corrections) != 1 || e.Corrections[0].Turn != "1" {
		t.Errorf("corrections %v", e.Corrections)
	}
}

func TestAFloodOfCorrections(t *testing.T) {
	e := learnt(said("0", None, agent.Timeout))
	flood := func(at time.Time) float64 {
		for i := range 100 {
			turn := said(fmt.Sprint(i), Corrects, agent.OK)
			turn.Outcome, turn.Time = agent.Timeout, at
			e.Learn(turn)
		}
		score, _ := e.CompetenceIn("ops")
		return score
	}
	for i, want := range []float64{.3, .1, .1} {
		if got := flood(noon.AddDate(0, 0, i)); got != want {
			t.Errorf("day %d: %g, not %g", i+1, got, want)
		}
	}
	for range 100 { // turns on an earlier day cannot cause a second change
		e.Learn(said("x", FollowsUp, agent.OK))
	}
	if got, _ := e.CompetenceIn("ops"); got != .3 {
		t.Errorf("after turns of an earlier day: %g, not .3", got)
	}
	alternating := &Experience{}
	for i := range 100 {
		turn := said("z", Corrects, agent.Timeout)
		turn.Time = noon.AddDate(0, 0, i%2)
		alternating.Learn(turn)
	}
	// All turns from the first correction on count as turns of the second day, the day of
	// that correction.
	if got, _ := alternating.CompetenceIn("ops"); got != .3 {
		t.Errorf("after corrections on alternating days: %g, not .3", got)
	}
	for i := range 10 {
		for range 100 {
			turn := said("y", FollowsUp, agent.OK)
			turn.Time = noon.AddDate(0, 0, 4+i)
			e.Learn(turn)
		}
	}
	if got, _ := e.CompetenceIn("ops"); got != 1 {
		t.Errorf("the top is %g", got)
	}
}

func TestACorrectionReachesTheCapsules(t *testing.T) {
	first := said("1", None, agent.OK)
	first.Calls = []Call{
		{Tool: "git", Method: "log", Outcome: agent.OK},
		{Tool: "git", Method: "log", Outcome: agent.OK},
		{Tool: "git", Method: "log", Outcome: agent.Timeout},
		{Tool: "grep", Outcome: agent.Timeout},
	}
	e := learnt(first)
	e.Capsules = nil
	for _, d := range []string{Global, "ops", "research"} {
		for _, method := range []string{"log", "show"} {
			e.Capsules = append(e.Capsules, Capsule{Tool: "git", Method: method, Domain: d, Calls: 3, Outcomes: map[agent.Outcome]int{agent.OK: 3}})
		}
		e.Capsules = append(e.Capsules, Capsule{Tool: "grep", Domain: d, Calls: 1})
	}
	e.Learn(said("2", Corrects, agent.OK))
	for _, c := range e.Capsules {
		want := 0
		if c.Tool == "git" && c.Method == "log" && c.Domain != "research" {
			want = 2
		}
		if c.Corrected != want {
			t.Errorf("%s %s in %s: %d corrected, not %d", c.Tool, c.Method, c.Domain, c.Corrected, want)
		}
	}
	if diff := cmp.Diff([]Correction{{Turn: "1", By: "2", Domain: "ops", Tools: []string{"git", "grep"}, Text: "message 2", Time: noon}}, e.Corrections); diff != "" {
		t.Error(diff)
	}
	if e.Stated[0].Success || !e.Stated[1].Success {
		t.Errorf("stated %v", e.Stated)
	}
}

func TestACorrectionInNoDomainCountsOnce(t *testing.T) {
	first := said("1", None, agent.OK)
	first.Domain, first.Calls = "", []Call{{Tool: "grep", Outcome: agent.OK}}
	e := learnt(first)
	e.Capsules = []Capsule{{Tool: "grep", Domain: Global, Calls: 1, Outcomes: map[agent.Outcome]int{agent.OK: 1}}}
	e.Learn(said("2", Corrects, agent.OK))
	if got := e.capsule("grep", "", Global).Corrected; got != 1 {
		t.Errorf("%d corrected, not 1", got)
	}
}

// drawTurns draws a history with few sessions and domains, so turns share them.
func drawTurns(t *rapid.T) []Turn {
	outcomes := []agent.Outcome{agent.OK, agent.OK, agent.Timeout, agent.LowUtility, agent.WrongToolBoundary}
	signals := []Signal{None, Corrects, Corrects, Approves, FollowsUp, NewTopic, Repeats, Complains, GivesUp, Clarifies}
	n := rapid.IntRange(0, 60).Draw(t, "turns")
	turns := make([]Turn, n)
	for i := range turns {
		turns[i] = Turn{
			ID: fmt.Sprint(i), Session: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "session"),
			Domain:  rapid.SampledFrom([]string{"", Global, "ops", "research"}).Draw(t, "domain"),
			Message: rapid.String().Draw(t, "message"), Signal: rapid.SampledFrom(signals).Draw(t, "signal"),
			Outcome:    rapid.SampledFrom(outcomes).Draw(t, "outcome"),
			Confidence: rapid.SampledFrom([]float64{0, .1, .3, .55, .8, 1, -1, 2, math.NaN(), math.Inf(1)}).Draw(t, "confidence"),
			Time:       noon.Add(time.Duration(rapid.IntRange(-48, 96).Draw(t, "hours")) * time.Hour),
		}
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			turns[i].Calls = append(turns[i].Calls, Call{
				Tool: rapid.SampledFrom([]string{"git", "grep"}).Draw(t, "tool"), Method: rapid.SampledFrom([]string{"", "log"}).Draw(t, "method"),
				Outcome: rapid.SampledFrom(outcomes).Draw(t, "call"),
			})
		}
	}
	return turns
}

func TestHistoriesAreBoundedAndRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := drawTurns(t)
		e := &Experience{}
		for _, turn := range turns {
			e.Learn(turn)
			for _, c := range e.Domains {
				if c.Score < leastCompetence || c.Score > topCompetence || math.Abs(c.Score-c.DayStart) > changePerDay+1e-9 {
					t.Fatalf("competence out of its bounds: %+v", c)
				}
				if c.Successes < 0 || c.Successes > c.Turns || c.Corrected > c.Turns {
					t.Fatalf("counts out of their bounds: %+v", c)
				}
			}
		}
		one, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := json.Marshal(learnt(turns...))
		if string(one) != string(two) {
			t.Fatal("the same history gives other bytes")
		}
		var back Experience
		if err := json.Unmarshal(one, &back); err != nil {
			t.Fatal(err)
		}
		three, _ := json.Marshal(back)
		if string(one) != string(three) {
			t.Fatalf("%s came back as %s", one, three)
		}
		next := Turn{ID: "next", Session: "a", Domain: "ops", Signal: Corrects, Message: "no", Time: noon}
		e.Learn(next)
		back.Learn(next)
		one, _ = json.Marshal(e)
		three, _ = json.Marshal(back)
		if string(one) != string(three) {
			t.Fatal("the decoded value learns something else")
		}
		for _, domain := range []string{"", Global, "ops", "none"} {
			c := e.CalibrationIn(domain)
			for _, x := range []float64{c.Confidence, c.Success, c.Brier, c.ECE} {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("calibration out of its bounds: %+v", c)
				}
			}
			for _, tell := range []func(string) (string, bool){e.CalibrationText, e.KnowledgeText, e.CorrectionsText} {
				if text, ok := tell(domain); len(text) > maxText || ok != (text != "") {
					t.Fatalf("%d bytes, %t", len(text), ok)
				}
			}
		}
	})
}

// TestOnlyACorrectionOfATurnChanges checks that among the signals of turns, only
// corrections and thanks that name no domain change anything, and those only after an
// earlier turn.
func TestOnlyACorrectionOfATurnChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := drawTurns(t)
		plain := slices.Clone(turns)
		seen := map[string]bool{}
		for i, turn := range turns {
			if turn.Signal != Corrects && !(turn.Signal == Approves && domainName(turn.Domain) == Global) || !seen[turn.Session] {
				plain[i].Signal = FollowsUp
			}
			if turn.Session != "" {
				seen[turn.Session] = true
			}
		}
		one, _ := json.Marshal(learnt(turns...))
		two, _ := json.Marshal(learnt(plain...))
		if string(one) != string(two) {
			t.Fatalf("%s\n%s", one, two)
		}
	})
}

func TestBounds(t *testing.T) {
	e := &Experience{}
	for i := range 50 {
		e.Learn(Turn{ID: fmt.Sprint("old", i), Domain: "old", Outcome: agent.OK, Time: noon.AddDate(0, 0, -1)})
	}
	for i := range 1300 {
		session := fmt.Sprint("s", i/2)
		turn := Turn{ID: fmt.Sprint(i), Session: session, Domain: fmt.Sprint("d", i%150), Outcome: agent.OK, Confidence: .5, Time: noon.Add(time.Duration(i) * time.Hour)}
		if i%2 == 1 {
			turn.Signal, turn.Message = Corrects, string(make([]byte, 5000))
		}
		for c := range 50 * (i / 1299) {
			turn.Calls = append(turn.Calls, Call{Tool: fmt.Sprint("tool", c), Outcome: agent.OK})
		}
		e.Learn(turn)
	}
	if len(e.Stated) != 1000 || e.Stated[999].Turn != "1299" || len(e.Recent) != 200 || e.Recent[199].Turn != "1299" || len(e.Corrections) != 200 || len(e.Domains) != 100 {
		t.Errorf("%d stated, %d recent, %d corrections, %d domains", len(e.Stated), len(e.Recent), len(e.Corrections), len(e.Domains))
	}
	if len(e.Recent[199].Calls) != maxTools || len([]rune(e.Corrections[0].Text)) != maxCorrection {
		t.Errorf("%d tools, a text of %d", len(e.Recent[199].Calls), len(e.Corrections[0].Text))
	}
	if _, known := e.CompetenceIn("d99"); !known {
		t.Error("the newest domain is gone")
	}
	if _, known := e.CompetenceIn("old"); known {
		t.Error("the oldest domain is kept for its turns")
	}
	if !slices.IsSortedFunc(e.Domains, func(x, y Competence) int { return strings.Compare(x.Domain, y.Domain) }) {
		t.Error("domains are not sorted")
	}
}

// TestRepliesAreNoCompetence tests that thanks and corrections without a domain of their
// own raise no competence, least of all in a particular domain, and that a second
// correction concerns the domain of the first.
func TestRepliesAreNoCompetence(t *testing.T) {
	e := &Experience{}
	say := func(domain string, s Signal) {
		e.Learn(Turn{ID: fmt.Sprint("T", e.Turns+1), Session: "s", Domain: domain, Signal: s, Message: "No, or thanks", Outcome: agent.OK, Confidence: .9, Time: noon, Calls: []Call{{Tool: "t", Outcome: agent.OK}}})
	}
	say("ops", None)
	for range 5 {
		say("", Approves)
	}
	if len(e.Domains) != 1 || e.Domains[0].Turns != 1 || e.Domains[0].Score != .52 || len(e.Stated) != 1 {
		t.Errorf("after thanks: %+v, %d stated", e.Domains, len(e.Stated))
	}
	say("ops", FollowsUp)
	say("", Corrects)
	say("", Corrects)
	if c := e.Domains[0]; len(e.Domains) != 1 || c.Turns != 2 || c.Successes != 1 || c.Corrected != 1 || math.Abs(c.Score-(.54-.1)) > 1e-9 {
		t.Errorf("after two corrections: %+v", e.Domains)
	}
	if n := len(e.Stated); n != 4 || e.Stated[1].Success || e.Stated[2].Success {
		t.Errorf("%+v", e.Stated)
	}
	if c := e.capsule("t", "", "ops"); c.Corrected != 1 {
		t.Errorf("the tool in ops: %+v", c)
	}
	say("crypto", Corrects)
	say("", None)
	if len(e.Domains) != 3 {
		t.Errorf("turns of a domain, and first ones, count: %+v", e.Domains)
	}
	if err := e.Valid(); err != nil {
		t.Error(err)
	}
}

// TestPraiseBeforeARequestIsCompetence tests that a turn whose message contains praise
// and then a request counts like any other turn with that request.
func TestPraiseBeforeARequestIsCompetence(t *testing.T) {
	e := &Experience{}
	for i, message := range []string{"Which gate is open?", "Perfect, thanks!", "Perfect. Now write a poem on autumn."} {
		e.Learn(Turn{ID: fmt.Sprint("T", i), Session: "s", Signal: []Signal{None, Approves, Approves}[i], Message: message, Outcome: agent.OK, Confidence: .9, Time: noon, Domain: []string{"ops", "", ""}[i]})
	}
	if len(e.Domains) != 2 || e.Domains[0].Turns != 1 || e.Domains[1].Turns != 1 || len(e.Stated) != 2 {
		t.Errorf("%+v, %d stated", e.Domains, len(e.Stated))
	}
}
