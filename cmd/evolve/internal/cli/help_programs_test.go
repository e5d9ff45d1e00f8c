package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// layOut writes files into a folder. A chapter shows a file as its name on a separate line
// with an indented block below it. If the content of a file is given, it replaces that
// block.
func layOut(t *testing.T, dir, page string, names []string, given map[string]string) {
	t.Helper()
	for _, name := range names {
		content := given[name]
		if _, rest, ok := strings.Cut(page, "\n`"+name+"`\n\n"); ok && content == "" {
			content = indentedBlocks(rest)[0]
		}
		if content == "" {
			t.Fatalf("the chapter does not show %s", name)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGraderExample runs the complete examples of grading programs as the chapter shows
// them.
func TestGraderExample(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the example's grader needs python3")
	}
	dir := t.TempDir()
	layOut(t, dir, chapterText(t, "suites"), []string{
		"evolve.yaml", "agents/clerk/agent.yaml", "agents/clerk/clerk.py", "suites/primes.jsonl", "suites/primes.py",
		"suites/primes2.jsonl", "suites/primes2.py",
	}, map[string]string{
		"evolve.yaml":             "budget: {evaluations: 10}\n",
		"agents/clerk/agent.yaml": "id: clerk\nadapter: {kind: command, argv: [python3, clerk.py], protocol: once, timeout: 20s}\nsuites: [primes, primes2]\ndeterministic: true\nuses_seed: false\nspace:\n  n: {type: int, min: 1, max: 2, default: 1}\n",
		"agents/clerk/clerk.py":   "import json, sys\nr = json.loads(sys.stdin.readline())\nprint(json.dumps({'id': r['id'], 'answer': '11, 13 and 15' if '10' in r['task']['goal'] else '41, 43, 47'}))\n",
	})
	evolve(t, dir, "bench", "validate")
	for task, want := range map[string]string{
		"primes-1": "2 right, 1 wrong", "primes-2": "3 right, 0 wrong", "primes-3": "2 right, 1 wrong", "primes-4": "3 right, 0 wrong",
	} {
		if out := evolve(t, dir, "agent", "run", "--task", task); !strings.Contains(out, want) {
			t.Errorf("%s is not graded %q:\n%s", task, want, out)
		}
	}
}

// TestAgentExample types the commands for the complete agent in the chapter, in both
// languages, and checks that the better value of the agent's parameter is correct.
func TestAgentExample(t *testing.T) {
	t.Parallel()
	page := chapterText(t, "agents")
	_, section, ok := strings.Cut(page, "\n## A complete agent\n")
	if !ok {
		t.Fatal("the chapter has no complete agent")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for program, file := range map[string]string{"python3": "agent.py", "node": "agent.js"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(program); err != nil {
				t.Skip(program + " is not on this machine")
			}
			dir := t.TempDir()
			layOut(t, dir, section, []string{"evolve.yaml", "suites/miles.jsonl", "agents/miles/agent.yaml", "agents/miles/" + file}, nil)
			settings := filepath.Join(dir, "agents/miles/agent.yaml")
			change := func(old, replacement string) {
				data, err := os.ReadFile(settings)
				if err != nil || !strings.Contains(string(data), old) {
					t.Fatalf("agent.yaml has no %q: %v", old, err)
				}
				if err := os.WriteFile(settings, []byte(strings.ReplaceAll(string(data), old, replacement)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			change("[python3, agent.py]", "["+program+", "+file+"]")
			out := ""
			for line := range strings.Lines(section) {
				if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ evolve "); ok {
					out = evolve(t, dir, strings.Fields(command)...)
				}
			}
			if !strings.Contains(out, "answer     3.1\n") || !strings.Contains(out, "score      .000\n") {
				t.Errorf("the last command prints:\n%s", out)
			}
			change("default: 1}", "default: 2}")
			if out := evolve(t, dir, "agent", "run", "--task", "m1"); !strings.Contains(out, "answer     3.11\n") || !strings.Contains(out, "score      1.000\n") {
				t.Errorf("with two digits it prints:\n%s", out)
			}
		})
	}
}
