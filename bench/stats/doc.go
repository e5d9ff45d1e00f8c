// Package stats implements all statistics that evolve shows or bases decisions on. Its
// functions are pure; the source of each formula is named in the comment on it.
//
// The evidence that a candidate is better is gathered in a [Sample] of paired differences,
// which may be evaluated after every complete block of every night. There are two separate
// claims: "better on these tasks", which the evidence proves exactly, and "better on new
// tasks like these", which needs the variance between tasks ([Components], [NewTaskLower]).
// [Judge] rules on a candidate by both claims, and by its guards and domains; [Conclude]
// derives a night's verdict from the rulings. [Compare] is the fixed-sample comparison,
// used when nothing is decided, and [NoiseFloor] compares the champion with itself.
package stats
