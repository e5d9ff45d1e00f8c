//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"evolve/runtime/agent"
)

// TestRecordedModel runs a search over the form of the answer with replies recorded from
// a real language model. With EVOLVE_LLM_RECORD=1 it records new replies from
// EVOLVE_LLM_URL; this is necessary when the text of a prompt changes. The recording
// covers both configs on each of the twelve tasks, so the search may ask in any order.
func TestRecordedModel(t *testing.T) {
	const settings = `routes:
  default: {provider: local, model: smollm2, temperature: 0, max_tokens: 16, context: 2048}
guards: {cost: off, latency: off}
providers:
`
	recording, err := filepath.Abs(filepath.Join("testdata", "llm", "recording.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := reviews(t)
	p := c.workspace(t, settings+"  local: {kind: replay, of: openai, recording: recording.yaml}\n")
	if os.Getenv("EVOLVE_LLM_RECORD") != "" {
		p.write("evolve.yaml", settings+"  local: {kind: openai, base_url: "+modelURL(t)+", record: recording.yaml}\n")
	} else {
		tape, err := os.ReadFile(recording)
		if err != nil {
			t.Fatal(err)
		}
		p.write("recording.yaml", string(tape))
	}
	var shown []agent.Demonstration
	for _, l := range c.search[:4] {
		shown = append(shown, agent.Demonstration{Task: c.question + l.Text, Answer: l.Label})
	}
	demonstrations, err := json.Marshal(agent.FormatDemonstrations(shown))
	if err != nil {
		t.Fatal(err)
	}
	config := "loop.max_iterations: 1\nanswer.retries: 0\ndemonstrations: " + string(demonstrations) + "\nanswer.form: "
	p.write("agents/clerk/config.yaml", config+"free\n")
	p.write("agents/clerk/agent.yaml", `id: clerk
adapter: {kind: builtin, model: default}
deterministic: true
uses_seed: false
suites: [inside]
space:
  answer.form: {values: [free, line]}
`)
	p.write("suites/inside.jsonl", c.suite("search", c.search[4:16]))
	if os.Getenv("EVOLVE_LLM_RECORD") != "" {
		for _, form := range []string{"free", "line"} {
			p.write("agents/clerk/config.yaml", config+form+"\n")
			p.do(0, "bench", "run", "clerk", "--workspace", p.root)
		}
		tape, err := os.ReadFile(filepath.Join(p.root, "recording.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recording, tape, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	o := decodeOutcome(t, p.do(0, "run", "--workspace", p.root, "--json", "--seed", "1", "--stages", "search", "--budget-evals", "60"))
	if s := o.Agents[0].Search; s.Evaluations < 12 || s.Recommended.Score < .5 {
		t.Errorf("the search made %d evaluations and expects a score of %.3f", s.Evaluations, s.Recommended.Score)
	}
}
