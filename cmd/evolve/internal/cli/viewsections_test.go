package cli

import (
	"slices"
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/view"
)

// lacking returns the words of a printed text that the sections of a page lack. Labels, arrows and
// punctuation do not count.
func lacking(printed string, sections []view.Section, labels ...string) (list []string) {
	var b strings.Builder
	for _, s := range sections {
		parts := append([]string{s.Title, s.Text, s.Diff}, s.Lines...)
		for _, f := range s.Facts {
			parts = append(append(parts, f.Name), f.Lines...)
		}
		for _, t := range s.Tables {
			parts = append(append(parts, t.Name), t.Columns...)
			for _, row := range t.Rows {
				parts = append(parts, row...)
			}
		}
		b.WriteString(strings.Join(parts, "\n") + "\n")
	}
	for _, word := range strings.Fields(printed) {
		word = strings.Trim(word, ":;,()~→")
		if word != "" && !slices.Contains(labels, word) && !strings.Contains(b.String(), word) {
			list = append(list, word)
		}
	}
	return list
}

func TestLackingFindsAWord(t *testing.T) {
	t.Parallel()
	sections := []view.Section{{Title: "a", Tables: []view.Table{{Rows: [][]string{{"b", "c"}}}}}}
	if got := lacking("a: (b) → c, d\n", sections); !slices.Equal(got, []string{"d"}) {
		t.Errorf("it finds %q", got)
	}
}
