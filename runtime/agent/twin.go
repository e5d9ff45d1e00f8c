package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// TwinShare is how far two numbers may lie apart, as a share of the declared range on the
// declared scale, and still count as the same setting. Five per cent is below what a night
// can tell apart: moves of a search are as fine, and their effects are not. NearShare is how
// far they may lie apart where the search was seen to find no difference between the two
// configs.
const (
	TwinShare = .05
	NearShare = .25
)

// Twins reports whether two configs are the same up to changes without effect: every
// number within a share of its range, such as [TwinShare], every choice, list and text the same. Parameters
// in idle, of which no effect was shown, do not count, nor do those that are inactive on
// both sides. why names the differences that do not count; it is empty when the configs
// are not twins.
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
			parts = append(parts, fmt.Sprintf("%s: %v and %v, %s %% of its range", p.Name, x, y, strings.TrimPrefix(fmt.Sprintf("%.1f", 100*share), "0")))
		}
	}
	if len(unshown) > 0 {
		parts = append(parts, strings.Join(unshown, ", ")+", without a shown effect")
	}
	if len(parts) == 0 {
		return "the same config", true
	}
	return "the same but for " + strings.Join(parts, "; "), true
}

// apart is the distance of two numbers as a share of the range on the parameter's scale.
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
