package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDemonstrationsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Demonstration {
			return Demonstration{Task: "a" + rapid.String().Draw(t, "task"), Answer: rapid.String().Draw(t, "answer")}
		}), 1, 4).Draw(t, "list")
		text := FormatDemonstrations(list)
		if n := strings.Count(text, "\n") + 1; n != len(list) {
			t.Fatalf("%d demonstrations take %d lines", len(list), n)
		}
		got, ok := ParseDemonstrations(text)
		if !ok || cmp.Diff(list, got) != "" {
			t.Fatalf("%v came back as %v, %v", list, got, ok)
		}
	})
}

func TestParseDemonstrationsRefusesOtherText(t *testing.T) {
	for _, text := range []string{
		"Be brief.", `{"task":"a"} {"task":"b"}`, `{"task":"a","answer":"b","system":"c"}`, `{"answer":"b"}`, `["a","b"]`, `{"task":"a"`,
	} {
		if list, ok := ParseDemonstrations(text); ok {
			t.Errorf("%s is read as %v", text, list)
		}
	}
	if list, ok := ParseDemonstrations("\n \n"); !ok || len(list) != 0 {
		t.Errorf("blank text is read as %v, %v", list, ok)
	}
}
