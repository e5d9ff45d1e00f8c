package scaffold

import (
	"bytes"
	"os/exec"
	"slices"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
)

func TestKindsLoad(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			root := t.TempDir()
			if _, _, err := workspace.Init(root, kind.Files(), false); err != nil {
				t.Fatal(err)
			}
			builtins := workspace.Builtins{Graders: grade.Rules()}
			if kind.Name == "llm" {
				return // its space is the runtime's own space, which the script init_agent loads
			}
			w, err := workspace.Load(root, builtins)
			if err != nil {
				t.Fatal(err)
			}
			router, ok := w.Agent("router")
			if !ok {
				t.Fatal("there is no agent router")
			}
			if n := len(router.Searched()); n < 3 || n > 5 {
				t.Errorf("%d parameters are searched, not three to five", n)
			}
			tasks := w.Suites["messages"].Tasks
			held := 0
			for i := range tasks {
				if tasks[i].Split == bench.Holdout {
					held++
				}
			}
			if len(tasks) != 20 || held != 10 {
				t.Errorf("%d tasks, %d of them held out", len(tasks), held)
			}
			if twins := bench.DeclareDuplicates(slices.Clone(tasks)); twins.Groups > 0 {
				t.Errorf("tasks resemble one another: %+v", twins)
			}
		})
	}
}

func TestKindInGoIsFormatted(t *testing.T) {
	gofmt, err := exec.LookPath("gofmt")
	if err != nil {
		t.Skip("there is no gofmt")
	}
	for _, kind := range Kinds() {
		source := kind.Files()["agents/router/main.go"]
		if source == nil {
			continue
		}
		cmd := exec.Command(gofmt)
		cmd.Stdin = bytes.NewReader(source)
		if out, err := cmd.Output(); err != nil || !bytes.Equal(out, source) {
			t.Errorf("main.go is not formatted: %v", err)
		}
	}
}
