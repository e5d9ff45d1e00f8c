package gates

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

func verdicts(list ...Verdict) []archive.GateVerdict {
	out := []archive.GateVerdict{}
	for _, v := range list {
		out = append(out, archive.GateVerdict{Gate: "g", Verdict: string(v)})
	}
	return out
}

func TestLane(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []archive.GateVerdict
		want archive.ProposalState
	}{
		{"no gate at all", nil, archive.GateFailed},
		{"all passed", verdicts(Passed, Passed), archive.Awaiting},
		{"one failed", verdicts(Passed, Failed), archive.GateFailed},
		{"one flagged", verdicts(Flagged, Passed), archive.HumanLane},
		{"flagged and failed", verdicts(Flagged, Failed), archive.GateFailed},
		{"never run is not passed", verdicts(Passed, NotRun), archive.GateFailed},
		{"an unknown verdict", verdicts(Passed, "fine"), archive.GateFailed},
	} {
		if got := Lane(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRunFailsClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got := Run(ctx, []Gate{
		{Name: "fine", Check: func(context.Context) (Verdict, string) { return Passed, "" }},
		{Name: "broken", Check: func(context.Context) (Verdict, string) { panic("oh") }},
		{Name: "stops", Check: func(context.Context) (Verdict, string) { cancel(); return Passed, "" }},
		{Name: "late", Check: func(context.Context) (Verdict, string) { return Passed, "" }},
	})
	var words []string
	for _, v := range got {
		words = append(words, v.Verdict)
	}
	if diff := cmp.Diff([]string{"passed", "failed", "passed", "not_run"}, words); diff != "" {
		t.Error(diff)
	}
}

func change() ConfigChange {
	answer := "the quick brown fox jumps over the lazy dog"
	return ConfigChange{
		Want: agent.Config{"x": int64(2)}, Reload: func() (agent.Config, error) { return agent.Config{"x": int64(2)}, nil },
		Measured: map[string]string{"agents/a": "1", "suites/s": "2"}, Now: map[string]string{"agents/a": "1", "suites/s": "2"},
		Texts:    map[string]string{"strategy": "be brief and precise"},
		Answers:  bench.IndexAnswers([]bench.Task{{ID: "t1", Answer: &answer}}),
		Rehearse: func() error { return nil },
	}
}

// demonstrate adds a demonstration of a task in one split.
func (c *ConfigChange) demonstrate(split bench.Split) {
	answer := "restart the primary database before noon"
	c.Tasks = []bench.Task{{ID: "t2", Goal: "what now?", Answer: &answer, Split: split}}
	c.Answers = bench.IndexAnswers(c.Tasks)
	c.Demonstrations = map[string][]agent.Demonstration{"shown": {{Task: "what now?", Answer: answer}}}
}

func TestConfigGates(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*ConfigChange)
		failed string
		says   string
	}{
		{"nothing wrong", func(*ConfigChange) {}, "", ""},
		{"base moved", func(c *ConfigChange) { c.Now["suites/s"] = "3" }, "base", "suites/s"},
		{"input gone", func(c *ConfigChange) { delete(c.Now, "suites/s") }, "base", "suites/s"},
		{"input new", func(c *ConfigChange) { c.Now["suites/u"] = "3" }, "base", "suites/u"},
		{"does not load", func(c *ConfigChange) {
			c.Reload = func() (agent.Config, error) { return nil, errors.New("line 3") }
		}, "config", "line 3"},
		{"loads as something else", func(c *ConfigChange) {
			c.Reload = func() (agent.Config, error) { return agent.Config{"x": int64(3)}, nil }
		}, "config", "was measured"},
		{"copies an answer", func(c *ConfigChange) { c.Texts["strategy"] = "say Brown Fox jumps, over the fence" }, "overlap", "t1"},
		{"demonstrates a search task", func(c *ConfigChange) { c.demonstrate(bench.Search) }, "", ""},
		{"demonstrates a holdout task", func(c *ConfigChange) { c.demonstrate(bench.Holdout) }, "overlap", "t2"},
		{"cannot be taken back", func(c *ConfigChange) { c.Rehearse = func() error { return errors.New("not the same tree") } }, "rollback", "not the same tree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := change()
			c.spoil(&in)
			failed, says := "", ""
			for _, v := range Run(t.Context(), Config(in)) {
				if v.Verdict != string(Passed) {
					failed, says = failed+v.Gate, says+v.Evidence
				} else if v.Evidence == "" {
					t.Errorf("gate %s passed without evidence", v.Gate)
				}
			}
			if failed != c.failed || !strings.Contains(says, c.says) {
				t.Errorf("failed %q saying %q, want %q saying %q", failed, says, c.failed, c.says)
			}
		})
	}
}

func TestRunHonoursNeeds(t *testing.T) {
	says := func(name string, v Verdict, needs ...string) Gate {
		return Gate{Name: name, Needs: needs, Check: func(context.Context) (Verdict, string) { return v, "" }}
	}
	var words []string
	for _, v := range Run(t.Context(), []Gate{
		says("a", Flagged), says("b", Passed, "a"), says("c", Failed, "a", "b"), says("d", Passed, "b", "c"), says("e", Passed, "d"), says("f", Passed, "later"), says("later", Passed),
	}) {
		words = append(words, v.Gate+" "+v.Verdict)
	}
	want := []string{"a flagged", "b passed", "c failed", "d not_run", "e not_run", "f not_run", "later passed"}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Error(diff)
	}
}
