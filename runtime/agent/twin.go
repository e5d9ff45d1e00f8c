package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// TwinShare is the largest difference between two numbers that still count as the same
// setting, as a share of the declared range on the declared scale. A search makes moves as
// small as five per cent, but a night cannot measure their effects. NearShare is the limit
// that applies instead of TwinShare if the search found no difference between the results of
// the two configs.
const (
	TwinShare = .05
	NearShare = .25
)

// Twins reports whether two configs are the same apart from differences without effect:
// every number differs by at most a share of its range (within, such as [TwinShare]), and
// every choice, list and text is the same. It ignores parameters in idle, which have no
// demonstrated effect, and parameters that are inactive in both configs. why describes
// the ignored differences; it is empty if the configs are not twins.
func (s Space) Twins(a, b Config, within float64, idle ...string) (why string, twins bool) {
	a, b = s.Canonical(a), s.Canonical(b)
	var parts, unshown []string
	for _, p := range s.Params {
		x, hasX := a[p.Name]
		y, hasY := b[p.Name]
		switch {
		case !hasX && !hasY, hasX && hasY && (Config{p.Name: x}).Equal(Config{p.Name: y}):
		case slices.Contains(idle, p.Name):
			unshown = append(unshown, p.Name)
		case !hasX || !hasY || !p.Numeric():
			return "", false
		default:
			share := p.apart(x, y)
			if !(share <= within) {
				return "", false
			}
			parts = append(parts, fmt.Sprintf("%s: %v and %v, which differ by %s %% of the parameter's range", p.Name, x, y, strings.TrimPrefix(fmt.Sprintf("%.1f", 100*share), "0")))
		}
	}
	if len(unshown) > 0 {
		parts = append(parts, strings.Join(unshown, ", ")+", for which no effect was shown")
	}
	if len(parts) == 0 {
		return "the same config", true
	}
	return "the same but for " + strings.Join(parts, "; "), true
}

// apart returns the distance between two numbers as a share of the parameter's range, on
// its scale.
func (p Param) apart(x, y any) float64 {
	u, okU := number(x)
	v, okV := number(y)
	lo, hi := p.Min, p.Max
	if !okU || !okV {
		return math.Inf(1)
	}
	if p.Log && lo > 0 && u > 0 && v > 0 {
		u, v, lo, hi = math.Log(u), math.Log(v), math.Log(lo), math.Log(hi)
	}
	if !(hi > lo) {
		return 0
	}
	return math.Abs(u-v) / (hi - lo)
}
