// Package irt implements the statistical model of a search: it estimates the abilities of
// configs and the difficulties of tasks from evaluations of any config on any task.
//
// It is an item-response model (Rasch 1960) whose abilities are a Gaussian process over
// configs (Rasmussen & Williams 2006):
//
//	P(y = 1) = σ(f(x) + b),  b ~ N(0, 4),  f ~ GP(0, k).
//
// The model is fitted by penalised quasi-likelihood (Breslow & Clayton 1993): Newton steps
// for the abilities, computed through a Cholesky factor, alternate with steps for every
// task effect. For scores other than 0 and 1, Pearson's dispersion is used. The
// hyperparameters are the most probable ones under log-normal priors. The package works on
// points and task numbers, and does not depend on what the parameters and tasks are.
package irt
