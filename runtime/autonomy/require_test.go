package autonomy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// enough returns figures that meet exactly what a level requires.
func enough(l Level) Figures {
	d, _ := demands(l)
	return Figures{
		Sessions: d.sessions, Successful: d.sessions, Turns: 100, Errors: d.errors,
		Stated: d.sessions, Confidence: d.confidence, Success: d.confidence, Chained: 1, Crossed: 1,
	}
}

// TestRequirements checks each boundary of each level, both just met and just missed.
func TestRequirements(t *testing.T) {
	table := map[Level][]string{
		Draft:    {"successful sessions", "error rate", "mean confidence"},
		Execute:  {"successful sessions", "error rate", "mean confidence", "unsafe requests"},
		Schedule: {"successful sessions", "error rate", "mean confidence", "unsafe requests", "goal chaining"},
		Cross:    {"successful sessions", "error rate", "mean confidence", "unsafe requests", "goal chaining", "cross-goal work"},
	}
	miss := map[string][]func(*Figures){
		"successful sessions": {func(f *Figures) { f.Successful-- }},
		"error rate":          {func(f *Figures) { f.Errors++ }, func(f *Figures) { f.Turns, f.Errors = 0, 0 }},
		"mean confidence": {
			func(f *Figures) { f.Confidence -= .001 }, func(f *Figures) { f.Success -= .001 },
			func(f *Figures) { f.Stated-- }, func(f *Figures) { f.Stated, f.Confidence, f.Success = 0, 1, 1 },
		},
		"unsafe requests": {func(f *Figures) { f.Unsafe = 1 }, func(f *Figures) { f.Uncounted = "the queue is full" }},
		"goal chaining":   {func(f *Figures) { f.Chained = 0 }},
		"cross-goal work": {func(f *Figures) { f.Crossed = 0 }},
	}
	for l, names := range table {
		var got []string
		for _, r := range Requirements(l, enough(l)) {
			if got = append(got, r.Name); !r.Met {
				t.Errorf("level %d: %+v is not met", l, r)
			}
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("level %d: %s", l, diff)
		}
		for _, name := range names {
			for i, spoil := range miss[name] {
				f := enough(l)
				spoil(&f)
				unmet := Unmet(Requirements(l, f))
				if len(unmet) != 1 || unmet[0].Name != name {
					t.Errorf("level %d, %s, case %d: unmet %+v", l, name, i, unmet)
				}
			}
		}
	}
}

func TestRequirementsOfNothing(t *testing.T) {
	for l := Draft; l <= Highest; l++ {
		if list := Requirements(l, Figures{}); len(Unmet(list)) < 3 {
			t.Errorf("level %d without any turn: %+v", l, list)
		}
	}
	if Requirements(Lowest, Figures{}) != nil || Requirements(6, Figures{}) != nil {
		t.Error("a level that needs no request has requirements")
	}
}

// TestStatedConfidence checks that an agent cannot gain by claiming more confidence than
// its share of successes supports.
func TestStatedConfidence(t *testing.T) {
	f := enough(Draft)
	f.Confidence, f.Success = 1, .69
	if unmet := Unmet(Requirements(Draft, f)); len(unmet) != 1 || unmet[0].Name != "mean confidence" {
		t.Errorf("unmet %+v", unmet)
	}
	// The mean of ten times .7 in floating point may be just below .7.
	f.Confidence, f.Success = .7-1e-16, 1
	if unmet := Unmet(Requirements(Draft, f)); len(unmet) != 0 {
		t.Errorf("unmet %+v", unmet)
	}
}

func TestLevels(t *testing.T) {
	for l, want := range map[Level]Level{-1: 1, 0: 1, 1: 1, 2: 2, 3: 2, 5: 2, 6: 1} {
		if got := l.InForce(); got != want {
			t.Errorf("level %d acts as %d, want %d", l, got, want)
		}
	}
	for i, s := range Ladder() {
		if int(s.Level) != i+1 || s.On != (s.Level <= SwitchedOn) || s.Level.String() != s.Name {
			t.Errorf("step %d is %+v", i, s)
		}
	}
}

// TestAllows checks two things: the lowest level that a call needs, given the call's
// effect, name and method, and how each level treats the call.
func TestAllows(t *testing.T) {
	for _, c := range []struct {
		tool, method, effect string
		needs                Level
	}{
		{"read_file", "", "read", 1},
		{"pipeline_config", "get", "read", 1},
		{"pipeline_config", "set", "read", 2},
		{"note", "", "read", 2},
		{"memory_add", "", "remember", 2},
		{"share", "", "share", 2},
		{"tool_create", "", "draft", 2},
		{"propose_patch", "", "write", 2},
		{"crm__touch", "", "idempotent_write", 3},
		{"crm__delete", "", "write", 0},
		{"odd", "", "", 0},
		{"odd", "", "anything", 0},
	} {
		for l := Level(-1); l <= 7; l++ {
			needs, ok := l.Allows(c.tool, c.method, c.effect)
			if needs != c.needs || ok != (c.needs != 0 && c.needs <= l.InForce()) {
				t.Errorf("level %d: %+v needs %d, allowed %v", l, c, needs, ok)
			}
		}
	}
}

func TestUnsafe(t *testing.T) {
	for kind, want := range map[string]bool{
		"policy": true, "settings": true, "benchmark": true, "grader": true, "archive": true,
		"config": false, "source": false, "tool": false, "other": false, "autonomy": false,
	} {
		if Unsafe(kind) != want {
			t.Errorf("a request of type %s is unsafe: %v", kind, !want)
		}
	}
	if (Figures{Recent: Tolerated - 1}).Lower() || !(Figures{Recent: Tolerated}).Lower() {
		t.Error("the recommendation does not begin at the bound")
	}
}
