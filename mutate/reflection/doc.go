// Package reflection owns the reflective mutation: a language model sees a config, how
// it failed and passed on a few search tasks and what was tried before, and returns one
// change of one component with its rationale (spec 5.3). It builds the prompt, reads
// the answer as foreign text and validates the change against the space. It
// writes nothing and never sees a holdout task: its material comes from a search
// view.
package reflection
