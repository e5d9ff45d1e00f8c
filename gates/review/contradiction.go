package review

import (
	"fmt"
	"math"
	"slices"

	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/gates"
	"evolve/runtime/text"
)

// contradicts compares the scores of the base and of the patched tree with what a night
// measured when it confirmed the patch. For this, each tree is scored twice, on all cases
// at once, and the trees take turns. The verdict is failed if the confirmed gain is ruled
// out and the patched tree is not shown to be better, or if the patched tree prints the
// same values as the base. It is flagged if the patched tree is shown to be better, but by
// less. Otherwise, and for a patch that no night confirmed, the evidence is empty. The
// interval is widened by the difference between the two runs of a tree, because that is
// noise that affects all cases in a run, for example when the machine is busy.
func (w *gateRun) contradicts(scale *metrics.Scale, runs [4][]metrics.Value) (gates.Verdict, string, error) {
	if w.confirmed == nil {
		return gates.Passed, "", nil
	}
	var pairs []stats.Pair
	var drift [2]float64
	cases := scale.Cases()
	for _, of := range cases {
		pair := stats.Pair{Task: of, Cluster: of, Weight: 1}
		for i, side := range []*[]float64{&pair.A, &pair.B, &pair.A, &pair.B} {
			v, err := scale.Find(runs[i], of)
			if err != nil {
				return "", "", err
			}
			*side = append(*side, scale.Score(of, v))
		}
		drift[0] += (pair.A[1] - pair.A[0]) / float64(len(cases))
		drift[1] += (pair.B[1] - pair.B[0]) / float64(len(cases))
		pairs = append(pairs, pair)
	}
	c := stats.Compare(pairs, trialLevel)
	noise := max(math.Abs(drift[0]), math.Abs(drift[1]))
	same := slices.Equal(runs[0], runs[1]) && slices.Equal(runs[2], runs[3])
	if !same && (c.Clusters < stats.MinClusters || c.Hi+noise >= w.confirmed.Lo) {
		return gates.Passed, "", nil
	}
	confirmed := text.Points(w.confirmed.Difference) + " points"
	if w.confirmed.Means != "" {
		confirmed += " (" + w.confirmed.Means + ")"
	}
	verdict, how := gates.Failed, "not shown to be better"
	switch {
	case same:
		how = "equal to the base in every value"
	case c.Lo-noise > 0:
		verdict, how = gates.Flagged, "better by a smaller amount"
	case c.Hi+noise < 0:
		how = "worse"
	}
	return verdict, fmt.Sprintf("scored on all cases at once, the patched tree is %s, %s points, %s interval %s to %s, while the confirmation measured %s: the values depend on how the command is started, or they are printed by the patched code instead of the command",
		how, text.Points(c.Difference), text.Percent(c.Level), text.Points(c.Lo-noise), text.Points(c.Hi+noise), confirmed), nil
}
