// Package reflection implements the reflective mutation. A language model gets a config,
// its failures and passes on a few search tasks, and earlier changes. It returns one
// change to one component with a rationale. The package builds the prompt, parses the
// answer as untrusted text and validates the change against the space. It writes nothing
// and has no access to holdout tasks: its material comes from a search view.
package reflection
