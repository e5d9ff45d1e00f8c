package operator

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// failingDomain is the factor by which a parameter of one domain is more likely to change
// if all failures are in that domain.
const failingDomain = 4

// attention returns the weight with which a parameter is chosen. The weight is 1, or up
// to failingDomain if the parameter belongs to a domain (as routes.ops and
// temperature.ops do) in which the parent fails.
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
