package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogueLinesParse(t *testing.T) {
	lines := Catalogue([]string{"engineering", "_global"}, []string{"grep", "read_file"})
	if len(lines) < len(directives)+10 {
		t.Fatalf("only %d lines", len(lines))
	}
	seen := map[string]bool{}
	for _, line := range lines {
		if seen[line] {
			t.Errorf("%q is listed twice", line)
		}
		seen[line] = true
		if s := ParseStrategy(line); len(s.Unknown) != 0 || len(s.rules) != 1 {
			t.Errorf("%q does not parse to one rule: %+v", line, s)
		}
	}
}

func TestParseStrategy(t *testing.T) {
	s := ParseStrategy("# how to work\n- Answer:  value ONLY.\nanswer: number only in operations\nnever grep for research\nbe excellent\nwhen unsure: say oos\nnumbers: round to 2\n")
	for _, c := range []struct {
		domain string
		slot   slot
		want   string
	}{
		{"engineering", slotAnswer, "value"},
		{"operations", slotAnswer, "number"},
		{"research", slotTool + "grep", "never"},
		{"operations", slotTool + "grep", ""},
		{"research", slotUnsure, "say oos"},
		{"research", slotVerify, ""},
	} {
		if got := s.in(c.domain, c.slot); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.slot, c.domain, got, c.want)
		}
	}
	if d := s.decimals("x"); d != 2 {
		t.Errorf("decimals %d, want 2", d)
	}
	if diff := cmp.Diff([]string{"be excellent"}, s.Unknown); diff != "" {
		t.Error(diff)
	}
}

func TestScopedRuleWinsWhateverTheOrder(t *testing.T) {
	for _, text := range []string{"answer: number only in ops\nanswer: value only", "answer: value only\nanswer: number only in ops"} {
		if got := ParseStrategy(text).in("ops", slotAnswer); got != "number" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzParseStrategy(f *testing.F) {
	f.Add("answer: value only in x\n- never grep for y")
	f.Add(strings.Join(Catalogue([]string{"a"}, []string{"b"}), "\n"))
	f.Fuzz(func(t *testing.T, text string) {
		s := ParseStrategy(text)
		if len(s.rules)+len(s.Unknown) > strings.Count(text, "\n")+1 {
			t.Fatal("more rules than lines")
		}
		_ = s.in("x", slotAnswer)
		if d := s.decimals("x"); d < -1 || d > 6 {
			t.Fatalf("decimals %d", d)
		}
	})
}
