package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// LeastLabels is the minimum number of labels for a judge to count as calibrated. With
// fewer labels, the interval of an agreement of 90 % is wider than 25 points.
const LeastLabels = 20

// agreementLevel is the confidence level of the intervals of an [Agreement].
const agreementLevel = .95

// Label is a person's score for an answer together with the score of a judge, both in
// [0,1].
type Label struct {
	Human, Judge float64
	// Length is the length of the answer, in characters.
	Length int
}

// Measure is an estimate with its 95 % confidence interval.
type Measure struct {
	Value float64 `json:"value"`
	Interval
}

// Agreement compares the grades of a judge with those of people.
type Agreement struct {
	Labels int `json:"labels"`
	// Same is the share of answers that the judge and the people put in the same category.
	Same Measure `json:"same"`
	// Kappa is Cohen's kappa of the categories, with quadratic weights if there are more
	// than two. It is nil if the people's grades are all in one category, which makes
	// kappa 0 for any judge. The interval of Kappa is computed by the jackknife.
	Kappa *Measure `json:"kappa,omitempty"`
	// Bias is the mean difference between the judge's score and the person's; it is above 0
	// if the judge's scores are higher.
	Bias Measure `json:"bias"`
	// Length is Spearman's correlation of two quantities: the judge's score minus the
	// person's score, and the length of the answer. It is nil if one of the quantities
	// does not vary. A value above 0 means that the judge favours long answers.
	Length *Measure `json:"length,omitempty"`
	// First is the share of a comparison's calls that preferred the answer in the first
	// position, among those with a preference; it is nil if there are none.
	First *Measure `json:"first,omitempty"`
	// Table counts the answers: rows are the person's categories and columns the judge's,
	// from the worst to the best.
	Table [][]int `json:"table"`
}

// Agree compares labels on a scale with the given number of points, 2 for pass or fail.
// first and second count the preferences of a comparison by position.
func Agree(labels []Label, points, first, second int) Agreement {
	a := Agreement{Labels: len(labels), Table: make([][]int, points)}
	for i := range a.Table {
		a.Table[i] = make([]int, points)
	}
	if len(labels) == 0 {
		return a
	}
	n := float64(len(labels))
	same := 0
	var bias, lengths []float64
	for _, l := range labels {
		h, j := category(l.Human, points), category(l.Judge, points)
		a.Table[h][j]++
		if h == j {
			same++
		}
		bias, lengths = append(bias, l.Judge-l.Human), append(lengths, float64(l.Length))
	}
	a.Same.Value = float64(same) / n
	a.Same.Lo, a.Same.Hi = Wilson(a.Same.Value, n, agreementLevel)
	a.Kappa = kappaInterval(a.Table)
	a.Bias = meanInterval(bias)
	a.Length = spearmanInterval(bias, lengths)
	if all := float64(first + second); all > 0 {
		a.First = &Measure{Value: float64(first) / all}
		a.First.Lo, a.First.Hi = Wilson(a.First.Value, all, agreementLevel)
	}
	return a
}

// category returns the category of a score, counted from 0.
func category(score float64, points int) int {
	return int(math.Min(1, math.Max(0, score))*float64(points-1) + .5)
}

// unlike returns the largest plausible share of differing answers, given that none of n
// observed answers differs: 1 minus the lower bound of [Wilson].
func unlike(n float64) float64 {
	lo, _ := Wilson(1, n, agreementLevel)
	return 1 - lo
}

// kappa returns Cohen's kappa of a table of counts, with quadratic weights (Cohen 1968),
// and the disagreement that is expected by chance. It also reports whether kappa is
// defined.
func kappa(table [][]int) (value, chance float64, ok bool) {
	rows, columns := make([]float64, len(table)), make([]float64, len(table))
	var n float64
	for i, row := range table {
		for j, count := range row {
			rows[i] += float64(count)
			columns[j] += float64(count)
			n += float64(count)
		}
	}
	var seen float64
	for i, row := range table {
		for j, count := range row {
			weight := float64((i - j) * (i - j))
			seen += weight * float64(count) / n
			chance += weight * rows[i] * columns[j] / (n * n)
		}
	}
	if !(chance > 0) || floats.Count(func(n float64) bool { return n > 0 }, rows) < 2 {
		return 0, chance, false
	}
	return 1 - seen/chance, chance, true
}

// kappaInterval returns kappa with the interval of the delete-one jackknife, or nil if
// kappa is not defined. If that interval has no width, for example because all grades
// agree, it is replaced by another. The ends of that one are the values that kappa would
// have if the grades of the largest plausible share of answers differed by one category
// more, or by one category less.
func kappaInterval(table [][]int) *Measure {
	value, chance, ok := kappa(table)
	if !ok {
		return nil
	}
	n := 0
	var without, counts []float64
	for i, row := range table {
		for j, count := range row {
			if n += count; count == 0 {
				continue
			}
			table[i][j]--
			k, _, ok := kappa(table)
			table[i][j]++
			if !ok {
				k = value
			}
			without, counts = append(without, k), append(counts, float64(count))
		}
	}
	mean := stat.Mean(without, counts)
	var square float64
	for i, k := range without {
		square += counts[i] * (k - mean) * (k - mean)
	}
	half := quantile() * math.Sqrt(square*float64(n-1)/float64(n))
	if half == 0 {
		half = unlike(float64(n)) / chance
	}
	return &Measure{value, Interval{math.Max(-1, value-half), math.Min(1, value+half)}}
}

// quantile returns the quantile of the standard normal distribution for two-sided intervals
// at agreementLevel.
func quantile() float64 { return distuv.UnitNormal.Quantile(1 - (1-agreementLevel)/2) }

// meanInterval returns the mean of differences in [-1,1] with Student's interval. If all
// differences are equal, Student's interval would have no width. Its half-width is then
// replaced by the largest plausible share of other differences.
func meanInterval(list []float64) Measure {
	mean, sd := stat.MeanStdDev(list, nil)
	if len(list) < 2 {
		return Measure{mean, Interval{-1, 1}}
	}
	n := float64(len(list))
	half := tQuantile(1-(1-agreementLevel)/2, n-1) * sd / math.Sqrt(n)
	if sd == 0 {
		half = unlike(n)
	}
	return Measure{mean, Interval{math.Max(-1, mean-half), math.Min(1, mean+half)}}
}

// spearmanInterval returns Spearman's rank correlation with an interval based on Fisher's
// transform, whose variance is (1+ρ²/2)/(n−3) (Bonett and Wright 2000). It returns nil if
// the correlation is not defined.
func spearmanInterval(a, b []float64) *Measure {
	rho := stat.Correlation(ranks(a), ranks(b), nil)
	if math.IsNaN(rho) || len(a) < 4 {
		return nil
	}
	rho = math.Max(-1, math.Min(1, rho))
	half := quantile() * math.Sqrt((1+rho*rho/2)/float64(len(a)-3))
	if math.Abs(rho) == 1 {
		return &Measure{rho, Interval{rho, rho}}
	}
	return &Measure{rho, Interval{math.Tanh(math.Atanh(rho) - half), math.Tanh(math.Atanh(rho) + half)}}
}

// ranks returns the ranks from 1; equal values share the mean of their ranks.
func ranks(list []float64) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(list[i], list[j]) })
	out := make([]float64, len(list))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && list[order[to]] == list[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}
