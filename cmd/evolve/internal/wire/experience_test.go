package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// service is a workspace with an agent in use.
type service struct {
	*testing.T
	host   *Host
	w      *workspace.Workspace
	agent  *workspace.Agent
	folder string // holds the file that the goals name
}

func inService(t *testing.T) *service {
	t.Helper()
	host, _ := spoolHost(t, &strings.Builder{})
	root := t.TempDir()
	if err := fixture.Workspace(root, "tiny"); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "runbook.md"), []byte("The server restarts on Monday.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return &service{t, host, w, &w.Agents[0], folder}
}

// turn takes a live turn in a domain and stores it with the learnings from it.
func (u *service) turn(domain, folder string) TurnResult {
	u.Helper()
	f, err := u.host.Agents(u.w)
	if err != nil {
		u.Fatal(err)
	}
	f.Live = true
	scratch := u.TempDir()
	opened, err := f.Open(u.Context(), u.agent, scratch)
	if err != nil {
		u.Fatal(err)
	}
	turn := Turn{
		Agent: u.agent, Config: u.agent.Champion, Folder: folder, Session: "talk",
		Task: &bench.Task{ID: "goal", Domain: domain, Goal: "According to runbook.md, when does the server restart?"},
	}
	res, err := f.Take(u.Context(), opened, turn, scratch, nil)
	if err != nil {
		u.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		u.Fatal(err)
	}
	store, err := u.host.OpenArchive(u.w.Root, "test")
	if err != nil {
		u.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	record := archive.TurnRecord{Agent: u.agent.ID, Session: turn.Session, Outcome: res.Outcome, Created: u.host.Now(), Transcript: res.Transcript}
	if _, err := store.PutTurn(u.Context(), record, &res.Session, f.Learned(turn, res)); err != nil {
		u.Fatal(err)
	}
	return res
}

// change changes the stored experience.
func (u *service) change(change func(*experience.Experience)) {
	u.Helper()
	store, err := u.host.OpenArchive(u.w.Root, "test")
	if err != nil {
		u.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	err = store.UpdateExperience(u.Context(), u.agent.ID, nil, func(e *experience.Experience) error {
		change(e)
		return nil
	})
	if err != nil {
		u.Fatal(err)
	}
}

// chosen returns the first tool of a turn and the reason for choosing it.
func chosen(res TurnResult) (tool, why string) {
	for _, e := range res.Transcript.Events {
		switch {
		case e.Kind == agent.EventModel && why == "":
			why = e.Text
		case e.Kind == agent.EventTool:
			return e.Name, why
		}
	}
	return "", why
}

// TestUseTeachesTheChoiceOfTools uses an archive. It tests that after ten turns in which
// a tool fails, the agent avoids the tool in the domain of these turns and in no other
// domain. It also tests that a domain without history follows all turns, and that without
// the history the choice is as before.
func TestUseTeachesTheChoiceOfTools(t *testing.T) {
	u := inService(t)
	for range 10 {
		u.turn("operations", "")
		u.turn("engineering", u.folder)
	}
	var learned experience.Experience
	u.change(func(e *experience.Experience) { learned = *e })
	if c := learned.History("read_file", "", "operations").In; c.Judged() != 10 || c.Success() != 0 || c.Failures[0].Cause != "there is no working folder" {
		t.Errorf("operations: %+v", c)
	}
	if c := learned.History("read_file", "", "engineering").In; c.Judged() != 10 || c.Success() != 10 {
		t.Errorf("engineering: %+v", c)
	}
	for domain, want := range map[string]string{"operations": "grep", "engineering": "read_file", "marketing": "read_file"} {
		res := u.turn(domain, u.folder)
		tool, why := chosen(res)
		if tool != want || strings.Contains(why, "avoided ×0.3") != (want == "grep") {
			t.Errorf("%s: %s is called first: %s", domain, tool, why)
		}
	}
	u.change(func(e *experience.Experience) { *e = experience.Experience{} })
	if tool, why := chosen(u.turn("operations", u.folder)); tool != "read_file" {
		t.Errorf("without history %s is called first: %s", tool, why)
	}
}
