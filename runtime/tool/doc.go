// Package tool provides the tools that an agent may call: their declaration (name, JSON
// schema, effect, origin, category, domains), the registry that calls them, and the
// built-in read-only tools, which are restricted to the evaluation's workdir. The package
// writes nothing. The failure of a tool is a typed outcome for the model; a Go error ends
// the run.
package tool
