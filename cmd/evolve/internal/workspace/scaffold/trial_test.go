package scaffold

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
	"evolve/runtime/turn"
)

// trial runs the starter's agent over its suite as the harness would, but with one
// working directory per task for all configs, because the agent only reads.
type trial struct {
	t       testing.TB
	suite   *bench.Suite
	agent   *turn.Agent
	graders *grade.Graders
	work    map[string]laid // by task
}

type laid struct {
	dir   string
	files []string
}

func newTrial(t testing.TB) *trial {
	t.Helper()
	_, suite := laidOut(t)
	bootstrap := map[string]string{}
	for _, name := range []string{"SOUL.md", "GOALS.md"} {
		text, err := fs.ReadFile(asFS(), "agents/clerk/"+name)
		if err != nil {
			t.Fatal(err)
		}
		bootstrap[name] = string(text)
	}
	a, err := turn.New(turn.Options{
		Memories:  readLines[agent.Memory](t, "agents/clerk/memories.jsonl"),
		Bootstrap: bootstrap,
	})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{t: t, suite: suite, agent: a, graders: grade.New(nil, nil), work: map[string]laid{}}
	for i := range suite.Tasks {
		task := &suite.Tasks[i]
		if !task.Fixtures.HasFiles() {
			continue
		}
		dir := filepath.Join(t.TempDir(), "work")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		files, err := bench.LayOut(task, suite.Dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		tr.work[task.ID] = laid{dir, files}
	}
	return tr
}

// run runs one task under one config.
func (tr *trial) run(task *bench.Task, config agent.Config) (agent.Result, bench.Grading) {
	tr.t.Helper()
	req := agent.Request{ID: task.ID, Task: task.ForAgent(), Config: config, Workdir: tr.work[task.ID].dir}
	req.Task.Files = tr.work[task.ID].files
	res := tr.agent.Run(context.Background(), req)
	g, err := tr.graders.Grade(context.Background(), bench.GradeInput{Task: task, Result: res, Workdir: req.Workdir})
	if err != nil {
		tr.t.Fatalf("%s: %v", task.ID, err)
	}
	return res, g
}

// solved lists the tasks that a config solves in full.
func (tr *trial) solved(config agent.Config) map[string]bool {
	tr.t.Helper()
	out := map[string]bool{}
	for i := range tr.suite.Tasks {
		task := &tr.suite.Tasks[i]
		if _, g := tr.run(task, config); g.Pass {
			out[task.ID] = true
		}
	}
	return out
}

// share considers the tasks that the function keep accepts, and returns the share of them
// that is in set.
func (tr *trial) share(set map[string]bool, keep func(*bench.Task) bool) float64 {
	in, all := 0, 0
	for i := range tr.suite.Tasks {
		task := &tr.suite.Tasks[i]
		if !keep(task) {
			continue
		}
		all++
		if set[task.ID] {
			in++
		}
	}
	return float64(in) / float64(all)
}

func everyTask(*bench.Task) bool { return true }

func of(split bench.Split) func(*bench.Task) bool {
	return func(t *bench.Task) bool { return t.Split == split }
}
