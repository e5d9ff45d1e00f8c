//go:build unix

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The rules that FunSearch found (Romera-Paredes et al., "Mathematical discoveries from
// program search with large language models", Nature 625, 2024, and its repository),
// written as code for the block.
var funSearch = map[string]string{
	"or1": `
func priority(item int, bins []int) []float64 {
	scores := make([]float64, len(bins))
	for i, left := range bins {
		switch gap := left - item; {
		case gap <= 2:
			scores[i] = 4
		case gap <= 3:
			scores[i] = 3
		case gap <= 5:
			scores[i] = 2
		case gap <= 7:
			scores[i] = 1
		case gap <= 9:
			scores[i] = .9
		case gap <= 12:
			scores[i] = .95
		case gap <= 15:
			scores[i] = .97
		case gap <= 21:
			scores[i] = .98
		default:
			scores[i] = .99
		}
	}
	return scores
}

`,
	// The score of a bin is reduced by the score of the bin before it.
	"weibull": `
func priority(item int, bins []int) []float64 {
	size, largest := float64(item), 0
	for _, left := range bins {
		largest = max(largest, left)
	}
	scores, before := make([]float64, len(bins)), 0.0
	for i, left := range bins {
		room, used := float64(left), float64(largest-left)
		own := used*used/size + room*room*(1+1/size)/(size*size)
		if left > item {
			own = -own
		}
		scores[i], before = own-before, own
	}
	return scores
}

`,
}

// packingRules returns functions that write rules for online bin packing into the block's
// file.
func packingRules(set string) map[string]func(start string) string {
	return map[string]func(string) string{
		"best fit":  func(start string) string { return start },
		"first fit": func(start string) string { return strings.Replace(start, "scores[i] = -gap", "scores[i] = 0 * gap", 1) },
		"FunSearch": func(start string) string {
			const begin = "begin priority\n"
			return start[:strings.Index(start, begin)+len(begin)] + funSearch[set] + start[strings.Index(start, "// evolve:end"):]
		},
	}
}

// TestPackingFigures checks that the simulator of the packing target reproduces the
// published waste of three rules, in per cent. Each published figure is for one set of
// instances, 20 of OR1 and 5 of Weibull 5k; here it is compared with 60 sets drawn in the
// same way. The tolerance is two standard deviations of such a set. Since the rules run on
// the same instances, the published distance between two rules has its own tolerance.
//
// On the published instances of Weibull 5k themselves, the simulator gives 4.23, 3.98 and
// .71 %. FunSearch has .68 % if a rule is shown all empty bins instead of one.
func TestPackingFigures(t *testing.T) {
	repo := t.TempDir()
	files := world(t, "packing")
	for name, text := range files {
		full := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for set, published := range map[string]map[string]float64{
		"or1":     {"first fit": 6.42, "best fit": 5.81, "FunSearch": 5.30},
		"weibull": {"first fit": 4.23, "best fit": 3.98, "FunSearch": .68},
	} {
		values := map[string][]float64{}
		for name, rule := range packingRules(set) {
			values[name] = fresh(t, repo, "pack.go", rule(files["pack.go"]), 60, "-set="+set)
		}
		near := func(what string, got []float64, want float64) {
			t.Helper()
			m, sd := mean(got), deviation(got)
			t.Logf("%-8s %-24s %6.3f ± %.3f, published %6.2f", set, what, m, sd, want)
			if math.Abs(m-want) > 2*sd {
				t.Errorf("%s: %s has %.3f ± %.3f, the published one %.2f", set, what, m, sd, want)
			}
		}
		for name, want := range published {
			near(name, values[name], want)
			if name != "best fit" {
				apart := make([]float64, len(values[name]))
				for i, v := range values[name] {
					apart[i] = v - values["best fit"][i]
				}
				near(name+" − best fit", apart, want-published["best fit"])
			}
		}
	}
}

// deviation returns the standard deviation of values.
func deviation(values []float64) float64 {
	m, sum := mean(values), 0.
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
