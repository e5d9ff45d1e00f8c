package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelHash checks that the hash changes with everything that could change an answer
// of an agent, and with nothing else.
func TestModelHash(t *testing.T) {
	const service = "id: service\nadapter: {kind: http, url: https://a.example/run}\nsuites: [tasks]\n"
	base := map[string]string{
		"evolve.yaml":               fullSettings,
		"recordings/night.yaml":     "a: 1\n",
		"agents/helper/agent.yaml":  goodBuilt + "mcp: [search]\n",
		"agents/thinker/agent.yaml": strings.NewReplacer("helper", "thinker", "heuristic", "default").Replace(goodBuilt),
		"agents/service/agent.yaml": service,
	}
	hashes := func(files map[string]string) map[string]string {
		t.Helper()
		w, err := Load(build(t, spoil(files)), testBuiltins())
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for i := range w.Agents {
			out[w.Agents[i].ID] = w.ModelHash(&w.Agents[i])
		}
		return out
	}
	before := hashes(base)
	for _, c := range []struct {
		name, file, old, new string
		// changed lists the agents whose hash changes.
		changed string
	}{
		{"nothing", "evolve.yaml", "version: 1", "version: 1", ""},
		{"a budget of runs", "evolve.yaml", "evaluations: 10,", "evaluations: 11,", ""},
		{"the name of a key's variable", "evolve.yaml", "key_env: OPENAI_API_KEY", "key_env: OTHER_KEY", ""},
		{"where a provider is recorded", "evolve.yaml", ", record: recordings/night.yaml", "", ""},
		{"the header of a server", "evolve.yaml", "DOCS_AUTH", "DOCS_AUTH_2", ""},
		{"an unused server", "evolve.yaml", "lookup: read", "lookup: write", ""},
		{"a price", "evolve.yaml", "output: 1.5", "output: 2", ""},
		{"a temperature", "evolve.yaml", "temperature: 0.2", "temperature: 0.3", "thinker"},
		{"a model", "evolve.yaml", "claude-sonnet-5", "claude-opus-5", "thinker"},
		{"the length of answers", "evolve.yaml", "max_tokens: 2000,", "max_tokens: 2001,", "thinker"},
		{"the context of a model", "evolve.yaml", "context: 400000}", "context: 400001}", "thinker"},
		{"where a provider answers", "evolve.yaml", "https://api.openai.com/v1/", "https://eu.api.openai.com/v1", "thinker"},
		{"where one that stands in answers", "evolve.yaml", "localhost:11434", "localhost:11435", "thinker"},
		{"what a replay answers", "recordings/night.yaml", "a: 1", "a: 2", "thinker"},
		{"the agent's route", "agents/thinker/agent.yaml", "model: default", "model: code", "thinker"},
		{"the agent's server", "evolve.yaml", "find: read", "find: write", "helper"},
		{"the program of the agent's server", "evolve.yaml", "some-server", "other-server", "helper"},
		{"the agent's servers", "agents/helper/agent.yaml", "[search]", "[search, docs]", "helper"},
		{"the address of a service", "agents/service/agent.yaml", "/run", "/walk", "service"},
		{"a pattern", "evolve.yaml", "internal use only", "internal only", "helper service solver thinker"},
		{"a policy", "evolve.yaml", "deadline: 10s", "deadline: 11s", "helper service solver thinker"},
	} {
		files := map[string]string{}
		for name, content := range base {
			files[name] = content
		}
		if !strings.Contains(files[c.file], c.old) {
			t.Fatalf("%s: %q is not in %s", c.name, c.old, c.file)
		}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		var changed []string
		after := hashes(files)
		for _, id := range SortedNames(after) {
			if after[id] != before[id] {
				changed = append(changed, id)
			}
		}
		if got := strings.Join(changed, " "); got != c.changed {
			t.Errorf("%s changes %q, want %q", c.name, got, c.changed)
		}
	}
}

// TestModelHashWithoutRecording checks that a recording that does not exist yet counts as
// no recording.
func TestModelHashWithoutRecording(t *testing.T) {
	root := build(t, spoil(map[string]string{
		"evolve.yaml":               "providers: {tape: {kind: replay, recording: r/n.yaml, of: openai}}\nroutes: {default: {provider: tape, model: m}}\n",
		"agents/thinker/agent.yaml": strings.NewReplacer("helper", "thinker", "heuristic", "default").Replace(goodBuilt),
	}))
	w, err := Load(root, testBuiltins())
	if err != nil {
		t.Fatal(err)
	}
	a, _ := w.Agent("thinker")
	before := w.ModelHash(a)
	if err := os.MkdirAll(filepath.Join(root, "r"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "r", "n.yaml"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w.ModelHash(a) == before {
		t.Error("a recording made no difference")
	}
}
