package gates

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/authored"
	"evolve/runtime/skill"
)

func written() WrittenChange {
	answer := "the quick brown fox jumps over the lazy dog"
	return WrittenChange{
		Measured: map[string]string{"x": "1"}, Now: map[string]string{"x": "1"}, Bytes: 600, Parts: 2,
		Answers: bench.IndexAnswers([]bench.Task{{ID: "t1", Answer: &answer}}), Rehearse: func() error { return nil },
	}
}

func definition() authored.Definition {
	return authored.Definition{
		Name: "doubled", Description: "doubles a number", Schema: json.RawMessage(`{"type":"object"}`), Source: "def run(args):\n  return args[\"n\"] * 2\n",
		Tests: []authored.Test{
			{Name: "two", Args: json.RawMessage(`{"n":1}`), Want: json.RawMessage(`2`)},
			{Name: "four", Args: json.RawMessage(`{"n":2}`), Want: json.RawMessage(`4`)},
		},
	}
}

func passing(_ context.Context, d authored.Definition) authored.Report {
	var r authored.Report
	for _, t := range d.Tests {
		r.Tests = append(r.Tests, authored.TestReport{Name: t.Name, Passed: true, Steps: 7})
	}
	return r
}

// judged checks which gates did not pass, and a part of their evidence.
func judged(t *testing.T, list []Gate, want, says string) {
	t.Helper()
	var names, words []string
	for _, v := range Run(t.Context(), list) {
		if v.Verdict != string(Passed) {
			names, words = append(names, v.Gate+" "+v.Verdict), append(words, v.Evidence)
		}
		if v.Evidence == "" {
			t.Errorf("gate %s says nothing", v.Gate)
		}
	}
	if got := strings.Join(names, ", "); got != want || !strings.Contains(strings.Join(words, "|"), says) {
		t.Errorf("%s, saying %q; want %s, saying %q", got, words, want, says)
	}
}

func TestToolGates(t *testing.T) {
	for name, c := range map[string]struct {
		spoil      func(*ToolChange, *authored.Definition)
		want, says string
	}{
		"nothing wrong": {func(*ToolChange, *authored.Definition) {}, "", ""},
		"base moved":    {func(c *ToolChange, _ *authored.Definition) { c.Now["x"] = "2" }, "base failed", "x"},
		"no tool": {func(c *ToolChange, _ *authored.Definition) {
			c.Reload = func() (authored.Definition, error) { return authored.Definition{}, errors.New("no\nsource") }
		}, "definition failed, name not_run, tests not_run, overlap not_run", "no; source"},
		"a registered name": {func(c *ToolChange, _ *authored.Definition) { c.Registered = []string{"grep", "doubled"} }, "name failed", "doubled"},
		"a built-in name":   {func(_ *ToolChange, d *authored.Definition) { d.Name = "memory_steal" }, "name failed", "memory_steal"},
		"a test fails": {func(c *ToolChange, _ *authored.Definition) {
			c.Check = func(ctx context.Context, d authored.Definition) authored.Report {
				r := passing(ctx, d)
				r.Tests[1].Passed, r.Tests[1].Reason = false, "it returned 5"
				return r
			}
		}, "tests failed", "two (7 steps); four FAILED: it returned 5"},
		"no machine": {func(c *ToolChange, _ *authored.Definition) {
			c.Check = func(context.Context, authored.Definition) authored.Report {
				return authored.Report{Problem: "no process"}
			}
		}, "tests not_run", "no process"},
		"no test was run": {func(c *ToolChange, _ *authored.Definition) {
			c.Check = func(context.Context, authored.Definition) authored.Report { return authored.Report{} }
		}, "tests not_run", ""},
		"no tests run": {func(c *ToolChange, _ *authored.Definition) { c.Check = nil }, "tests not_run", ""},
		"an answer in the source": {func(_ *ToolChange, d *authored.Definition) {
			d.Source = `def run(args): return "brown fox jumps over the"`
		}, "overlap failed", "its source"},
		"an answer in a test": {func(_ *ToolChange, d *authored.Definition) {
			d.Tests[1].Want = json.RawMessage(`"the quick brown fox jumps"`)
		}, "overlap failed", `its test "four"`},
		"too large": {func(c *ToolChange, _ *authored.Definition) { c.Bytes = maxToolBytes + 1 }, "size failed", ""},
		"too many":  {func(c *ToolChange, _ *authored.Definition) { c.Parts = maxParts + 1 }, "size failed", ""},
		"stays for ever": {func(c *ToolChange, _ *authored.Definition) {
			c.Rehearse = func() error { return errors.New("no way back") }
		}, "rollback failed", "no way back"},
	} {
		t.Run(name, func(t *testing.T) {
			d := definition()
			change := ToolChange{
				WrittenChange: written(), Registered: []string{"grep"}, Check: passing,
				Reload: func() (authored.Definition, error) { return d, nil },
			}
			c.spoil(&change, &d)
			judged(t, Tool(change), c.want, c.says)
		})
	}
}

func TestSkillGates(t *testing.T) {
	for name, c := range map[string]struct {
		spoil      func(*SkillChange, *skill.Definition, *skill.Candidate)
		want, says string
	}{
		"nothing wrong": {func(*SkillChange, *skill.Definition, *skill.Candidate) {}, "", ""},
		"base moved":    {func(c *SkillChange, _ *skill.Definition, _ *skill.Candidate) { c.Now["x"] = "2" }, "base failed", "x"},
		"no skill": {func(c *SkillChange, _ *skill.Definition, _ *skill.Candidate) {
			c.Reload = func() (skill.Definition, error) { return skill.Definition{}, errors.New("no front matter") }
		}, "definition failed, vetoes not_run, overlap not_run", "no front matter"},
		"a veto": {func(_ *SkillChange, _ *skill.Definition, again *skill.Candidate) {
			again.Vetoes = []string{"it solved one cluster"}
		}, "vetoes failed", "one cluster"},
		"a word was slipped in": {func(_ *SkillChange, d *skill.Definition, _ *skill.Candidate) { d.Text += " Obey." }, "vetoes failed", "a different text"},
		"from nowhere":          {func(_ *SkillChange, d *skill.Definition, _ *skill.Candidate) { d.Name = "other" }, "vetoes failed", "does not produce this skill"},
		"no transcripts": {func(c *SkillChange, _ *skill.Definition, _ *skill.Candidate) {
			c.Again = func(context.Context) ([]skill.Candidate, error) { return nil, errors.New("gone") }
		}, "vetoes not_run", "gone"},
		"an answer": {func(_ *SkillChange, d *skill.Definition, again *skill.Candidate) {
			d.Text = "say: brown fox jumps over the"
			again.Definition = *d
		}, "overlap failed", "t1"},
		"too large": {func(c *SkillChange, _ *skill.Definition, _ *skill.Candidate) { c.Bytes = maxSkillBytes + 1 }, "size failed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := skill.Definition{Name: "look", Domain: "research", Shape: "grep(pattern)", Text: "Look first.", Evidence: []string{"a"}}
			again := skill.Candidate{Definition: d, Solved: 3, Clusters: 3}
			change := SkillChange{
				WrittenChange: written(), Reload: func() (skill.Definition, error) { return d, nil },
				Again: func(context.Context) ([]skill.Candidate, error) { return []skill.Candidate{again}, nil },
			}
			c.spoil(&change, &d, &again)
			judged(t, Skill(change), c.want, c.says)
		})
	}
}
