// Package patchwriter implements patches that a language model writes at night. The model
// gets an agent's failures on search tasks and the source files that a patch may change,
// and returns a rationale with a unified diff. The package selects the material, builds
// the prompt and parses the answer as untrusted text. Callers check whether the diff
// applies and is allowed; they can send one refusal back to the model. The package writes
// nothing and has no access to holdout tasks.
package patchwriter
