package workspace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestSettings(t *testing.T) {
	defaults := DefaultSettings()
	defaults.Budget.Evaluations = DefaultEvaluations
	with := func(change func(*Settings)) Settings {
		s := DefaultSettings()
		change(&s)
		return s
	}
	for _, c := range []struct {
		name, content string
		want          Settings
	}{
		{"empty", "", defaults},
		{"sections without keys", "budget:\nlimits:\nsearch:\nconfirm:\nprices:\n", defaults},
		{"the scaffold's own", string(annotatedSettings()), defaults},
		{"byte order mark and carriage returns", "\ufeffbudget:\r\n  usd: 3\r\n", with(func(s *Settings) { s.Budget.USD = 3 })},
		{"money bounds, so evaluations do not", "budget: {usd: 3}\n", with(func(s *Settings) { s.Budget.USD = 3 })},
		{"lookahead follows concurrency", "budget: {time: 2m}\nsearch: {concurrency: 100}\n", with(func(s *Settings) {
			s.Budget.Time = 2 * time.Minute
			s.Search.Concurrency, s.Search.Lookahead = 100, 100
		})},
		{"a lookahead of one's own is kept", "budget: {time: 2m}\nsearch: {concurrency: 100, lookahead: 2}\n", with(func(s *Settings) {
			s.Budget.Time = 2 * time.Minute
			s.Search.Concurrency, s.Search.Lookahead = 100, 2
		})},
		{"every key", fullSettings, Settings{
			Budget:  Budget{Evaluations: 10, USD: 2.5, Time: 90 * time.Minute},
			Limits:  agent.Limits{Timeout: 90 * time.Second, MaxCostUSD: .25, MaxOutputBytes: 65536, MaxIterations: 12, MaxTokens: 50000},
			Search:  Search{Selection: "top_k", Concurrency: 4, Lookahead: 16, Baseline: 0},
			Confirm: Confirm{Finalists: 5, Level: .01, Share: .65, MaxRepeats: 6},
			Prices:  map[string]Price{"small": {.5, 1.5, .5}, "large": {3, 15, .3}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var errs collector
			got := readSettings(&source{file: SettingsFile, errs: &errs}, []byte(c.content))
			if err := errs.err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"protocol", "pool", "timeout", "min", "max", "env", "argv"}
	for word, want := range map[string]string{
		"protocal": "protocol", "Protocol": "protocol", "pol": "pool", "mni": "min", "timeuot": "timeout",
		"zebra": "", "x": "", "": "", "arg": "argv",
	} {
		if got := nearest(word, keys); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
