package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestOverlap(t *testing.T) {
	answer := "The quick brown fox jumps over the lazy dog."
	short := "forty two"
	tasks := []Task{
		{ID: "fox", Answer: &answer},
		{ID: "short", Answer: &short},
		{ID: "any", Graders: []GraderSpec{{Type: "contains", Raw: json.RawMessage(`{"type":"contains","any":["a", "restart the primary database before noon"]}`)}}},
		{ID: "num", Graders: []GraderSpec{{Type: "numeric", Raw: json.RawMessage(`{"type":"numeric","answer":3.5}`)}}},
	}
	for text, want := range map[string][]Copied{
		"":                                    nil,
		"the quick brown fox":                 nil, // four words
		"Say THE quick, brown\nfox -- jumps.": {{"fox", "the quick brown fox jumps"}},
		"x the quick brown fox jumps over the lazy dog x":             {{"fox", "the quick brown fox jumps over the lazy dog"}},
		"brown fox jumps over the moon; then jumps over the lazy dog": {{"fox", "brown fox jumps over the"}, {"fox", "jumps over the lazy dog"}},
		"answer forty two": nil,
		"first restart the primary database before lunch":                {{"any", "restart the primary database before"}},
		"the ｑｕｉｃｋ brown fox jumps":                                      {{"fox", "the quick brown fox jumps"}},
		"the quick brown red fox jumps over a lazy dog of the dogs 3.50": nil,
	} {
		if d := cmp.Diff(want, IndexAnswers(tasks).Find(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// TestOverlapFindsEveryCopy checks that any five words of the answer are found, in any case
// and with any separators.
func TestOverlapFindsEveryCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,6}`), 5, 30).Draw(t, "words")
		answer := strings.Join(words, " ")
		start := rapid.IntRange(0, len(words)-5).Draw(t, "start")
		n := rapid.IntRange(5, len(words)-start).Draw(t, "n")
		sep := rapid.SampledFrom([]string{" ", ", ", "\n", " — ", "_"}).Draw(t, "sep")
		text := "0 " + strings.ToUpper(strings.Join(words[start:start+n], sep)) + " 1"
		if len(IndexAnswers([]Task{{ID: "a", Answer: &answer}}).Find(text)) == 0 {
			t.Fatalf("%q copies from %q", text, answer)
		}
	})
}

// TestShownAnswers checks that demonstrations may contain answers of search tasks only.
func TestShownAnswers(t *testing.T) {
	fox, cat, short := "the quick brown fox jumps over the dog", "a slow grey cat sleeps below the dog", "7"
	tasks := []Task{
		{ID: "s1", Goal: "which fox?", Answer: &fox, Split: Search},
		{ID: "h1", Goal: "which cat?", Answer: &cat, Split: Holdout},
		{ID: "h2", Goal: "how many?", Answer: &short, Split: Holdout},
		{ID: "s2", Goal: "the same cat?", Answer: &cat, Split: Search},
	}
	for name, c := range map[string]struct {
		task, answer string
		want         []Copied
	}{
		"its own answer":                        {"which fox?", fox, nil},
		"the answer of another search task":     {"the same cat?", fox, nil},
		"the answer of a holdout task":          {"which fox?", cat, []Copied{{"h1", cat}}},
		"the same answer as a holdout task's":   {"the same cat?", cat, nil},
		"a holdout task with a short answer":    {"how many? ", "7", []Copied{{"h2", "7"}}},
		"a task of no suite":                    {"who?", "me", nil},
		"a task of no suite, copying an answer": {"who?", fox, []Copied{{"s1", fox}}},
	} {
		got := IndexAnswers(tasks).FindShown(tasks, []agent.Demonstration{{Task: c.task, Answer: c.answer}})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
