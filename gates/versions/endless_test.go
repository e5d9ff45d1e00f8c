package versions

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/gates/measure"
	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// TestEndless checks that Python blocks that never end, or that allocate, write or start
// processes without end, are stopped by the sandbox limits and get no score, both in the
// test and in the scoring command.
func TestEndless(t *testing.T) {
	t.Parallel()
	walls := sandbox.Detect(context.Background())
	if err := walls.Err(); err != nil || walls.Layers() != nil {
		t.Skip("without namespaces nothing bounds the memory")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	const source = "import os\n# evolve:begin rank\ndef rank(n):\n    return n\n# evolve:end\n"
	for _, command := range []string{"test", "score"} {
		tree, folder := t.TempDir(), t.TempDir()
		for name, text := range map[string]string{
			"rank.py":  source,
			"test.py":  "import sys\nif sys.argv[1:] == ['test']:\n    from rank import rank\n    assert rank(3) < 100\n",
			"score.py": "import json, sys\nfrom rank import rank\nfor c in sys.argv[1:] or ['c1', 'c2']:\n    print(json.dumps({'case': c, 'metric': 'error', 'value': 1 + rank(int(c[1:])), 'better': 'lower'}))\n",
		} {
			if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := &measure.Program{
			Runner: &measure.Runner{Sandbox: walls, Folder: folder, Cache: filepath.Join(folder, "cache")}, Tree: tree,
			Test: []string{"python3", "-B", "test.py", command}, Score: []string{"python3", "-B", "score.py"},
		}
		a, _ := open(t, p, map[string][]byte{"rank.py": []byte(source)})
		p.Memory = 200 << 20
		for _, c := range []struct {
			body, want string
			outcome    agent.Outcome
		}{
			{"while True: pass", "did not finish in time", agent.Timeout},
			{"x = []\n    while True: x.append(b'x' * (1 << 20))", "over its memory", agent.Execution},
			{"f = open('/tmp/x', 'wb')\n    while True: f.write(b'x' * (1 << 20))", "over its memory", agent.Execution},
			{"children = [os.fork() for _ in range(20)]\n    while True: pass", "did not finish in time", agent.Timeout},
			{"return rank(n)", "python3 ended with exit code 1", agent.Execution},
			{"while True: print('x' * (1 << 20))", "python3 printed too much: more than 4 MiB", agent.Execution},
		} {
			p.MakeTime, p.RunTime = time.Minute, time.Minute
			if c.outcome == agent.Timeout {
				p.MakeTime, p.RunTime = time.Second, time.Second
			}
			r := a.Run(t.Context(), agent.Request{
				Config: agent.Config{"rank": "def rank(n):\n    " + c.body + "\n"}, Task: agent.Task{Input: json.RawMessage(`{"case":"c1"}`)},
			})
			if r.Outcome != c.outcome || r.Score != nil || !strings.Contains(r.Error, c.want) {
				t.Errorf("%s, %s: %+v, want %s because %q", command, c.body, r, c.outcome, c.want)
			}
		}
	}
}
