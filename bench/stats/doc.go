// Package stats owns every statistic that is shown or decided on: paired
// comparisons clustered by task, multiplicity, power, noise floors. Functions are
// pure; the source of each formula is beside it.
package stats
