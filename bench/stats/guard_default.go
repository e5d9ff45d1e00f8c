package stats

// AtMost is the default ratio of a guard.
const AtMost = 1.1

// DefaultBounds returns the guards of a workspace that sets none: mean cost and 95th
// percentile of the latency at most a tenth higher, with floors of 5 cents per thousand
// tasks and 50 ms.
func DefaultBounds() []Bound {
	return []Bound{
		{Name: Cost, Of: Mean, AtMost: AtMost, Floor: .05 / 1000},
		{Name: Latency, Of: P95, AtMost: AtMost, Floor: .05},
	}
}
