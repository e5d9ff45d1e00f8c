package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/text"
)

// TestFoldLine tests that a long line continues behind its indent with every word of it, that
// columns keep their distance, and that a command and a path stay in one piece.
func TestFoldLine(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"short", []string{"short"}},
		{"", []string{""}},
		{
			"F1    active  clerk             negative    grep ×0.3, for good  by Robin on 23 Nov",
			[]string{"F1    active  clerk             negative", "    grep ×0.3, for good  by Robin on 23", "    Nov"},
		},
		{
			"  allowed    calculate, read_file, list_directory, grep",
			[]string{"  allowed    calculate, read_file,", "      list_directory, grep"},
		},
		{"    evolve autonomy lower aide --reason \"two words\"", []string{"    evolve autonomy lower aide --reason \"two words\""}},
		{
			"aide has autonomy level 2 (draft and queue): evolve autonomy status aide",
			[]string{"aide has autonomy level 2 (draft and", "    queue):", "    evolve autonomy status aide"},
		},
		{
			"    stale: it cannot be approved; evolve run may measure it again",
			[]string{"    stale: it cannot be approved; evolve", "        run may measure it again"},
		},
		{
			"  suggestion 3 negatives (F1, F2, F3); to forbid it: evolve feedback add aide --verdict negative --tool grep --goal 'a b'",
			[]string{"  suggestion 3 negatives (F1, F2, F3);", "      to forbid it:", "      evolve feedback add aide --verdict negative --tool grep --goal 'a b'"},
		},
		{
			"signed  /a/path/without/any/space/that/is/longer/than/the/line at entry 7",
			[]string{"signed", "    /a/path/without/any/space/that/is/longer/than/the/line", "    at entry 7"},
		},
	} {
		got := foldLine(c.line, 40)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.line, diff)
		}
		if all := strings.Fields(strings.Join(got, " ")); !cmp.Equal(all, strings.Fields(c.line)) {
			t.Errorf("%q lost words: %q", c.line, all)
		}
		for _, part := range got {
			if len(strings.Fields(part)) > 1 && !strings.HasPrefix(strings.TrimSpace(part), "evolve ") && text.Width(part) > 40 {
				t.Errorf("%q is wider than 40", part)
			}
		}
	}
}
