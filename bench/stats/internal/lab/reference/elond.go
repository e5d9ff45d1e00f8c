package reference

import "math"

// LogThreshold returns the log evidence that the entry-th candidate of an agent's life
// (from 1) must reach under e-LOND, after the given number of adoptions:
// ln(1/(α·γ_t·(R+1))) with γ_t = 1/(t(t+1)). It bounds the share of false adoptions among
// all adoptions by α (Xu and Ramdas 2024).
func LogThreshold(alpha float64, entry, adopted int) float64 {
	t := float64(entry)
	return math.Log(t) + math.Log(t+1) - math.Log(alpha) - math.Log(float64(adopted+1))
}
