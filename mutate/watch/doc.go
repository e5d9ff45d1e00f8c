// Package watch compares the active config of an agent with its past: with its own scores
// from earlier nights, with the prediction made at its adoption, and with the config that
// it replaced. It reads the records of nights and adds no evaluations.
//
// The scores are scores on search tasks, so the comparison does not expose any holdout
// task. For an agent whose answers vary, only the reruns of the champion are used, because
// their tasks and their number, unlike those of a search, do not depend on any score. An
// agent that gives the same answer on every repeat has one score on a task as long as
// neither its config nor its folder changes, whatever stage measured it.
package watch
