package influence

import (
	"cmp"
	"math"
	"slices"
)

// interaction is the result of judging one product of two levels.
type interaction struct {
	first, second           int
	firstLevel, secondLevel int
	estimate
}

// pairs returns the judged pairs of parameters, and the number of interactions that were
// compared.
func (f *fit) pairs() (list []Pair, tested int) {
	var all []interaction
	for p := range f.in.Levels {
		for q := p + 1; q < len(f.in.Levels); q++ {
			all = append(all, f.pair(p, q)...)
		}
	}
	strongest := map[[2]int]int{}
	for _, one := range all {
		s := Pair{First: one.first, Second: one.second, FirstLevel: one.firstLevel, SecondLevel: one.secondLevel}
		s.Contrast = f.contrast(one.estimate, len(all))
		s.strength = math.Abs(one.value) / (s.Hi - one.value)
		at, known := strongest[[2]int{one.first, one.second}]
		switch {
		case !known:
			strongest[[2]int{one.first, one.second}] = len(list)
			list = append(list, s)
		case s.strength > list[at].strength:
			list[at] = s
		}
	}
	slices.SortStableFunc(list, func(a, b Pair) int { return cmp.Compare(b.strength, a.strength) })
	return list, len(all)
}

// pair judges the products of the levels of two parameters.
func (f *fit) pair(p, q int) []interaction {
	cell := func(i, j int) func([]int) bool {
		return func(config []int) bool { return config[p] == i && config[q] == j }
	}
	var kept []interaction
	var columns []column
	for i := 1; i < f.in.Levels[p]; i++ {
		for j := 1; j < f.in.Levels[q]; j++ {
			if !f.has(p, i) || !f.has(q, j) || !f.supported(cell(i, j)) || !f.supported(cell(i, 0)) || !f.supported(cell(0, j)) || !f.supported(cell(0, 0)) {
				continue
			}
			c := f.column(p, i, cell(i, j))
			own := f.product(c, c)
			f.beside(c)
			if f.product(c, c) > dependent*own {
				kept, columns = append(kept, interaction{first: p, second: q, firstLevel: i, secondLevel: j}), append(columns, c)
			}
		}
	}
	// The products are judged together, in a small model of their own for the residuals.
	g := *f
	g.columns, g.factor = nil, nil
	var in []int
	for i, c := range columns {
		if g.enter(c) {
			in = append(in, i)
		}
	}
	g.residual = slices.Clone(f.residual)
	g.finish()
	var out []interaction
	for n, i := range in {
		one := kept[i]
		one.estimate = g.alone(n)
		if one.usable && g.variance(one.estimate) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// has reports whether the model has a column for a level of a parameter.
func (f *fit) has(param, level int) bool {
	return slices.ContainsFunc(f.columns, func(c column) bool { return c.param == param && c.level == level })
}

// beside subtracts from a column the part of it that the columns of the model explain.
func (f *fit) beside(c column) {
	right := make([]float64, len(f.columns))
	for i, other := range f.columns {
		right[i] = f.product(c, other)
	}
	for i, times := range f.solve(right) {
		c.add(f.columns[i], -times)
	}
}
