package nights

import "math"

// elond is the threshold that the log of the evidence of the entry-th entry must
// reach after so many adoptions, for a lifetime false discovery rate of alpha: e-LOND (Xu
// and Ramdas 2024) with γ_t = 1/(t(t+1)), reject when E ≥ 1/(α·γ_t·(R+1)).
func elond(alpha float64, entry, adoptions int) float64 {
	t := float64(entry)
	return math.Log(t * (t + 1) / (alpha * float64(adoptions+1)))
}
