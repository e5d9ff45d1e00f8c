// Package watch compares the active config of an agent with its past: with its own scores
// of earlier nights, with the prediction at its adoption, and with the config that it
// replaced. It reads the records of nights, and adds no evaluation.
//
// The scores are those of search tasks, so that no holdout task is exposed for it. For an
// agent whose answers vary they are the reruns of the champion alone: their tasks and their
// number do not depend on any score, as those of a search do. An agent that gives the same
// answer on every repeat has one score for a task as long as neither its config nor its
// folder changes, whatever stage measured it.
package watch
