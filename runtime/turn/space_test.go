package turn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestSpaces(t *testing.T) {
	domains := []string{"engineering", "research"}
	for name, s := range map[string]agent.Space{
		"heuristic": HeuristicSpace(domains, nil),
		"default":   DefaultSpace(domains, nil, []string{"default", "code"}),
		"few tools": HeuristicSpace(domains, []string{"repo_index", "grep", "calculate"}),
	} {
		if problems := s.Check(); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
		for _, p := range s.Params {
			if p.Description == "" {
				t.Errorf("%s: %s has no description", name, p.Name)
			}
		}
	}
	few := HeuristicSpace(nil, []string{"repo_index", "grep", "calculate"})
	if p, _ := few.Lookup("tools.selection"); cmp.Diff([]string{"repo_index"}, p.Of) != "" || cmp.Diff([]string{"grep", "calculate"}, p.Retired) != "" || len(p.Default.([]string)) > 0 {
		t.Errorf("the selection is over %v, without %v, by default %v", p.Of, p.Retired, p.Default)
	}
	if _, ok := DefaultSpace(domains, nil, []string{"default"}).Lookup("routes.research"); ok {
		t.Error("a single route leaves nothing to choose")
	}
	for _, s := range []agent.Space{HeuristicSpace(nil, []string{}), LanguageSpace(nil, []string{}, nil, nil)} {
		for _, p := range s.Params {
			if strings.HasPrefix(p.Name, "tools.") || strings.Contains(strings.Join(p.Lines, "\n"), "never grep") {
				t.Errorf("an agent without tools has the parameter %s: %v", p.Name, p.Lines)
			}
		}
	}
	p, ok := DefaultSpace(domains, nil, nil).Lookup("strategy")
	if !ok || len(p.Lines) < 40 || p.MaxChars != 4000 {
		t.Errorf("strategy %+v", p)
	}
}

func TestClassify(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for goal, want := range map[string]string{
		"Which functions does this package import?": "engineering", "Restart the servers after the outage": "operations",
		"What is the weather": "_global", "": "_global", "code and campaign": "_global",
		"the hash rate of bitcoin miners": "crypto", "How many participants were in the study?": "research",
	} {
		if got := a.domains.classify(goal); got != want {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
	own, err := New(Options{Domains: map[string][]string{"sea": {"harbour", "tide table"}}})
	if err != nil {
		t.Fatal(err)
	}
	for goal, want := range map[string]string{"Two harbours": "sea", "read the tide table": "sea", "code": "_global"} {
		if got := own.domains.classify(goal); got != want {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
}

// TestSelection tests that no selection leaves out an essential tool, not even a
// selection from a config that predates this rule.
func TestSelection(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, selection := range [][]string{nil, {}, {"read_file"}, {"repo_index"}} {
		c := a.Space().Default()
		c["tools.selection"] = selection
		if _, problems := a.Space().Parse(map[string]any{"tools.selection": selection}); len(problems) > 0 {
			t.Errorf("%q: %v", selection, problems)
		}
		r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "What is 2.5 * 4?"}, Config: c, Workdir: t.TempDir()})
		if got := answer(r); got != "10" {
			t.Errorf("with %q: %q\n%s", selection, got, story(r))
		}
	}
}
