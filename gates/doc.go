// Package gates runs the automatic checks that a proposal must pass before a person may
// approve it (for instance that the base is unchanged, the config is valid, and a rollback
// was rehearsed), and derives the proposal's state from their verdicts. A gate that was
// never run has not passed.
package gates
