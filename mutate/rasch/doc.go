// Package rasch owns the statistical model of a search: which configs are able, and
// which tasks are hard, from evaluations of any config on any task.
//
// It is an item-response model (Rasch 1960) whose abilities are a Gaussian process
// over configs (Rasmussen & Williams 2006):
//
//	P(y = 1) = σ(f(x) + b),  b ~ N(0, 4),  f ~ GP(0, k),
//
// fitted by penalised quasi-likelihood (Breslow & Clayton 1993): Newton steps for the
// abilities through a Cholesky factor and for every task effect by turns. Scores that
// are not 0 or 1 get Pearson's dispersion. Hyperparameters are the most probable
// ones under log-normal priors. It knows neither parameters nor tasks by name.
package rasch
