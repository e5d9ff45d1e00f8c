package influence

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// mains returns the main effect of every parameter.
func (f *fit) mains() []Main {
	var out []Main
	for p := range f.in.Levels {
		reference := f.supported(func(config []int) bool { return config[p] == 0 })
		var list []estimate
		m := Main{Param: p, Levels: map[int]Contrast{}}
		for i, c := range f.columns {
			if !reference || c.param != p || !f.supported(func(config []int) bool { return config[p] == c.level }) {
				continue
			}
			if e := f.alone(i); e.usable {
				list = append(list, e)
				m.Levels[c.level] = f.contrast(e, 1)
			}
		}
		if len(list) > 0 {
			m.Spread = f.spread(list)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Main) int {
		return cmp.Or(cmp.Compare(b.Spread.Lo, a.Spread.Lo), cmp.Compare(b.Spread.Difference, a.Spread.Difference), cmp.Compare(b.Spread.Hi, a.Spread.Hi))
	})
	return out
}

// alone judges a column of the model by the part of it that the other columns do not
// explain. A row of the inverse of the products gives that part.
func (f *fit) alone(i int) estimate {
	unit := make([]float64, len(f.columns))
	unit[i] = 1
	inverse := f.solve(unit)
	c := column{byConfig: make([]float64, len(f.in.Configs)), byTask: make([]float64, f.in.Tasks)}
	for j, other := range f.columns {
		c.add(other, inverse[j]/inverse[i])
	}
	return f.estimate(c, f.coefficients[i])
}

// spread returns the standard deviation over the levels, with the reference among them at
// 0. The square of an estimated spread is too large by the variance of the estimates, which
// is therefore subtracted. The interval is that of the delta method; it begins at 0 unless
// Wald's test shows that the levels differ. With two levels it is half of the interval of
// their difference.
func (f *fit) spread(list []estimate) Contrast {
	n, k := len(list), float64(len(list)+1)
	mean := 0.0
	for _, e := range list {
		mean += e.value / k
	}
	values := mat.NewVecDense(n, nil)
	covariance := mat.NewSymDense(n, nil)
	square, chance, linear, df := mean*mean, 0.0, 0.0, math.Inf(1)
	for i, e := range list {
		values.SetVec(i, e.value)
		square += (e.value - mean) * (e.value - mean)
		df = min(df, f.degrees(e))
		for j := range i + 1 {
			v := f.covariance(e, list[j])
			if i == j {
				v = f.variance(e)
				chance += v
			}
			covariance.SetSym(i, j, v)
		}
	}
	for i := range n {
		for j := range n {
			v := covariance.At(i, j)
			chance -= v / k
			linear += (list[i].value - mean) * v * (list[j].value - mean)
		}
	}
	plain := math.Sqrt(square / k)
	if plain == 0 { // the delta method has no slope at 0: the upper end is what chance alone may show
		return Contrast{Hi: quantile(df, 1) * math.Sqrt(math.Max(0, chance)/k)}
	}
	out := Contrast{Difference: math.Sqrt(math.Max(0, square-chance) / k)}
	reach := quantile(df, 1) * math.Sqrt(math.Max(0, linear)) / (k * plain)
	out.Lo, out.Hi = math.Max(0, plain-reach), plain+reach
	if !differ(values, covariance, df) {
		out.Lo = 0
	}
	return out
}

// differ reports whether Wald's test shows that not all values are 0.
func differ(values *mat.VecDense, covariance *mat.SymDense, df float64) bool {
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		return false
	}
	var solved mat.VecDense
	if factor.SolveVecTo(&solved, values) != nil {
		return false
	}
	n := float64(values.Len())
	return mat.Dot(values, &solved)/n > distuv.F{D1: n, D2: df}.Quantile(level)
}
