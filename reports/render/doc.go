// Package render writes a report as terminal text, Markdown, a self-contained HTML page and
// JSON, and writes an index of all runs.
//
// Data flow: [model.Report] → sections (section.go: the order of the page, as data) → a
// rendering. JSON is the view model itself. The other three renderings show the same
// sections, so they cannot disagree. To add a section, add an entry to the list in
// section.go.
//
// Text from agents, tasks and tools is treated as data: runtime/text makes it visible and
// each rendering escapes it. The package does not import the archive, computes no
// statistics, and writes only to the writer that it is given. The same report gives the
// same bytes.
package render
