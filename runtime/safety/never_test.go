package safety

import (
	"slices"
	"strings"
	"testing"
)

func TestNever(t *testing.T) {
	n, err := NewNever([]string{`(?i)\bproject kestrel\b`, `^DROP TABLE`})
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]bool{
		"It is part of Project  Kestrel.": false, "it is part of project Kestrel.": true, "DROP TABLE x": true, "use DROP TABLE": false, "42": false, "": false,
		"-----BEGIN RSA PRIVATE KEY-----\nMII": true, "-----BEGIN PUBLIC KEY-----": false, "the prompt says " + Marker + ".": true,
		strings.Repeat("a ", maxAnswer) + "project kestrel": true,
		"project\u00a0kes\u200btrel":                        true, "рrоject kestrel": true, "ＤＲＯＰ ＴＡＢＬＥ x": true, "DRОP TABLE": true, "drop tаble": false,
		"pro\u00adject kestrel": true, "проект кестрел": false, "-----BEGIN\u200b PRIVATE KEY": true,
	} {
		if pattern, got := n.Match(answer); got != want || got != (pattern != "") {
			t.Errorf("%.60q: %v (%s)", answer, got, pattern)
		}
	}
	if _, got := (Never{}).Match(Marker); got {
		t.Error("the zero value holds something back")
	}
}

func TestCompileNever(t *testing.T) {
	for name, c := range map[string]struct {
		patterns []string
		want     string
	}{
		"none":             {nil, ""},
		"good":             {[]string{`a+b`}, ""},
		"no expression":    {[]string{`a`, `(`}, "pattern 2"},
		"backreference":    {[]string{`(a)\1`}, "pattern 1"},
		"too long":         {[]string{strings.Repeat("a", maxPattern+1)}, "longer"},
		"too many":         {slices.Repeat([]string{"a"}, maxPatterns+1), "at most"},
		"everything":       {[]string{`.*`}, "every answer"},
		"nothing at all":   {[]string{``}, "every answer"},
		"too large inside": {[]string{`((a{100}){100}){100}`}, "pattern 1"},
	} {
		got, err := CompileNever(c.patterns)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && len(got) != len(c.patterns) {
			t.Errorf("%s: %d, %v", name, len(got), err)
		}
	}
}

func FuzzNever(f *testing.F) {
	f.Add("a+", "aaa")
	f.Add("(", "")
	f.Add(`(?i)x{1,100}`, "\xff")
	f.Fuzz(func(t *testing.T, pattern, answer string) {
		n, err := NewNever([]string{pattern})
		if err != nil {
			return
		}
		n.Match(answer)
		if _, hit := n.Match(""); hit {
			t.Errorf("%q matches nothing at all", pattern)
		}
	})
}
