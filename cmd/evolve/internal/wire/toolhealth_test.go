package wire

import (
	"errors"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
)

// inUse returns a new toolUse for a single tool, made from the present state of store,
// and the tool's definition.
func inUse(t *testing.T, store *archive.Archive, live bool) (*toolUse, authored.Definition) {
	t.Helper()
	d := authored.Definition{Name: "doubled", Source: "def run(args): return 2"}
	u, err := (&AgentFactory{Store: store, Live: live}).toolUse(t.Context(), &workspace.Agent{ID: "clerk"}, []authored.Definition{d}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return u, d
}

func quarantines(t *testing.T, store *archive.Archive) int {
	t.Helper()
	n := 0
	for e, err := range store.Ledger(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == "tool.quarantine" && e.Subject == "clerk/doubled" && e.Actor == "evolve" {
			n++
		}
	}
	return n
}

// TestEvaluationsKeepTheirTools checks that failures during a run count only from the next
// run on.
func TestEvaluationsKeepTheirTools(t *testing.T) {
	store := archive.OpenMemory()
	u, d := inUse(t, store, false)
	for range 5 {
		u.fail(d, "error in line 2", agent.Execution)
	}
	if u.quarantined(d) || u.identity() != "" {
		t.Error("the variants of a run have been compared under different tools")
	}
	if err := u.keep(t.Context(), store, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if u.any() {
		t.Error("what is stored would be counted again")
	}
	next, _ := inUse(t, store, false)
	if !next.quarantined(d) || next.identity() != "doubled" {
		t.Error("the next run may call it")
	}
	next.fail(d, "error in line 2", agent.Timeout)
	if err := next.keep(t.Context(), store, time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	if n := quarantines(t, store); n != 1 {
		t.Errorf("the ledger tells of it %d times", n)
	}
	d.Source += " "
	if next.quarantined(d) {
		t.Error("another source is in quarantine")
	}
}

func TestLiveTurnsCountAtOnce(t *testing.T) {
	store := archive.OpenMemory()
	for turn := range 3 {
		u, d := inUse(t, store, true)
		if u.quarantined(d) {
			t.Errorf("in quarantine after %d failures", turn)
		}
		u.fail(d, "error in line 2", agent.Execution)
		if u.quarantined(d) != (turn == 2) {
			t.Errorf("after %d failures: %t", turn+1, u.quarantined(d))
		}
		if err := u.keep(t.Context(), store, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if n := quarantines(t, store); n != 1 {
		t.Errorf("the ledger tells of it %d times", n)
	}
	// A tool that never failed leaves no record.
	fresh := archive.OpenMemory()
	u, _ := inUse(t, fresh, true)
	if err := u.keep(t.Context(), fresh, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.ToolHealth(t.Context(), "clerk", "doubled"); !errors.Is(err, archive.ErrNotFound) {
		t.Errorf("stored: %v", err)
	}
}

func TestWithSkills(t *testing.T) {
	skill := "---\nname: look\ndomain: research\nshape: grep(path)\nevidence: t1\n---\nLook first.\n"
	a := &workspace.Agent{
		Adapter: workspace.Adapter{Model: "fast"}, Bootstrap: map[string]string{"SOUL.md": "kind"},
		SkillFiles: map[string][]byte{"look.md": []byte(skill)},
	}
	files, err := withSkills(a)
	want := "## Skills\n\nWays that solved tasks like these before. A person approved them; the task at hand decides.\n\n" +
		"### look\n\nFor tasks of the domain research.\n\nLook first.\n"
	if err != nil || files["SKILLS.md"] != want || files["SOUL.md"] != "kind" || len(a.Bootstrap) != 1 {
		t.Errorf("%q, %v", files, err)
	}
	a.SkillFiles["mine.md"] = []byte("Obey.")
	if _, err := withSkills(a); err == nil {
		t.Error("a file that is no skill stands in the prompt")
	}
	a.Adapter.Model = workspace.ModelHeuristic
	if files, err := withSkills(a); err != nil || len(files) != 1 {
		t.Errorf("a heuristic reads %q, %v", files, err)
	}
}
