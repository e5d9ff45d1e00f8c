package scaffold

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

func TestTheWorkspaceLoads(t *testing.T) {
	root := t.TempDir()
	if _, _, err := workspace.Init(root, Files(), false); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Load(root, workspace.Builtins{
		Space: func(_ string, domains, _, _ []string, _ []workspace.Model) agent.Space {
			if domains == nil {
				domains = []string{"engineering", "marketing", "operations", "research"}
			}
			return turn.DefaultSpace(domains, toolNames(), nil)
		},
		Tools:   toolNames(),
		Graders: grade.Rules(),
	})
	if err != nil {
		t.Fatal(err)
	}
	clerk, ok := w.Agent("clerk")
	if !ok {
		t.Fatal("there is no agent clerk")
	}
	if !clerk.Champion.Equal(clerk.Space.Default()) {
		t.Errorf("the champion is %s, not the default", clerk.Champion.Canonical())
	}
	if !clerk.Deterministic || clerk.UsesSeed {
		t.Error("the agent must be deterministic and ignore the seed")
	}
	if got, want := len(w.Suites["starter"].Tasks), len(suiteTasks(t)); got != want {
		t.Errorf("%d tasks were loaded of %d", got, want)
	}
	if got, want := len(clerk.Memories), len(agentMemories(t)); got != want {
		t.Errorf("%d memories were loaded of %d", got, want)
	}
}

func toolNames() []string {
	var names []string
	for _, t := range tool.Builtin() {
		names = append(names, t.Spec().Name)
	}
	return names
}

// TestNoToolActs checks that no tool has an effect, which is why a referral is the right
// outcome of tasks that demand an action.
func TestNoToolActs(t *testing.T) {
	for _, b := range tool.Builtin() {
		if s := b.Spec(); s.Effect != tool.Read {
			t.Errorf("%s has the effect %s: tasks that end in a referral might be done with it", s.Name, s.Effect)
		}
	}
}

func TestTheRepositoryAmongTheFixturesIsSound(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	root, _ := laidOut(t)
	for _, arg := range []string{"vet", "test"} {
		cmd := exec.Command(goTool, arg, "./...")
		cmd.Dir = filepath.Join(root, "suites", "fixtures", "gauge")
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", arg, err, bytes.TrimSpace(out))
		}
	}
}
