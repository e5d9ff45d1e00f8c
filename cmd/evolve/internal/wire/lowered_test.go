package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/autonomy"
)

// raised creates an archive in which the agent clerk has been raised to a level.
func raised(t *testing.T, h *Host, root string, to autonomy.Level) {
	t.Helper()
	a, err := h.OpenArchive(root, "test")
	if err != nil {
		t.Fatal(err)
	}
	for from := autonomy.Lowest; from < to; from++ {
		p, err := a.NewProposal(t.Context(), archive.ProposalRecord{
			Kind: archive.KindAutonomy, State: archive.Awaiting, Agent: "clerk", Title: "autonomy", Created: spoolTime,
			Autonomy: &archive.AutonomyBrief{From: from, To: from + 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		d := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: "Robin", Reason: "well", Time: spoolTime}
		p.State, p.Decision = archive.Adopted, &archive.DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time}
		if _, err := a.RaiseAutonomy(t.Context(), d, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// levelAt returns the level in force, and the number of level changes that the ledger
// records.
func levelAt(t *testing.T, root string) (r archive.AutonomyRecord, recorded int) {
	t.Helper()
	err := Look(root, func(a *archive.Archive) (err error) {
		r, err = Autonomy(t.Context(), root, a, "clerk")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Changes {
		if c.Entry > 0 {
			recorded++
		}
	}
	return r, recorded
}

func lowered(to autonomy.Level, after time.Duration) archive.LevelChange {
	return archive.LevelChange{To: to, By: "Kim", Reason: "too bold", Time: spoolTime.Add(after)}
}

// TestLoweringHoldsAtOnce checks that lowering an agent's level while another process
// holds the archive takes effect at once, and only for that agent. The next process that
// opens the archive records the lowering once and in order, even if a process was killed
// before it removed the file.
func TestLoweringHoldsAtOnce(t *testing.T) {
	log := &strings.Builder{}
	h, root := spoolHost(t, log)
	raised(t, h, root, 4)
	for _, c := range []archive.LevelChange{lowered(2, 2*time.Second), lowered(3, time.Second), lowered(3, 3*time.Second)} {
		if err := KeepLowering(root, "clerk", c); err != nil {
			t.Fatal(err)
		}
	}
	if err := KeepLowering(root, "other", lowered(1, 4*time.Second)); err != nil {
		t.Fatal(err)
	}
	if r, recorded := levelAt(t, root); r.Level != 2 || recorded != 3 || len(r.Changes) != 5 {
		t.Errorf("before it is recorded: %+v", r)
	}
	files, err := loweredFiles(root)
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	kept := map[string][]byte{}
	for _, f := range files {
		if kept[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		a, err := h.OpenArchive(root, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		r, recorded := levelAt(t, root)
		if r.Level != 2 || recorded != 5 || len(r.Changes) != 5 {
			t.Errorf("recorded: %+v", r)
		}
		if last := r.Changes[4]; last.From != 3 || last.By != "Kim" || !last.Time.Equal(spoolTime.Add(2*time.Second)) {
			t.Errorf("the last change is %+v", last)
		}
		if left, err := loweredFiles(root); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		for f, data := range kept { // as left by a process that was killed before it removed them
			if err := os.WriteFile(f, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if log.Len() > 0 {
		t.Error(log.String())
	}
}

// TestUnreadableLowering checks that no level above the lowest is in force while a
// lowered level cannot be read. The next process that records something sets the file
// aside with a warning.
func TestUnreadableLowering(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"no object": func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"no level":  func(path string) error { return os.WriteFile(path, []byte(`{"agent":"clerk"}`), 0o600) },
		"a raise": func(path string) error {
			return os.WriteFile(path, []byte(`{"agent":"clerk","change":{"to":9,"by":"Kim","reason":"x","time":"2026-03-02T12:00:00Z"}}`), 0o600)
		},
		"a link": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		log := &strings.Builder{}
		h, root := spoolHost(t, log)
		raised(t, h, root, 2)
		if err := os.MkdirAll(loweredIn(root), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(loweredIn(root), "1000000000000000000-1.json")
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		if r, _ := levelAt(t, root); r.Level != autonomy.Lowest || !strings.Contains(r.Unproven, ".evolve/"+workspace.LoweredFolder) {
			t.Errorf("%s: %+v", name, r)
		}
		a, err := h.OpenArchive(root, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path + refusedEnding); err != nil || !strings.Contains(log.String(), "lower the level again") {
			t.Errorf("%s: %v, %s", name, err, log)
		}
	}
}
