package wire

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// loadLanguage loads an agent that uses the language model with the given name. files are
// further files in its folder, and agentYAML holds further lines of its agent.yaml.
func loadLanguage(t *testing.T, model, agentYAML string, files map[string]string) *workspace.Agent {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"evolve.yaml":             "providers: {lm: {kind: openai, base_url: \"http://127.0.0.1:1/v1\"}}\nroutes: {default: {provider: lm, model: " + model + "}}\n",
		"suites/words.jsonl":      `{"id":"a","domain":"operations","goal":"Write a","answer":"A"}` + "\n" + `{"id":"b","domain":"operations","goal":"Write b","answer":"B"}` + "\n",
		"agents/clerk/agent.yaml": "id: clerk\nadapter: {kind: builtin, model: default}\nsuites: [words]\n" + agentYAML,
	}
	for name, text := range files {
		all["agents/clerk/"+name] = text
	}
	for name, text := range all {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := w.Agent("clerk")
	return a
}

// TestOldChampionOfALanguageModel tests that champion files and archived configs are
// still valid if they were made before language models had a space of their own. Such
// configs may contain the directives of the heuristic, its weights, and a selection that
// names essential tools.
func TestOldChampionOfALanguageModel(t *testing.T) {
	old := map[string]string{
		"config.yaml": "tools.selection: [read_file, grep, repo_index]\ntools.pattern_weight: 0.3\ntools.performance_weight: 0.98\n" +
			"delegate.below: 0.945\ntemperature.operations: 0.7\n",
		"STRATEGY.md": "be strict\nnever self_evaluate\nwhen unsure: guess\nanswer: number only in engineering\nWrite in capital letters.\n",
	}
	for name, lines := range map[string]string{
		"everything is searched": "",
		"named parameters":       "space: {strategy: {}, temperature.operations: {max: 0.8}}\n",
		"a range of old members": "space: {tools.selection: {of: [grep, repo_index, file_summary]}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := loadLanguage(t, "small", lines, old)
			if got, _ := a.Champion.List("tools.selection"); !slices.Equal(got, []string{"repo_index"}) {
				t.Errorf("selection %v", got)
			}
			if got := a.Champion.String("strategy"); got != "be strict\nnever self_evaluate\nwhen unsure: guess\nanswer: number only in engineering\nWrite in capital letters." {
				t.Errorf("strategy %q", got)
			}
			if a.Champion["temperature.operations"] != .7 || a.Champion["answer.form"] != "free" {
				t.Errorf("champion %s", a.Champion.Canonical())
			}
			archived := agent.Config{"tools.selection": []string{"grep", "repo_index"}, "strategy": a.Champion.String("strategy"), "temperature.operations": .7}
			c, problems := a.Read(archived)
			if list, _ := c.List("tools.selection"); len(problems) > 0 || !slices.Equal(list, []string{"repo_index"}) {
				t.Errorf("an archived config is read as %v, %v", c, problems)
			}
		})
	}
}

// TestRouteTemperature tests that the temperature of tasks without a domain starts at the
// temperature of the agent's route.
func TestRouteTemperature(t *testing.T) {
	for of, want := range map[string]any{"small": .2, "small, temperature: 0": 0., "small, temperature: 1.5": 1.5} {
		if got := loadLanguage(t, of, "", nil).Champion["temperature"]; got != want {
			t.Errorf("{model: %s}: %v", of, got)
		}
	}
}

// TestLanguageSpace tests which parameters are searched with a language model, on tasks
// that have no parts, turns or memories.
func TestLanguageSpace(t *testing.T) {
	plain := []string{
		"tools.selection", "loop.max_iterations", "loop.self_check", "temperature.operations", "tools.expire_turns",
		"strategy", "demonstrations", "answer.form", "answer.retries",
	}
	recall := []string{"recall.min_score", "recall.max_memories", "recall.mmr_lambda", "recall.token_budget"}
	for name, c := range map[string]struct {
		lines, model string
		want         []string
	}{
		"all tools":         {"", "small", plain},
		"it may remember":   {"allow: [memory_add]\n", "small", append(recall, plain...)},
		"no temperature":    {"", "gpt-5-mini", slices.Concat(plain[:3], plain[4:])},
		"essential tools":   {"tools: [calculate, enable_tool]\n", "small", append([]string{"loop.max_iterations", "loop.self_check", "temperature.operations"}, plain[5:]...)},
		"domains of others": {"domains: {sea: [harbour]}\n", "small", slices.Concat(plain[:3], plain[4:6], []string{"temperature"}, plain[6:])},
		"no tools":          {"tools: []\n", "small", append([]string{"loop.max_iterations", "loop.self_check", "temperature.operations"}, plain[5:]...)},
		"no enabling tool":  {"tools: [calculate, repo_index]\n", "small", append([]string{"tools.selection", "loop.max_iterations", "loop.self_check", "temperature.operations"}, plain[5:]...)},
	} {
		t.Run(name, func(t *testing.T) {
			a := loadLanguage(t, c.model, c.lines, nil)
			var open []string
			for _, p := range a.Space.Params {
				if (p.Kind != agent.Choice || len(p.Values) > 1) && (p.Kind != agent.Subset || p.MinItems < len(p.Of)) {
					open = append(open, p.Name)
				}
			}
			if diff := cmp.Diff(c.want, open); diff != "" {
				t.Errorf("%s\n%s", diff, a.LeftAlone())
			}
			if why := a.NotSearched("strategy"); !strings.Contains(why, "search.reflect") || slices.Contains(a.Searched(), "strategy") {
				t.Errorf("the strategy, which nothing writes, is not searched: %q", why)
			}
			if p, _ := a.Space.Lookup("strategy"); len(p.Lines) > 0 {
				t.Errorf("%d lines of the heuristic are offered to a language model", len(p.Lines))
			}
		})
	}
}
