package stats

import (
	"fmt"
	"math"

	"evolve/bench/metrics"
	"evolve/runtime/text"
)

// Gain is the paired difference B − A of a metric in its own unit, over the cases on which
// both sides have a value. Repeats are averaged within a case. No decision depends on it:
// decisions rest on the scores, in which a large change on one case has less weight.
type Gain struct {
	metrics.Kind
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
	// Interval covers the mean difference on new cases like these at Level. It is nil if
	// nothing is shown for new cases, for example because there are few cases, or if all
	// cases show the same difference. It is Student's interval over the cases, but
	// nowhere narrower than the interval of the scores, converted at the steepest point
	// of the scale. It is therefore valid under the same conditions as that interval,
	// including after several looks and for other nights.
	Interval *Interval `json:"interval,omitempty"`
	Level    float64   `json:"level"`
	Cases    int       `json:"cases"`
	// Missing counts the cases without a value on one side.
	Missing int `json:"missing,omitempty"`
	// Gains, Losses and Ties count the cases on which B is better, worse and equal.
	Gains  int `json:"gains"`
	Losses int `json:"losses"`
	Ties   int `json:"ties"`
	// Same reports whether all cases show the same difference, and this difference is not
	// 0. There is then no spread from which to derive an interval, and the claim about new
	// cases rests on the number of cases.
	Same bool `json:"same,omitempty"`
}

// gainOf returns the gain on pairs, without its interval, and the gain's standard error.
// It returns nil if no case has a value on both sides.
func gainOf(kind metrics.Kind, pairs []Pair, level float64) (*Gain, jackknife) {
	kind.Further = nil
	g := &Gain{Kind: kind, Level: level}
	var valued []Pair
	for _, p := range pairs {
		v := Pair{Task: p.Task, Cluster: p.Cluster, Weight: p.Weight}
		for r := range min(len(p.Values.A), len(p.Values.B)) {
			if finite(p.Values.A[r]) && finite(p.Values.B[r]) {
				v.A, v.B = append(v.A, p.Values.A[r]), append(v.B, p.Values.B[r])
			}
		}
		if len(v.A) == 0 {
			g.Missing++
			continue
		}
		valued = append(valued, v)
	}
	ds := differences(valued)
	if len(ds) == 0 {
		return nil, jackknife{}
	}
	var weight float64
	for _, d := range ds {
		weight += d.weight
		g.A += d.weight * d.a
		g.B += d.weight * d.b
		switch {
		case d.a == d.b:
			g.Ties++
		case (d.b < d.a) == (kind.Better == metrics.Lower):
			g.Gains++
		default:
			g.Losses++
		}
	}
	s := spreadOf(ds, weight)
	g.A, g.B, g.Difference, g.Cases = g.A/weight, g.B/weight, s.mean, len(ds)
	g.Same = kind.Form > 0 && len(ds) > 1 && g.Ties == 0 && s.se <= 1e-9*kind.Size
	return g, s
}

// Of returns the rule for scores that measure a metric relative to the champion's values,
// or the unchanged rule if there is no metric.
func (rule Rule) Of(kind *metrics.Kind) Rule {
	rule.Metric, rule.Even = kind, kind != nil && rule.Reference == nil
	return rule
}

// gain returns the difference in the metric of a rule, or nil if the rule has no metric. On
// either side, its interval extends at least as far as the ruling's interval for the scores
// of new tasks.
func (rule Rule) gain(clean []Pair, r *Ruling) *Gain {
	if rule.Metric == nil {
		return nil
	}
	g, s := gainOf(*rule.Metric, clean, r.Level)
	all := room(r.MeanA, rule.Even)
	if g == nil || g.Same || !s.telling() || r.few() || r.New.Lo <= all.Lo && r.New.Hi >= all.Hi {
		return g // nothing is shown for new cases
	}
	student := tQuantile(1-(1-r.Level)/2, math.Max(s.effective-1, minDF)) * s.se
	less, more := (r.Difference-r.New.Lo)*rule.Metric.Unscaled(), (r.New.Hi-r.Difference)*rule.Metric.Unscaled()
	if g.Better == metrics.Lower {
		less, more = more, less
	}
	g.Interval = &Interval{Lo: g.Difference - math.Max(student, less), Hi: g.Difference + math.Max(student, more)}
	return g
}

// improvement returns a difference with its sign set so that positive values are better.
func (g *Gain) improvement(d float64) float64 {
	if g.Better == metrics.Lower {
		return -d
	}
	return d
}

// Shown returns 1 if the interval shows that the metric is better, −1 if it shows that the
// metric is worse, and 0 otherwise. If all cases show the same difference, a sign test
// replaces the interval.
func (g *Gain) Shown() int {
	if g.Same && g.Cases >= MinClusters { // by a sign test
		return int(math.Copysign(1, g.improvement(g.Difference)))
	}
	if g.Interval == nil {
		return 0
	}
	one, other := g.improvement(g.Interval.Lo), g.improvement(g.Interval.Hi)
	switch {
	case min(one, other) > 0:
		return 1
	case max(one, other) < 0:
		return -1
	}
	return 0
}

// decimals returns the number of decimals with which the figures of a gain are shown.
func (g *Gain) decimals() int {
	least := metrics.Decimals(g.Difference)
	if g.Interval != nil {
		least = metrics.Decimals(math.Max((g.Interval.Hi-g.Interval.Lo)/2, math.Abs(g.Difference)/100))
	}
	if g.Form == 0 { // words in older records must not change, because they are compared
		return least
	}
	for d := least; d <= least+mostAdded; d++ {
		if g.addUp(d) {
			return d
		}
	}
	return least
}

// mostAdded is the maximum number of decimals by which figures are extended so that the
// means and their difference add up.
const mostAdded = 2

// addUp reports whether the means and their difference add up with the given number of decimals:
// 122.6 → 2.3 gives −120.3, but 123 → 2 does not give −120.
func (g *Gain) addUp(decimals int) bool {
	unit := math.Pow10(decimals)
	round := func(v float64) float64 { return math.Round(v * unit) }
	return round(g.B)-round(g.A) == round(g.Difference)
}

// Values formats both means with the unit: "6.50 → 6.16 %".
func (g *Gain) Values() string {
	d := g.decimals()
	return metrics.Figure(g.A, d) + " → " + metrics.WithUnit(metrics.Figure(g.B, d), g.Unit)
}

// Change formats the difference with its unit: "−3 ms". For values in %, it is "−0.34
// percentage points".
func (g *Gain) Change() string { return metrics.WithChangeUnit(g.Figure(), g.Unit) }

// Figure formats the difference without the unit: "−0.34".
func (g *Gain) Figure() string { return metrics.Signed(g.Difference, g.decimals()) }

// Bounds formats the interval: "[−0.50, −0.18]". It returns "" if there is none.
func (g *Gain) Bounds() string {
	if g.Interval == nil {
		return ""
	}
	d := g.decimals()
	return "[" + metrics.Signed(g.Interval.Lo, d) + ", " + metrics.Signed(g.Interval.Hi, d) + "]"
}

// Size describes the cases: "30 cases", "28 of 30 cases".
func (g *Gain) Size() string {
	if g.Missing == 0 {
		return text.Count(g.Cases, "case")
	}
	return fmt.Sprintf("%s of %s", text.Whole(g.Cases), text.Count(g.Cases+g.Missing, "case"))
}

// Words describes the gain: "excess 6.50 → 6.16 %, −0.34 percentage points, 95 % interval −0.50 to
// −0.18".
func (g *Gain) Words() string { return g.words(g.Change()) }

// recorded returns the words of the gain for a record. Records by an older version of
// evolve keep the form of that version, because a check compares their words with newly
// computed ones.
func (g *Gain) recorded() string { return g.words(g.recordedChange()) }

// recordedChange formats the difference as Change does, but in the form for a record.
func (g *Gain) recordedChange() string {
	if g.Points {
		return g.Change()
	}
	return metrics.WithUnit(g.Figure(), g.Unit)
}

// words describes the gain; change is the description of the difference.
func (g *Gain) words(change string) string {
	words := g.Title() + " " + g.Values() + ", " + change
	if g.Same {
		words += " on every case"
	}
	if i, d := g.Interval, g.decimals(); i != nil {
		words += fmt.Sprintf(", %s interval %s to %s", text.Percent(g.Level), metrics.Signed(i.Lo, d), metrics.Signed(i.Hi, d))
	}
	return words
}

// Title returns the name of the metric, clipped.
func (g *Gain) Title() string { return text.Clip(g.Name, mostTitle, text.Runes, text.Ellipsis) }

// mostTitle is the maximum number of characters of a metric's name in a sentence.
const mostTitle = 40

// Discord describes a contradiction between the metric and the scores. It returns "" if
// there is none.
func (r *Ruling) Discord() string {
	g := r.Metric
	if g == nil {
		return ""
	}
	why := "the score, on which the verdict is based, gives less weight to a large change in one case"
	switch d := g.improvement(g.Difference); {
	case r.Difference > flat && d < 0:
		return fmt.Sprintf("the mean of %s is nevertheless worse: %s", g.Title(), why)
	case r.Difference < -flat && d > 0:
		return fmt.Sprintf("the mean of %s is nevertheless better: %s", g.Title(), why)
	case r.Claim == NewTasks && g.Shown() < 1:
		return fmt.Sprintf("by itself, the mean of %s does not show an improvement: %s", g.Title(), why)
	}
	return ""
}

// Negligible reports whether the difference is so small, relative to the mean size of the
// base's values, that it is due to rounding.
func (g *Gain) Negligible() bool { return math.Abs(g.Difference) <= 1e-9*g.Kind.Size }
