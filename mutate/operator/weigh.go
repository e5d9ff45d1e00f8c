package operator

import (
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// drawIndex draws an index in proportion to weights that are not negative and not all
// 0; they must not be empty.
func drawIndex(weights []float64, rng *rand.Rand) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	at := rng.Float64() * total
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// failingDomain is how many times as likely a parameter of one domain is changed when
// all failures are in it.
const failingDomain = 4

// attention weighs a parameter: 1, and more when it is one of a domain (such as
// routes.ops or temperature.ops) that the parent fails in, up to failingDomain.
func attention(p agent.Param, failures []Failure) float64 {
	all, own := 0, 0
	parts := strings.Split(p.Name, ".")
	for _, f := range failures {
		all += f.Count
		if f.Domain != "" && slices.Contains(parts[1:], f.Domain) {
			own += f.Count
		}
	}
	if all == 0 {
		return 1
	}
	return 1 + (failingDomain-1)*float64(own)/float64(all)
}
