// Package reports produces the morning report: one view model ([Report], made by
// [Build]), computed only from stored records, and its renderings as terminal text,
// Markdown, a self-contained HTML page and JSON, with an index of all runs.
//
// Data flow: records → [Build] → [Report] → sections (section.go: the order of the page,
// as data) → a rendering. JSON is the view model itself; the other three render the same
// sections, so they cannot disagree. To add a section, add an entry to that list.
//
// The package computes no statistics beyond those of bench/stats, and uses no stored
// counters: counts are made from the evaluation records. It reads no clock, no
// environment and no file, so the same records give the same bytes; everything that
// depends on time, host or timing is in [Volatile].
//
// Text from agents, tasks and tools is data: foreign.go makes it visible and each
// rendering escapes it. The package writes only to the writer that it is given.
package reports
