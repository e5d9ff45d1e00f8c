package workspace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/runtime/agent"
)

// idleBuiltins returns built-in parts whose temperatures have no effect.
func idleBuiltins() Builtins {
	b := testBuiltins()
	b.Idle = func(s agent.Space, _ *Agent, _ []Model, _ []agent.Task) map[string]string {
		out := map[string]string{}
		for _, name := range s.Names() {
			if strings.HasPrefix(name, "temperature.") {
				out[name] = "cannot act"
			}
		}
		return out
	}
	return b
}

func loadIdle(t *testing.T, id string, files map[string]string) *Agent {
	t.Helper()
	w, err := Load(build(t, spoil(files)), idleBuiltins())
	if err != nil {
		t.Fatal(err)
	}
	a, _ := w.Agent(id)
	return a
}

// TestIdleParameters checks that a champion file may contain parameters that are not
// searched, and that archived configs are read with the champion's values for them.
func TestIdleParameters(t *testing.T) {
	a := loadIdle(t, "helper", map[string]string{
		"agents/helper/agent.yaml":  goodBuilt,
		"agents/helper/config.yaml": "temperature.research: .7\n",
	})
	p, _ := a.Space.Lookup("temperature.research")
	if want := (agent.Param{Name: "temperature.research", Kind: agent.Choice, Values: []any{.7}, Default: .7}); !cmp.Equal(want, p) {
		t.Errorf("it is searched as %+v", p)
	}
	if p, _ := a.Known.Lookup("temperature.research"); p.Kind != agent.Float {
		t.Errorf("it is known as %+v", p)
	}
	if a.Champion["temperature.research"] != .7 || a.NamedInVain() != "" {
		t.Errorf("champion %v, named %q", a.Champion, a.NamedInVain())
	}
	if got := a.LeftAlone(); got != "temperature.engineering, temperature.research (cannot act)" {
		t.Errorf("left alone: %s", got)
	}
	old := a.Champion.Clone()
	old["temperature.research"], old["recall.min_score"] = .1, .6
	c, problems := a.Read(old)
	if len(problems) > 0 || c["temperature.research"] != .7 || c["recall.min_score"] != .6 {
		t.Errorf("read as %v, %v", c, problems)
	}
	old["recall.min_score"] = 7.
	if _, problems := a.Read(old); len(problems) == 0 {
		t.Error("a value outside its range was read")
	}
	// A waiting proposal that changes such a parameter is applied unchanged.
	old["recall.min_score"] = .6
	written := map[string]string{}
	for name, data := range ChampionFiles(a, old) {
		if data != nil {
			written[name] = string(data)
		}
	}
	if back, err := ReadChampion(build(t, written), a); err != nil || !back.Equal(old) {
		t.Errorf("read back as %v, %v", back, err)
	}
}

// TestIdleParameterNamed checks that naming a parameter under space: in agent.yaml cannot
// give the parameter an effect.
func TestIdleParameterNamed(t *testing.T) {
	a := loadIdle(t, "helper", map[string]string{
		"agents/helper/agent.yaml": goodBuilt + "space:\n  recall.max_memories:\n  temperature.research: {max: .5}\n",
	})
	if got := a.NamedInVain(); got != "temperature.research" {
		t.Errorf("named: %q", got)
	}
	if p, _ := a.Space.Lookup("temperature.research"); p.Kind != agent.Choice {
		t.Errorf("it is searched as %+v", p)
	}
	if got := a.NotSearched("temperature.engineering"); got != "" {
		t.Errorf("what a person fixed is left unchanged because it %s", got)
	}
}

// TestEmptyListIsFixed checks that a list that is empty under the champion can be left
// out of the search.
func TestEmptyListIsFixed(t *testing.T) {
	a := loadIdle(t, "helper", map[string]string{
		"agents/helper/agent.yaml": goodBuilt + "space:\n  style:\n", "agents/helper/config.yaml": "tools.selection: []\n",
	})
	if p, _ := a.Space.Lookup("tools.selection"); !oneValue(p) || len(a.Space.Check()) > 0 {
		t.Errorf("%+v, %v", p, a.Space.Check())
	}
}

// TestDeadParameters checks parameters of a program that have only one value, or conditions
// that cannot all hold.
func TestDeadParameters(t *testing.T) {
	known := agent.Space{Params: []agent.Param{
		{Name: "mode", Kind: agent.Choice, Values: []any{"a", "b"}, Default: "a"},
		{Name: "only", Kind: agent.Choice, Values: []any{"x"}, Default: "x"},
		{Name: "all", Kind: agent.Subset, Of: []string{"m"}, MinItems: 1, Default: []string{"m"}},
		{Name: "any", Kind: agent.Subset, Of: []string{"m"}, Default: []string{"m"}},
		{Name: "three", Kind: agent.Int, Min: 3, Max: 3, Default: int64(3)},
		{Name: "deep", Kind: agent.Bool, Default: true, When: map[string][]any{"mode": {"a"}}},
		{Name: "never", Kind: agent.Bool, Default: true, When: map[string][]any{"deep": {true}, "mode": {"b"}}},
		{Name: "after", Kind: agent.Bool, Default: true, When: map[string][]any{"never": {true}}},
		{Name: "both", Kind: agent.Bool, Default: true, When: map[string][]any{"deep": {true}, "mode": {"a", "b"}, "three": {3.}}},
	}}
	space, out := withoutDead(known)
	want := []Unsearched{
		{Param: "only", Why: "has only one value"},
		{Param: "all", Why: "has only one value"},
		{Param: "three", Why: "has only one value"},
		{Param: "never", Why: `is never active: no value of "mode" meets its conditions`},
		{Param: "after", Why: `is never active: no value of "mode" meets its conditions`},
	}
	if diff := cmp.Diff(want, out, cmpopts.IgnoreUnexported(Unsearched{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"mode", "only", "all", "any", "three", "deep", "both"}, space.Names()); diff != "" {
		t.Error(diff)
	}
}

// TestDeadParameterLoads checks a dead parameter that is loaded from a file, with a
// champion that names this parameter.
func TestDeadParameterLoads(t *testing.T) {
	a := loadIdle(t, "solver", map[string]string{
		"agents/solver/agent.yaml": goodHead + "space:\n  mode: {type: choice, values: [a, b], default: a}\n" +
			"  deep: {type: bool, default: true, when: {mode: [a]}}\n  never: {type: bool, default: true, when: {deep: [true], mode: [b]}}\n",
		"agents/solver/config.yaml": "never: false\n",
	})
	if got := a.Space.Names(); !cmp.Equal(got, []string{"mode", "deep"}) {
		t.Errorf("searched: %v", got)
	}
	if got := a.NotSearched("never"); got == "" {
		t.Error("it is not named")
	}
}
