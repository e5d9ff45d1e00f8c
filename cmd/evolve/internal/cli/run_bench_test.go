package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pythonAgent is an agent that answers at once. It can only read and write lines.
const pythonAgent = `import json, sys
for line in sys.stdin:
    r = json.loads(line)
    a = "yes" if r["config"]["reach"] > r["task"]["input"] / 200 else "no"
    sys.stdout.write(json.dumps({"id": r["id"], "answer": a}) + "\n")
    sys.stdout.flush()
`

// BenchmarkCommandAgent measures the whole path of an evaluation, including its storage,
// through one pool of two sandboxed programs. The bound is 3,000 evaluations a second on
// two cores. For comparison, it also reports what promptfoo 0.123 stored on the same kind
// of machine.
func BenchmarkCommandAgent(b *testing.B) {
	if _, err := exec.LookPath("python3"); err != nil {
		b.Skip("python3 is not installed")
	}
	const evaluations = 10_000
	var took time.Duration
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		var tasks strings.Builder
		for k := range 200 {
			fmt.Fprintf(&tasks, "{\"id\":\"t%d\",\"cluster\":\"t%[1]d\",\"goal\":\"say yes\",\"input\":%[1]d,\"answer\":\"yes\"}\n", k)
		}
		for name, text := range map[string]string{
			"evolve.yaml": "search: {concurrency: 32}\n", "agents/a/agent.py": pythonAgent, "suites/s.jsonl": tasks.String(),
			"agents/a/agent.yaml": "id: a\nadapter: {kind: command, argv: [python3, agent.py], protocol: jsonl, pool: 2}\nsuites: [s]\n" +
				"space:\n  reach: {type: float, min: 0, max: 1, default: 0.2}\n",
		} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		start := time.Now()
		var got runOutcome
		out := evolve(b, dir, "run", "--stages", "search", "--budget-evals", fmt.Sprint(evaluations), "--json", "--quiet")
		took += time.Since(start)
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Agents[0].Search.Evaluations != evaluations {
			b.Fatalf("%v, %+v", err, got)
		}
	}
	b.ReportMetric(evaluations*float64(b.N)/took.Seconds(), "evals/s")
	b.ReportMetric(3_000, "bound-evals/s")
	b.ReportMetric(176, "promptfoo-evals/s")
}
