package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/memory"
)

func names(sections []Section) []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.Name)
	}
	return out
}

// render returns a prompt built from these sections.
func render(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", s.Name, s.Text)
	}
	return b.String()
}

func TestLoad(t *testing.T) {
	// Every text is ten tokens long.
	text := strings.Repeat("word", 10)
	files := map[string]string{
		"PROSOCHE.md": text, "EVAL_FEEDBACK.md": text, "TOOLS.md": text, "MEMORY.md": text, "GOALS.md": text, "AGENT.md": text, "SOUL.md": text,
		"HOUSE.md": text, "EMPTY.md": "", "STRATEGY.md": "a file that the config's strategy replaces",
	}
	extra := []Section{{WorkingSection, text}, {NotesSection, text}, {StrategySection, text}}
	all := []string{
		"SOUL.md", "AGENT.md", "GOALS.md", "MEMORY.md", "TOOLS.md", "EVAL_FEEDBACK.md", "STRATEGY", "PROSOCHE.md", "HOUSE.md", "NOTES", "WORKING_STATE",
	}
	for budget, n := range map[int]int{1000: 11, 110: 11, 109: 10, 75: 7, 69: 6, 10: 1, 9: 0, 0: 0} {
		kept, dropped := Load(files, extra, budget)
		if diff := cmp.Diff(all[:n], names(kept)); diff != "" && n > 0 {
			t.Errorf("kept within %d: %s", budget, diff)
		}
		if diff := cmp.Diff(all[n:], dropped); diff != "" && n < len(all) {
			t.Errorf("dropped within %d: %s", budget, diff)
		}
	}
}

// TestLoadDropsTheLowest tests that no section after a dropped section is kept, that the
// budget holds, and that every section is either kept or dropped.
func TestLoadDropsTheLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOf(rapid.SampledFrom([]string{"SOUL.md", "AGENT.md", "GOALS", "TOOLS.md", "PROSOCHE.md", "Z.md", "A.md"}),
			rapid.StringMatching(`x{1,400}`)).Draw(t, "files")
		extra := []Section{{NotesSection, rapid.StringMatching(`n{1,200}`).Draw(t, "notes")}}
		budget := rapid.IntRange(0, 500).Draw(t, "budget")
		kept, dropped := Load(files, extra, budget)
		spent, last := 0, -1
		for _, s := range kept {
			spent += memory.Tokens(s.Text)
			if p := priority(s.Name); p < last {
				t.Fatalf("%v are not in order", names(kept))
			} else {
				last = p
			}
		}
		if spent > budget || len(kept)+len(dropped) != len(files)+1 {
			t.Fatalf("%d tokens of %d, kept %v, dropped %v", spent, budget, names(kept), dropped)
		}
		for _, d := range dropped {
			if priority(d) < last {
				t.Fatalf("%s is dropped and something below it is kept: %v", d, names(kept))
			}
		}
	})
}

// TestPromptsBeginAlike tests that changes from turn to turn do not affect the bytes before
// them, whatever the budget, so a provider's cache serves both prompts.
func TestPromptsBeginAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{
			"SOUL.md": strings.Repeat("s", 400), "GOALS.md": strings.Repeat("g", 200), "PROSOCHE.md": strings.Repeat("p", 100), "OTHER.md": "other",
		}
		budget := rapid.IntRange(0, 400).Draw(t, "budget")
		var prompts []string
		for range 2 {
			extra := []Section{
				{WorkingSection, rapid.String().Draw(t, "working")},
				{StrategySection, "strategy: careful"},
				{NotesSection, strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,200}`), 0, 5).Draw(t, "notes"), "\n")},
			}
			kept, _ := Load(files, extra, budget)
			prompts = append(prompts, render(kept))
		}
		stable, _ := Load(files, []Section{{StrategySection, "strategy: careful"}}, budget)
		for _, p := range prompts {
			if !strings.HasPrefix(p, render(stable)) {
				t.Fatalf("the prompt does not begin with its stable part within %d", budget)
			}
		}
	})
}

func TestNotes(t *testing.T) {
	notes, refused := AddNotes(nil, "buy  milk\n\tand bread", "", " \x00 ", "red\u202eder\x1b[31m", strings.Repeat("é", 600))
	want := []string{"buy milk and bread", "redder[31m", strings.Repeat("é", 500)}
	if diff := cmp.Diff(want, notes); diff != "" || refused != 0 {
		t.Errorf("%d refused: %s", refused, diff)
	}
	for i := range 60 {
		var n int
		notes, n = AddNotes(notes, fmt.Sprint("note ", i))
		refused += n
	}
	if len(notes) != MaxNotes || refused != 13 || notes[0] != want[0] {
		t.Errorf("%d notes, %d refused, first %q", len(notes), refused, notes[0])
	}
	// Each text has ten tokens. The result holds the newest that fit, oldest first.
	list := []string{strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)}
	for budget, want := range map[int][]string{30: list, 29: list[1:], 10: list[2:], 9: {}} {
		if diff := cmp.Diff(want, Inject(list, budget)); diff != "" {
			t.Errorf("within %d: %s", budget, diff)
		}
	}
}

func FuzzNotes(f *testing.F) {
	f.Add("one", "two\xff\u202e", 40)
	f.Fuzz(func(t *testing.T, a, b string, budget int) {
		notes, _ := AddNotes([]string{a}, b)
		again, _ := AddNotes(notes)
		if !slices.Equal(notes, again) {
			t.Fatalf("%q cleaned again is %q", notes, again)
		}
		spent := 0
		for _, n := range Inject(notes, budget) {
			if spent += memory.Tokens(n); strings.ContainsFunc(n, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
				t.Fatalf("%q", n)
			}
		}
		if spent > max(0, budget) {
			t.Fatalf("%d tokens within %d", spent, budget)
		}
	})
}
