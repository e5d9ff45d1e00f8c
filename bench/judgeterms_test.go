package bench

import "testing"

func TestJudgeTermsChanged(t *testing.T) {
	was := JudgeTerms{"a": {"model": "m", "temperature": "0", "samples": "1", RubricsTerm: "12ab"}}
	for want, now := range map[string]JudgeTerms{
		"": {"a": {"model": "m", "temperature": "0", "samples": "1", RubricsTerm: "12ab"}},
		"route a: samples 1 → 3, temperature 0 → 0.5":   {"a": {"model": "m", "temperature": "0.5", "samples": "3", RubricsTerm: "12ab"}},
		"route a: other rubrics":                        {"a": {"model": "m", "temperature": "0", "samples": "1", RubricsTerm: "34cd"}},
		"route a: context none → 8000, model m → n":     {"a": {"model": "n", "context": "8000", "temperature": "0", "samples": "1", RubricsTerm: "12ab"}},
		"route a no longer grades; route b is new":      {"b": {"model": "m"}},
		"route a: temperature 0 → none; route b is new": {"a": {"model": "m", "samples": "1", RubricsTerm: "12ab"}, "b": {"model": "m"}},
	} {
		if got := was.Changed(now); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
