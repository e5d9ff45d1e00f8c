package stats

// AtMost is the ratio of a guard for which none is set.
const AtMost = 1.1

// DefaultBounds are the guards of a workspace that sets none: mean cost and 95th percentile of the
// latency at most a tenth higher, where 5 cents per thousand tasks and 50 ms never count.
func DefaultBounds() []Bound {
	return []Bound{
		{Name: Cost, Of: Mean, AtMost: AtMost, Floor: .05 / 1000},
		{Name: Latency, Of: P95, AtMost: AtMost, Floor: .05},
	}
}
