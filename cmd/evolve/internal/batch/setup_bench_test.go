package batch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/command"
	"evolve/runtime/sandbox"
)

// setUps is an environment variable. If it is set when the benchmark's own binary is
// started again, the binary acts as a program that takes time to set up each config. The
// variable names a folder with a file for each program, to which the program adds a byte
// for each set-up.
const setUps = "EVOLVE_SET_UPS"

// TestSettingUp is a part of BenchmarkSetUp, not a separate test.
func TestSettingUp(t *testing.T) {
	dir := os.Getenv(setUps)
	if dir == "" {
		t.Skip("only for BenchmarkSetUp")
	}
	count, err := os.CreateTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var last agent.ConfigID
	toy := toyAgent(200)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var r struct {
			ID     string
			Task   agent.Task
			Config agent.Config
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if id := r.Config.ID(); id != last {
			last = id
			if _, err := count.WriteString("."); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
		res := toy(t.Context(), agent.Request{Task: r.Task, Config: r.Config})
		out, err := json.Marshal(map[string]any{"id": r.ID, "answer": res.Answer})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(out))
	}
}

// BenchmarkSetUp makes 1,000 evaluations with eight programs that take 100 ms to set up a
// config and then 10 ms to answer a task. If only one trial for each program is asked for
// ahead, the trials run in the searcher's order. If more trials are asked for ahead, the
// trials of a config go to the program that has the config set up. For an agent whose
// answers vary, twice as many trials are asked for as there are programs. The bound is
// the rate of programs that have nothing to set up.
func BenchmarkSetUp(b *testing.B) {
	const evaluations, programs = 1_000, 8
	for _, c := range []struct {
		name      string
		lookahead int
		ordered   bool
	}{{"varies", 32, false}, {"lookahead=8", programs, true}, {"lookahead=32", 32, true}, {"lookahead=64", 64, true}} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				a, err := command.New(command.Options{
					Argv: []string{os.Args[0], "-test.run", "^TestSettingUp$"}, Dir: dir, Protocol: command.JSONL, Pool: programs, Timeout: 20 * time.Second,
					Sandbox: sandbox.None("a benchmark of its own program"), Env: append(os.Environ(), setUps+"="+dir), Scrub: func(s string) string { return s },
				})
				if err != nil {
					b.Fatal(err)
				}
				spendAhead(b, a, evaluations, programs, c.lookahead, c.ordered, nil)
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				b.Fatal(err)
			}
			total := int64(0)
			for _, f := range files {
				info, err := os.Stat(f)
				if err != nil {
					b.Fatal(err)
				}
				total += info.Size()
			}
			b.ReportMetric(float64(total)/float64(b.N)/evaluations, "set-ups/eval")
			b.ReportMetric(evaluations*float64(b.N)/b.Elapsed().Seconds(), "evals/s")
			b.ReportMetric(programs/.01, "bound-evals/s")
		})
	}
}
