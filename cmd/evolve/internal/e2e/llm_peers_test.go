//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestModelPeers compares nights with other tools that improve prompts. All use the same
// server, tasks and reply length, and each tool may make as many model calls as the night
// with the same seed made, including its confirmation. Each result is measured on outside
// tasks. The test prints a table and asserts nothing about the order. EVOLVE_LLM_SEEDS is
// the number of seeds for each tool, 3 by default, and EVOLVE_LLM_EVALS is the budget of a
// night in evaluations.
func TestModelPeers(t *testing.T) {
	python := os.Getenv("EVOLVE_LLM_PYTHON")
	if os.Getenv("EVOLVE_LLM_PEERS") == "" || python == "" {
		t.Skip("no comparison: make bench-llm runs it")
	}
	url, seeds, most := modelURL(t), number(t, "EVOLVE_LLM_SEEDS", 3), number(t, "EVOLVE_LLM_EVALS", evaluations)
	for _, one := range choices {
		t.Run(one.name, func(t *testing.T) {
			c, l := one.set(t), listen(t, url)
			fmt.Printf("\n%s: %d search, %d holdout and %d outside tasks, replies of at most %d tokens\n",
				c.name, len(c.search), len(c.holdout), len(c.outside), replyTokens)
			fmt.Printf(row, "tool", "seed", "calls", "claimed", "true", "claim against truth")
			var all table
			for seed := 1; seed <= seeds; seed++ {
				n := c.night(t, l, most, seed)
				t.Logf("%s\n%s", n, n.report)
				if seed == 1 {
					fmt.Printf(row, "the first prompt", "", "0", "", fmt.Sprintf("%.3f", n.champion.mean), "")
				}
				all.add("evolve", seed, n.measured())
				for _, tool := range tools {
					m, err := c.peer(t, l, python, tool.arg, n.calls, seed)
					if err != nil {
						fmt.Printf("%-20s %4d  absent: %v\n", tool.name, seed, err)
						continue
					}
					all.add(tool.name, seed, m)
				}
			}
			all.summary()
		})
	}
}

// number returns the positive number in an environment variable.
func number(t *testing.T, name string, preset int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return preset
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, not a positive number", name, text)
	}
	return n
}

// tools lists the tools to compare with, each with its argument to peers.py.
var tools = []struct{ arg, name string }{{"bootstrap", "DSPy random search"}, {"mipro", "DSPy MIPROv2"}, {"gepa", "GEPA"}}

const row = "%-20s %4s %6s %26s %6s  %s\n"

// measured is a row of the table.
type measured struct {
	calls   int
	claimed string
	truth   float64
	// against describes how the claim compares with the truth: whether a claimed interval
	// contains it, or by how much a claimed score exceeds it. excess is that amount, and
	// misses counts the intervals that do not contain the truth.
	against string
	excess  float64
	misses  int
}

// measured returns the night's row. Its claim is the gain over the first prompt.
func (n night) measured() measured {
	m := measured{calls: n.calls, truth: n.candidate.mean, claimed: "none", against: "nothing was confirmed"}
	h := n.outcome.Agents[0].Holdout
	if h == nil {
		return m
	}
	gain, slack := n.gain()
	m.claimed = fmt.Sprintf("%+.3f, %+.3f to %+.3f", h.Difference, h.Interval[0], h.Interval[1])
	m.against = fmt.Sprintf("holds the gain of %+.3f ± %.3f", gain, slack)
	if !n.holds() {
		m.against, m.misses = fmt.Sprintf("misses the gain of %+.3f ± %.3f", gain, slack), 1
	}
	return m
}

// table holds the rows of all seeds by tool. The tools are in the order of their first
// rows.
type table struct {
	names []string
	rows  map[string][]measured
}

// add prints a row and stores it.
func (a *table) add(name string, seed int, m measured) {
	fmt.Printf(row, name, fmt.Sprint(seed), fmt.Sprint(m.calls), m.claimed, fmt.Sprintf("%.3f", m.truth), m.against)
	if a.rows == nil {
		a.rows = map[string][]measured{}
	}
	if a.rows[name] == nil {
		a.names = append(a.names, name)
	}
	a.rows[name] = append(a.rows[name], m)
}

// summary prints the means for each tool.
func (a *table) summary() {
	for _, name := range a.names {
		calls, truth, excess, misses := 0., 0., 0., 0
		for _, m := range a.rows[name] {
			calls, truth, excess, misses = calls+float64(m.calls), truth+m.truth, excess+m.excess, misses+m.misses
		}
		n := float64(len(a.rows[name]))
		against := fmt.Sprintf("claims exceed the truth by %+.3f", excess/n)
		if name == "evolve" {
			against = fmt.Sprintf("%d of %.0f intervals miss the gain", misses, n)
		}
		fmt.Printf(row, name, "mean", fmt.Sprintf("%.0f", calls/n), "", fmt.Sprintf("%.3f", truth/n), against)
	}
}

// peer runs one tool.
func (c choice) peer(t *testing.T, l *listener, python, tool string, calls, seed int) (measured, error) {
	t.Helper()
	given, err := json.Marshal(map[string]any{
		"question": c.question, "labels": c.labels(), "search": c.search, "holdout": c.holdout, "outside": c.outside,
		"calls": calls, "tokens": replyTokens, "seed": seed, "url": l.URL,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tasks.json")
	if err := os.WriteFile(file, given, 0o600); err != nil {
		t.Fatal(err)
	}
	claimed, truth, err := runPeer(t, python, tool, file)
	return measured{
		calls: len(l.exchanges(fmt.Sprintf("%s-%d", tool, seed))), claimed: fmt.Sprintf("%.3f", claimed), truth: truth,
		against: fmt.Sprintf("exceeds the truth by %+.3f", claimed-truth), excess: claimed - truth,
	}, err
}

// labels returns the labels in the order of the tasks.
func (c choice) labels() []string {
	var all []string
	seen := map[string]bool{}
	for _, l := range c.search {
		if !seen[l.Label] {
			all = append(all, l.Label)
		}
		seen[l.Label] = true
	}
	return all
}

// runPeer runs one tool. The last line of its output has the scores. If it fails, the last
// line of its error output is the reason why it has no scores.
func runPeer(t *testing.T, python, tool, file string) (claimed, score float64, err error) {
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
