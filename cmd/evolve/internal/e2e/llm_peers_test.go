//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelPeers compares a night with other tools that improve prompts: the same server
// and tasks, the model calls of the night, and the true score on outside tasks. It prints
// a table and asserts nothing of the order: one night is one sample.
func TestModelPeers(t *testing.T) {
	python := os.Getenv("EVOLVE_LLM_PYTHON")
	if os.Getenv("EVOLVE_LLM_PEERS") == "" || python == "" {
		t.Skip("no comparison: make bench-llm runs it")
	}
	url := modelURL(t)
	for name, set := range map[string]func(*testing.T) choice{"reviews": reviews, "intents": intents} {
		t.Run(name, func(t *testing.T) {
			c, l := set(t), listen(t, url)
			n := c.night(t, l, peerEvaluations)
			t.Logf("%s\n%s", n, n.report)
			table := c.peers(t, l, python, n)
			fmt.Printf("\n%s: %d search, %d holdout and %d outside tasks\n%s", name, len(c.search), len(c.holdout), len(c.outside), table)
		})
	}
}

// peerEvaluations is the budget of a night beside its peers.
const peerEvaluations = 400

const row = "%-22s %6s %8s %18s %8s\n"

// peers runs each tool and returns the table.
func (c choice) peers(t *testing.T, l *listener, python string, n night) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, row, "tool", "calls", "claimed", "interval", "true")
	fmt.Fprintf(&b, row, "the first prompt", "0", "", "", fmt.Sprintf("%.3f", n.champion.mean))
	claimed, interval := fmt.Sprintf("%.3f", n.outcome.Agents[0].Search.Recommended.Score), "none"
	if h := n.outcome.Agents[0].Holdout; h != nil {
		claimed, interval = fmt.Sprintf("%+.3f", h.Difference), fmt.Sprintf("%+.3f to %+.3f", h.Interval[0], h.Interval[1])
	}
	fmt.Fprintf(&b, row, "evolve", fmt.Sprint(n.calls), claimed, interval, fmt.Sprintf("%.3f", n.candidate.mean))
	given, err := json.Marshal(map[string]any{
		"question": c.question, "labels": c.labels(), "search": c.search, "holdout": c.holdout, "outside": c.outside,
		"calls": n.calls, "url": l.URL,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tasks.json")
	if err := os.WriteFile(file, given, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []struct{ arg, name string }{
		{"bootstrap", "DSPy random search"}, {"mipro", "DSPy MIPROv2"}, {"gepa", "GEPA"},
	} {
		claimed, score, err := peer(t, python, tool.arg, file)
		if err != nil {
			fmt.Fprintf(&b, "%-22s absent: %v\n", tool.name, err)
			continue
		}
		fmt.Fprintf(&b, row, tool.name, fmt.Sprint(len(l.exchanges(tool.arg))), fmt.Sprintf("%.3f", claimed), "none", fmt.Sprintf("%.3f", score))
	}
	return b.String()
}

func (c choice) labels() []string {
	var all []string
	for _, l := range c.search {
		if len(all) == 0 || l.Label != all[0] {
			all = append(all, l.Label)
		}
		if len(all) == 2 {
			break
		}
	}
	return all
}

// peer runs one tool. Its last line of output has the scores; the last line of a failure
// is the reason for its absence.
func peer(t *testing.T, python, tool, file string) (claimed, score float64, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "..", "..", ".ci", "llm", "peers.py"), tool, file)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, lastLine(wrong.String()))
	}
	var got struct{ Claimed, True float64 }
	if err := json.Unmarshal([]byte(lastLine(out.String())), &got); err != nil {
		return 0, 0, fmt.Errorf("no scores in %q: %w", lastLine(out.String()), err)
	}
	return got.Claimed, got.True, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
