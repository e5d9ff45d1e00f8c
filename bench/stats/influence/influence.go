// Package influence estimates how much each parameter of an agent, and each pair of
// parameters, moves the score. It uses the evaluations of many configs on common tasks.
//
// It fits the scores with a linear model that has an effect for each task and one for
// each level of each parameter; levels are compared with a reference level. The products
// of two levels are then added to the model, one pair of parameters at a time: the effect
// of a product is what two levels do together beyond the sum of what each does alone. The
// configs of a search are not a random sample, and evaluations of one config or of one
// task resemble each other. The variance therefore combines two jackknives, one that
// leaves out configs and one that leaves out tasks (Cameron, Gelbach and Miller 2011).
// The results describe a search. They are not evidence that a config is better.
package influence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Input holds the evaluations of a search.
type Input struct {
	// Levels is the number of levels of each parameter; level 0 is the reference.
	Levels []int
	// Configs holds for each config the level of each parameter.
	Configs [][]int
	// Tasks is the number of tasks.
	Tasks  int
	Trials []Trial
}

// Trial is one evaluation: the indices of its config and its task, and its score.
type Trial struct {
	Config, Task int
	Score        float64
}

// Contrast is an estimated difference with its interval.
type Contrast struct {
	Difference, Lo, Hi float64
}

// Main is the influence of one parameter.
type Main struct {
	Param int
	// Spread is the standard deviation of the mean score over the levels that were
	// compared, each counted once, minus what chance alone would show. Its interval begins
	// at 0 if no influence is shown.
	Spread Contrast
	// Levels holds the differences between levels and the reference, by level.
	Levels map[int]Contrast
}

// Pair is the strongest interaction of two parameters: what the two levels do together beyond the
// sum of what each does alone.
type Pair struct {
	First, Second           int
	FirstLevel, SecondLevel int
	Contrast
	// strength is the size of the difference relative to the half width of its interval;
	// pairs are sorted by it.
	strength float64
}

// Result holds the influences that the evaluations show.
type Result struct {
	// Mains are the parameters that could be judged, the most influential first.
	Mains []Main
	// Pairs are the pairs of parameters that could be judged, the clearest first. Their
	// intervals hold jointly for all Tested interactions.
	Pairs []Pair
	// Tested counts the interactions that were compared, over all pairs.
	Tested int
}

// MinConfigs and MinTrials are the minimum numbers of configs and of evaluations for a
// statement about a level, or about a combination of two levels. MinTasks is the minimum
// number of tasks for any statement.
const (
	MinConfigs = 5
	MinTrials  = 20
	MinTasks   = 8
)

// level is the confidence level of the intervals.
const level = .95

// together is the assumed correlation of evaluations of one config: the more evaluations a
// config has, the less each of them counts. The variance is valid for any value of
// together.
const together = .1

// Enough reports whether there are enough configs, tasks and evaluations for any statement.
func Enough(configs, tasks, trials int) bool {
	return configs >= 2*MinConfigs && tasks >= MinTasks && trials >= 3*MinTrials
}

// Estimate returns what the evaluations show, or nothing if there are not [Enough] of them.
func Estimate(in Input) Result {
	f := newFit(in)
	if !Enough(f.configs(), f.tasksUsed(), len(in.Trials)) {
		return Result{}
	}
	f.base()
	out := Result{Mains: f.mains()}
	out.Pairs, out.Tested = f.pairs()
	return out
}

// fit is a linear regression by weighted least squares. Each variable has one value for
// each config. Scores and variables enter as deviations from their mean on the task.
type fit struct {
	in     Input
	trials []Trial
	weight []float64 // of the evaluations, indexed by trial
	// ofConfig and ofTask are the sums of the weights of each config and of each task; made
	// is the number of evaluations of each config.
	ofConfig, ofTask []float64
	made             []int
	residual         []float64 // scores minus the means of their tasks, and after finish also minus the fit
	columns          []column
	factor           [][]float64 // Cholesky factor of the matrix of the columns' products
	coefficients     []float64
}

// column is a variable of the model: an indicator of one level, or of two levels together.
type column struct {
	param, level int
	byConfig     []float64
	byTask       []float64 // its means
}

func newFit(in Input) *fit {
	f := &fit{in: in, trials: in.Trials, ofConfig: make([]float64, len(in.Configs)), ofTask: make([]float64, in.Tasks), made: make([]int, len(in.Configs))}
	for _, t := range f.trials {
		f.made[t.Config]++
	}
	f.weight = make([]float64, len(f.trials))
	sums := make([]float64, in.Tasks)
	for i, t := range f.trials {
		w := 1 / (1 + together*float64(f.made[t.Config]-1))
		f.weight[i] = w
		f.ofConfig[t.Config] += w
		f.ofTask[t.Task] += w
		sums[t.Task] += w * t.Score
	}
	f.residual = make([]float64, len(f.trials))
	for i, t := range f.trials {
		f.residual[i] = t.Score - sums[t.Task]/f.ofTask[t.Task]
	}
	return f
}

func (f *fit) configs() int {
	n := 0
	for _, made := range f.made {
		if made > 0 {
			n++
		}
	}
	return n
}

func (f *fit) tasksUsed() int {
	n := 0
	for _, w := range f.ofTask {
		if w > 0 {
			n++
		}
	}
	return n
}

// supported reports whether enough configs and evaluations are in a cell.
func (f *fit) supported(in func(config []int) bool) bool {
	configs, trials := 0, 0
	for c, levels := range f.in.Configs {
		if f.made[c] > 0 && in(levels) {
			configs++
			trials += f.made[c]
		}
	}
	return configs >= MinConfigs && trials >= MinTrials
}

// column makes the column that indicates the configs in a cell.
func (f *fit) column(param, level int, in func(config []int) bool) column {
	c := column{param: param, level: level, byConfig: make([]float64, len(f.in.Configs)), byTask: make([]float64, f.in.Tasks)}
	for i, levels := range f.in.Configs {
		if in(levels) {
			c.byConfig[i] = 1
		}
	}
	for i, t := range f.trials {
		c.byTask[t.Task] += f.weight[i] * c.byConfig[t.Config]
	}
	for t, w := range f.ofTask {
		if w > 0 {
			c.byTask[t] /= w
		}
	}
	return c
}

// product returns the weighted sum, over all evaluations, of the products of two columns,
// each minus its mean on the task.
func (f *fit) product(a, b column) float64 {
	s := 0.0
	for c, w := range f.ofConfig {
		s += w * a.byConfig[c] * b.byConfig[c]
	}
	for t, w := range f.ofTask {
		s -= w * a.byTask[t] * b.byTask[t]
	}
	return s
}

// withResidual returns the weighted sum, over all evaluations, of the product of two
// values: the column's value minus its mean on the task, and the residual.
func (f *fit) withResidual(a column) float64 {
	s := 0.0
	for i, t := range f.trials {
		s += f.weight[i] * (a.byConfig[t.Config] - a.byTask[t.Task]) * f.residual[i]
	}
	return s
}

// add adds a multiple of another column.
func (c column) add(other column, times float64) {
	for i, v := range other.byConfig {
		c.byConfig[i] += times * v
	}
	for i, v := range other.byTask {
		c.byTask[i] += times * v
	}
}

// dependent is a share of a column's length. If less than this share remains once the
// columns before it are projected out, the column counts as a combination of them.
const dependent = 1e-6

// base fits the levels of all parameters.
func (f *fit) base() {
	for p, n := range f.in.Levels {
		for l := 1; l < n; l++ {
			f.enter(f.column(p, l, func(config []int) bool { return config[p] == l }))
		}
	}
	f.finish()
}

// enter adds a column to the model, unless it is a combination of the columns already in
// the model, and reports whether it did.
func (f *fit) enter(c column) bool {
	row := make([]float64, len(f.columns)+1)
	own := f.product(c, c)
	rest := own
	for j, other := range f.columns {
		s := f.product(c, other)
		for k := range j {
			s -= row[k] * f.factor[j][k]
		}
		row[j] = s / f.factor[j][j]
		rest -= row[j] * row[j]
	}
	if !(rest > dependent*own) {
		return false
	}
	row[len(row)-1] = math.Sqrt(rest)
	f.columns, f.factor = append(f.columns, c), append(f.factor, row)
	return true
}

// finish fits the columns to the residuals, and subtracts the fit from the residuals.
func (f *fit) finish() {
	right := make([]float64, len(f.columns))
	for i, c := range f.columns {
		right[i] = f.withResidual(c)
	}
	f.coefficients = f.solve(right)
	sum := column{byConfig: make([]float64, len(f.in.Configs)), byTask: make([]float64, f.in.Tasks)}
	for i, c := range f.columns {
		sum.add(c, f.coefficients[i])
	}
	for i, t := range f.trials {
		f.residual[i] -= sum.byConfig[t.Config] - sum.byTask[t.Task]
	}
}

// solve returns the solution for a right-hand side, using the factor of the columns.
func (f *fit) solve(right []float64) []float64 {
	x := slices.Clone(right)
	for i := range x {
		for j := range i {
			x[i] -= f.factor[i][j] * x[j]
		}
		x[i] /= f.factor[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := i + 1; j < len(x); j++ {
			x[i] -= f.factor[j][i] * x[j]
		}
		x[i] /= f.factor[i][i]
	}
	return x
}

// estimate is a coefficient, with the changes to it that result from leaving out each
// single config and each single task.
type estimate struct {
	value          float64
	configs, tasks []float64
	// ofConfig and ofTask are the parts of the column's length by config and by task.
	ofConfig, ofTask []float64
	column           column
	length           float64
	residual         []float64
	usable           bool
}

// estimate returns the estimate for a column that was made orthogonal to all others of the
// model; value is the column's coefficient.
func (f *fit) estimate(c column, value float64) estimate {
	e := estimate{value: value, column: c, residual: f.residual, configs: make([]float64, len(f.in.Configs)), tasks: make([]float64, f.in.Tasks), usable: true}
	long := 0.0
	lengthOfConfig, lengthOfTask := make([]float64, len(e.configs)), make([]float64, len(e.tasks))
	for i, t := range f.trials {
		x := c.byConfig[t.Config] - c.byTask[t.Task]
		push, length := f.weight[i]*x*f.residual[i], f.weight[i]*x*x
		e.configs[t.Config] += push
		e.tasks[t.Task] += push
		lengthOfConfig[t.Config] += length
		lengthOfTask[t.Task] += length
		long += length
	}
	leave := func(changes, lengths []float64) {
		for i, length := range lengths {
			if long-length <= dependent*long {
				e.usable = e.usable && length == 0
				continue
			}
			changes[i] /= long - length
		}
	}
	e.length, e.ofConfig, e.ofTask = long, lengthOfConfig, lengthOfTask
	leave(e.configs, lengthOfConfig)
	leave(e.tasks, lengthOfTask)
	return e
}

// covariance returns the covariance of two estimates of one model. The contribution of each
// single evaluation is in both jackknives, so it is subtracted once.
func (f *fit) covariance(a, b estimate) float64 {
	jackknife := func(x, y []float64, n int) float64 {
		s := 0.0
		for i := range x {
			s += x[i] * y[i]
		}
		return s * float64(n-1) / float64(n)
	}
	alone := 0.0
	for i, t := range f.trials {
		push := f.weight[i] * a.residual[i]
		alone += push * push * (a.column.byConfig[t.Config] - a.column.byTask[t.Task]) * (b.column.byConfig[t.Config] - b.column.byTask[t.Task])
	}
	return jackknife(a.configs, b.configs, f.configs()) + jackknife(a.tasks, b.tasks, f.tasksUsed()) - alone/a.length/b.length
}

// variance returns the variance of an estimate, which is at least that of either jackknife.
func (f *fit) variance(e estimate) float64 {
	v := f.covariance(e, e)
	for _, changes := range [][]float64{e.configs, e.tasks} {
		s := 0.0
		for _, c := range changes {
			s += c * c
		}
		v = max(v, s*float64(len(changes)-1)/float64(len(changes)))
	}
	return v
}

// degrees returns the degrees of freedom of an estimate: one less than the effective number
// of configs, or of tasks, on which it rests. Configs and tasks that contribute little
// count less.
func (f *fit) degrees(e estimate) float64 {
	return max(1, min(effective(e.ofConfig), effective(e.ofTask))-1)
}

func effective(lengths []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, l := range lengths {
		sum += l
		squares += l * l
	}
	return sum * sum / squares
}

// quantile returns the half width, in standard errors, of one of several intervals that
// hold jointly.
func quantile(df float64, others int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - (1-level)/2/float64(max(1, others)))
}

func (f *fit) contrast(e estimate, others int) Contrast {
	reach := quantile(f.degrees(e), others) * math.Sqrt(f.variance(e))
	return Contrast{e.value, e.value - reach, e.value + reach}
}
