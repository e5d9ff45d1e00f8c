// Package patchwriter implements patches written by a language model at night: the model
// gets the failures of an agent on search tasks and the source files that a patch may
// change, and returns a rationale with a unified diff. The package selects the material,
// builds the prompt and parses the answer as foreign text. Callers check whether the diff
// applies and is allowed; they can send one refusal back to the model. The package writes
// nothing and has no access to holdout tasks.
package patchwriter
