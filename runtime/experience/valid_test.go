package experience

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestLearnedIsValid learns turns with unusual names and texts, in larger numbers than are
// retained.
func TestLearnedIsValid(t *testing.T) {
	t.Parallel()
	odd := []string{"", "\xff", strings.Repeat("é", 3000), "a\x00b", "code"}
	e := Experience{}
	day := time.Date(2026, 11, 14, 2, 0, 0, 0, time.UTC)
	for n := range 300 {
		name := odd[n%len(odd)]
		if n%3 == 0 {
			name += fmt.Sprint(n)
		}
		var calls []Call
		for i := range 40 {
			calls = append(calls, Call{
				Tool: name + fmt.Sprint(i), Method: name, Origin: name, Cause: name, Latency: time.Duration(n), Repaired: true,
				Outcome: agent.Outcomes()[(n+i)%len(agent.Outcomes())], Axes: []string{name, fmt.Sprint(n)},
			})
		}
		e.Learn(Turn{
			ID: fmt.Sprint("T", n), Session: fmt.Sprint("s", n%250), Domain: name, Message: name, Signal: Corrects,
			Outcome: agent.Outcomes()[n%len(agent.Outcomes())], Confidence: float64(n) / 200, Calls: calls, Time: day.Add(time.Duration(n) * time.Hour),
		})
		if n%20 == 0 || n > 290 {
			if err := e.Valid(); err != nil {
				t.Fatalf("after %d turns: %v", n+1, err)
			}
		}
	}
	data, err := json.Marshal(e)
	if err != nil || len(data) > 2<<20 {
		t.Errorf("it takes %d bytes (%v)", len(data), err)
	}
	var again Experience
	if err := errors.Join(json.Unmarshal(data, &again), again.Valid()); err != nil {
		t.Error(err)
	}
}

// TestValid checks that every kind of value that no version of evolve writes is named in
// the error.
func TestValid(t *testing.T) {
	day := time.Date(2026, 11, 14, 2, 0, 0, 0, time.UTC)
	sound := func() Experience {
		return Experience{
			Turns: 1, Updated: day,
			Capsules: []Capsule{
				{Tool: "grep", Domain: Global, Calls: 1, Outcomes: map[agent.Outcome]int{agent.OK: 1}, Axes: map[string]int{"scope": 1}, Failures: []Failure{{Outcome: agent.Timeout, Time: day}}},
				{Tool: "grep", Domain: "code"},
			},
			Signatures:  []Signature{{Tool: "grep", Domain: "code", Outcome: agent.Timeout, Count: 2, First: day, Last: day}, {Tool: "grep", Domain: "ops", Outcome: agent.Timeout}},
			Domains:     []Competence{{Domain: "code", Score: .5, Day: "2026-11-14", DayStart: .5}, {Domain: "ops", Score: .1, Day: "2026-11-14", DayStart: .1}},
			Stated:      []Stated{{Domain: "code", Confidence: 1}},
			Corrections: []Correction{{Domain: "code", Text: "no\nnot that", Time: day}},
			Recent:      []Recent{{Session: "s", Turn: "T1", Outcome: agent.OK}},
			Feedback: []Feedback{
				{ID: "F2", Verdict: Negative, Action: Penalise, Importance: .9, By: "Ada", Time: day},
				{ID: "F10", Verdict: Correcting, Action: Replace, Tool: "grep", With: "search", Until: day, Importance: 1, By: "Ada", Time: day},
			},
			LastFeedback: 11,
		}
	}
	e := sound()
	if err := e.Valid(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(e *Experience){
		"turns":                  func(e *Experience) { e.Turns = -1 },
		"updated":                func(e *Experience) { e.Updated = time.Unix(-1, 0) },
		"capsules is not sorted": func(e *Experience) { e.Capsules[1].Domain = Global },
		"capsules.tool":          func(e *Experience) { e.Capsules[0].Tool = "a\xff" },
		"capsules.domain":        func(e *Experience) { e.Capsules[1].Domain = "" },
		"capsules cannot":        func(e *Experience) { e.Capsules[0].Repaired = -1 },
		"capsules.outcomes":      func(e *Experience) { e.Capsules[0].Outcomes["grand"] = 1 },
		"capsules.latencies":     func(e *Experience) { e.Capsules[0].Latencies = []time.Duration{-1} },
		"capsules.failures":      func(e *Experience) { e.Capsules[0].Failures = make([]Failure, 11) },
		"failures.outcome":       func(e *Experience) { e.Capsules[0].Failures[0].Outcome = "" },
		"failures.cause":         func(e *Experience) { e.Capsules[0].Failures[0].Cause = "\xff" },
		"capsules.axes":          func(e *Experience) { e.Capsules[0].Axes[""] = 1 },
		"capsules.referrals":     func(e *Experience) { e.Capsules[0].Referrals = []Referral{{Axes: []string{"\xff"}}} },
		"signatures is not":      func(e *Experience) { e.Signatures[1].Domain = "code" },
		"signatures has":         func(e *Experience) { e.Signatures = make([]Signature, maxSignatures+1) },
		"signatures.outcome":     func(e *Experience) { e.Signatures[0].Outcome = "grand" },
		"signatures.message":     func(e *Experience) { e.Signatures[0].Message = "\xff" },
		"signatures.count":       func(e *Experience) { e.Signatures[0].Count = -1 },
		"domains is not sorted":  func(e *Experience) { e.Domains[1].Domain = "code" },
		"domains.score":          func(e *Experience) { e.Domains[0].Score = .09 },
		"stated.confidence":      func(e *Experience) { e.Stated[0].Confidence = math.NaN() },
		"stated has":             func(e *Experience) { e.Stated = make([]Stated, maxStated+1) },
		"corrections.text":       func(e *Experience) { e.Corrections[0].Text = strings.Repeat("x", mostText+1) },
		"corrections.tools":      func(e *Experience) { e.Corrections[0].Tools = []string{"\xff"} },
		"domains.day_start":      func(e *Experience) { e.Domains[0].DayStart = 1.1 },
		`domains.day cannot`:     func(e *Experience) { e.Domains[0].Day = "14 Nov" },
		"recent.calls cannot":    func(e *Experience) { e.Recent[0].Calls = []Called{{OK: -1}} },
		"recent.session":         func(e *Experience) { e.Recent[0].Session = "" },
		"recent.confidence":      func(e *Experience) { e.Recent[0].Confidence = 1.1 },
		"feedback has":           func(e *Experience) { e.Feedback = make([]Feedback, MaxFeedback+1) },
		"feedback.id":            func(e *Experience) { e.Feedback[1].ID = "F02" },
		`.id cannot be "F2"`:     func(e *Experience) { e.Feedback[1].ID = "F2" },
		`.id cannot be "F12"`:    func(e *Experience) { e.Feedback[1].ID = "F12" },
		"feedback.verdict":       func(e *Experience) { e.Feedback[0].Verdict = "" },
		"feedback.action":        func(e *Experience) { e.Feedback[0].Action = "delete" },
		"feedback.tool":          func(e *Experience) { e.Feedback[1].Tool = "" },
		"feedback.with":          func(e *Experience) { e.Feedback[1].With = "grep" },
		`.with cannot be "x"`:    func(e *Experience) { e.Feedback[0].With = "x" },
		"feedback.until":         func(e *Experience) { e.Feedback[1].Session = "s" },
		"feedback.importance":    func(e *Experience) { e.Feedback[0].Importance = .89 },
		"feedback.by":            func(e *Experience) { e.Feedback[0].By = "" },
		"feedback.evidence":      func(e *Experience) { e.Feedback[0].Evidence = strings.Repeat("x", maxEvidence+1) },
		"feedback.time":          func(e *Experience) { e.Feedback[0].Time = time.Time{} },
	} {
		e := sound()
		spoil(&e)
		if err := e.Valid(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
