package stats

// AtMost is the default maximum ratio of a guarded metric to the champion's value.
const AtMost = 1.1

// DefaultBounds returns the guards of a workspace that sets none: mean cost and the 95th
// percentile of the latency may be at most a tenth higher, with floors of 5 cents per
// thousand tasks and 50 ms.
func DefaultBounds() []Bound {
	return []Bound{
		{Name: Cost, Of: Mean, AtMost: AtMost, Floor: .05 / 1000},
		{Name: Latency, Of: P95, AtMost: AtMost, Floor: .05},
	}
}
