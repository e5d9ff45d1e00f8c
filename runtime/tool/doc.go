// Package tool provides the tools that an agent may call: their declaration (name, JSON
// schema, effect, origin, category, domains), the registry that calls them, and the
// built-in read-only tools, rooted in the evaluation's workdir. It writes nothing. A
// tool's failure is a typed outcome for the model; a Go error ends the run.
package tool
