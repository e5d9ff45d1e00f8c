package review

import (
	"context"
	"errors"
	"slices"

	"evolve/bench/metrics"
	"evolve/gates"
	"evolve/gates/measure"
)

// unpatched is the beginning of the evidence if a gate's commands fail on the base.
const unpatched = "the base fails, so the patch cannot be judged: "

// compareValues compares the values that the scoring command printed for the base and the
// patched tree in alternating runs. figures describes the values; if it is empty, the
// verdict is final, and the gate makes no further checks. doubt is the reason why the
// verdict is not "passed".
func (w *gateRun) compareValues(ctx context.Context, runs [4][]metrics.Value) (verdict gates.Verdict, figures, doubt string) {
	scale, err := metrics.NewScale(runs[0], w.target.Scoring.Metric)
	if err != nil {
		return gates.NotRun, "", unpatched + err.Error()
	}
	figures, worse, err := scaled(scale, runs[1])
	if err == nil {
		verdict, doubt, err = w.contradicts(scale, runs)
	}
	if err != nil { // a case has no value
		return gates.Failed, "", w.deceived(ctx, scale, runs[0], printed{values: runs[1]}, "the patched tree: "+err.Error())
	}
	if verdict == gates.Failed {
		w.deceives = true
		return verdict, figures, doubt
	}
	exact := alike(scale, runs[0], runs[2]) && alike(scale, runs[1], runs[3])
	found, err := (&starts{gateRun: w, scale: scale, exact: exact}).deceit(ctx, runs[0], printed{values: runs[1]})
	switch {
	case err != nil:
		return gates.NotRun, "", "the values printed when the command is started in different ways could not be compared: " + err.Error()
	case found != "":
		w.deceives = true
		return gates.Failed, figures, found
	case doubt != "":
		return gates.Flagged, figures, doubt
	case worse:
		return gates.Flagged, figures, "the patched tree is worse"
	}
	return gates.Passed, figures, ""
}

// unscored returns the verdict on a patched tree on which the target's commands fail with
// err, and its reason. base holds the values of the base, and why describes the failure.
func (w *gateRun) unscored(ctx context.Context, base []metrics.Value, err error, why string) (gates.Verdict, string) {
	if scale, bad := metrics.NewScale(base, w.target.Scoring.Metric); bad == nil && errors.As(err, new(*unscoredError)) {
		why = w.deceived(ctx, scale, base, printed{slow: errors.As(err, new(*measure.SlowError))}, why)
	}
	return gates.Failed, why
}

// deceived returns the reason for the failure of a patched tree. The tree lacks values
// when the scoring command is started without names. If it has these values when the
// command is started with names, the reason also states that, and deceived records the
// deceit.
func (w *gateRun) deceived(ctx context.Context, scale *metrics.Scale, base []metrics.Value, patched printed, why string) string {
	found, err := (&starts{gateRun: w, scale: scale}).deceit(ctx, base, patched)
	if err != nil || found == "" {
		return why // the tree fails in any case
	}
	w.deceives = true
	return found + "; " + why
}

// alike reports whether the values of the metric are the same in two runs.
func alike(scale *metrics.Scale, one, other []metrics.Value) bool {
	return !slices.ContainsFunc(scale.Cases(), func(of string) bool {
		a, errA := scale.Find(one, of)
		b, errB := scale.Find(other, of)
		return errA != nil || errB != nil || a != b
	})
}
