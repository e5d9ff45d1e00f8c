// Package reports owns the morning report: one view model ([Report], made by
// [Build]), computed only from stored records, and its renderings as terminal
// text, Markdown, a self-contained HTML page and JSON, with an index of all runs.
//
// The way of a report: records → [Build] → [Report] → sections (section.go: the
// order of the page, as data) → a rendering. JSON is the view model itself; the
// other three draw the same sections, so that they never disagree. A further
// section is a further entry in that list.
//
// It computes no statistic that bench/stats did not, and takes no count from a
// stored counter: counts are made from the evaluation records. It reads no clock,
// no environment and no file, so the same records give the same bytes; whatever
// depends on time, host or timing stands in [Volatile].
//
// Text from agents, tasks and tools is data: it is made visible (foreign.go) and
// then escaped by each rendering. The package writes only to the writer it is given.
package reports
