// Package stats owns every statistic that is shown or decided on. Functions are pure; the source of
// each formula is beside it.
//
// Evidence that a candidate is better is gathered in a [Sample] of paired differences: it may be looked
// at after every complete block of every night. Two claims are never mixed up: "better on
// these tasks", which the evidence proves exactly, and "better on new tasks like these", which needs
// the variance between tasks ([Components], [NewTaskLower]). [Judge] rules on a candidate by both, and
// by its guards and domains; [Conclude] draws a night's verdict from the rulings. [Compare] is the
// fixed-sample comparison for what nothing is decided on, [CompareSequential] the
// one that may be looked at any time, [NoiseFloor] the champion against itself.
package stats
