package experience

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCorrectionsText(t *testing.T) {
	e := &Experience{}
	if text, ok := e.CorrectionsText("ops"); ok || text != "" {
		t.Errorf("%q without history", text)
	}
	e.Corrections = []Correction{
		{Turn: "1", Domain: "ops", Tools: []string{"git", "grep"}, Text: "no, the other\nbranch", Time: noon},
		{Turn: "2", Domain: "research", Text: "that is wrong", Time: noon.AddDate(0, 0, 1)},
		{Turn: "3", Domain: "ops", Text: "I meant May", Time: noon.AddDate(0, 0, 2)},
	}
	for domain, want := range map[string]string{
		"ops":    "People made 2 corrections in ops (3 in all domains).\n2026-11-16, ops: I meant May\n2026-11-14, ops, tools git, grep: no, the other branch\n",
		"crypto": "People made no corrections in crypto, but 3 corrections in other domains.\n2026-11-16, ops: I meant May\n2026-11-15, research: that is wrong\n2026-11-14, ops, tools git, grep: no, the other branch\n",
		"":       "People made 3 corrections.\n2026-11-16, ops: I meant May\n2026-11-15, research: that is wrong\n2026-11-14, ops, tools git, grep: no, the other branch\n",
	} {
		got, ok := e.CorrectionsText(domain)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Error(domain, diff)
		}
	}
	for range 50 {
		e.Corrections = append(e.Corrections, Correction{Domain: "ops", Text: strings.Repeat("ü", 300), Time: noon})
	}
	got, _ := e.CorrectionsText("ops")
	if len(got) > maxText || !strings.HasPrefix(got, "People made 52 corrections in ops") {
		t.Errorf("%d bytes: %.60s", len(got), got)
	}
}
