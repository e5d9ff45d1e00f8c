package watch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// entry adds an entry to the ledger, dated the day before the next night.
func (d *diary) entry(kind, subject string, data any) {
	d.t.Helper()
	e, err := archive.NewLedgerEntry(at(d.night).Add(12*time.Hour), kind, subject, data)
	d.must(err)
	e.Actor = "Kim"
	_, err = d.store.Append(context.Background(), e)
	d.must(err)
}

// feedback returns the data of a ledger entry about feedback.
func feedback(f experience.Feedback) any {
	return map[string]any{"feedback": f}
}

func never(id, tool string) experience.Feedback {
	return experience.Feedback{ID: id, Verdict: experience.Negative, Action: experience.Constrain, Tool: tool}
}

// named describes the acts in a change.
func named(acts []archive.Act) string {
	var out []string
	for _, a := range acts {
		text := a.Kind + " " + a.ID + " " + a.What
		if a.Live {
			text += " (live)"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestFallAfterFeedback tests that a fall caused only by a person's feedback is found and
// names the feedback, and that a fall after both feedback and a commit names both.
func TestFallAfterFeedback(t *testing.T) {
	for name, changed := range map[string]agent.Config{"alone": {"k": int64(1)}, "beside a commit": {"k": int64(2)}} {
		d := newDiary(t)
		d.fixed = true
		good := agent.Config{"k": int64(1)}
		d.sleep(good, "h", 10, passed)
		d.entry("feedback.add", "a", feedback(never("F1", "calculate")))
		d.entry("feedback.add", "other", feedback(never("F1", "grep")))
		tasks, err := Tasks(context.Background(), d.store, archive.AgentPlan{Agent: "a", Champion: good.ID(), AgentHash: "h", SuiteHash: "suite", Deterministic: true}, d.night+1, d.digests, at(d.night+1))
		if err != nil || len(tasks) != 10 {
			t.Errorf("%s: after feedback %d tasks are measured again, %v", name, len(tasks), err)
		}
		seen := d.sleep(changed, "h", 10, func(task, _ int) float64 { return float64(task % 2) })
		if seen.Fall == nil || seen.Changed == nil || named(seen.Fall.Acts) != "feedback.add F1 never calculate" || named(seen.Changed.Acts) != named(seen.Fall.Acts) {
			t.Fatalf("%s: %+v", name, seen.Watch)
		}
		if params := len(seen.Fall.Params); params != 0 && name == "alone" || params != 1 && name != "alone" {
			t.Errorf("%s: %d parameters changed", name, params)
		}
	}
}

// TestFallNamesTheActsOfItsNights tests that acts from before an earlier night are not
// blamed, that an act that was revoked changes nothing, and how acts that hold only in live
// turns are treated.
func TestFallNamesTheActsOfItsNights(t *testing.T) {
	d := newDiary(t)
	d.fixed = true
	good := agent.Config{"k": int64(1)}
	d.sleep(good, "h", 10, passed)
	d.entry("feedback.add", "a", feedback(never("F1", "calculate")))
	if seen := d.sleep(good, "h", 10, passed); seen.Fall != nil || seen.Changed == nil {
		t.Fatalf("harmless feedback: %+v", seen.Watch)
	}
	until, once := never("F3", "grep"), never("F4", "grep")
	until.Until, once.Session = at(30), "kim"
	d.entry("feedback.add", "a", feedback(until))
	d.entry("feedback.add", "a", feedback(once))
	d.entry(archive.LedgerLowered, "a", map[string]any{"from": 2, "to": 1})
	if seen := d.sleep(good, "h", 10, passed); seen.Fall != nil || seen.Changed != nil {
		t.Fatalf("what no evaluation reads is a change: %+v", seen.Changed)
	}
	d.entry("feedback.add", "a", feedback(never("F2", "memory_search")))
	d.entry("feedback.add", "a", feedback(once))
	d.entry("tool.share", "b/convert", map[string]any{"with": []string{"a", "c"}})
	d.entry("tool.share", "b/count", map[string]any{"with": []string{"c"}})
	d.entry("tool.quarantine", "a/own", map[string]any{})
	d.entry("tool.quarantine", "b/theirs", map[string]any{})
	d.entry("feedback.add", "a", json.RawMessage(`{"feedback": 3}`))
	d.entry("feedback.other", "a", feedback(never("F9", "x")))
	seen := d.sleep(good, "h", 10, func(task, _ int) float64 { return float64(task % 2) })
	const want = "feedback.add F2 never memory_search; feedback.add F4 never grep (live); tool.share convert ; tool.quarantine own "
	if seen.Fall == nil || named(seen.Fall.Acts) != want {
		t.Fatalf("%+v", seen.Fall)
	}
	d.entry("feedback.remove", "a", feedback(never("F2", "memory_search")))
	d.entry("tool.unshare", "b/convert", map[string]any{"with": []string{"a"}})
	d.entry("tool.release", "a/own", map[string]any{})
	if seen := d.sleep(good, "h", 10, passed); seen.Fall != nil {
		t.Errorf("what was taken back is blamed: %+v", seen.Fall)
	}
}

// TestALevelIsNoDecisionOnConfigs tests that an approved level of autonomy does not hide a
// change made by hand.
func TestALevelIsNoDecisionOnConfigs(t *testing.T) {
	d := newDiary(t)
	d.fixed = true
	d.sleep(agent.Config{"k": int64(1)}, "h", 4, passed)
	p := d.decide(archive.ProposalRecord{State: archive.Adopted})
	p.Kind = archive.KindAutonomy
	d.must(d.store.PutProposal(context.Background(), p))
	if seen := d.sleep(agent.Config{"k": int64(2)}, "h", 4, passed); seen.Changed == nil || seen.Changed.Proposal != "" {
		t.Errorf("%+v", seen.Changed)
	}
}

// TestAPatchOfATargetIsADecision checks that the code of a target whose blocks are searched
// does not count as changed by hand if a person adopted a patch of that target.
func TestAPatchOfATargetIsADecision(t *testing.T) {
	for target, byHand := range map[string]bool{"a": false, "another": true} {
		d := newDiary(t)
		d.fixed = true
		d.sleep(agent.Config{"k": int64(1)}, "h", 4, passed)
		p := d.decide(archive.ProposalRecord{State: archive.Adopted})
		p.Agent, p.Kind, p.Patch = "", archive.KindPatch, &archive.PatchBrief{Target: target}
		d.must(d.store.PutProposal(context.Background(), p))
		if seen := d.sleep(agent.Config{"k": int64(2)}, "other files", 4, passed); (seen.Changed != nil) != byHand {
			t.Errorf("after a patch of %s: %+v", target, seen.Changed)
		}
	}
}
