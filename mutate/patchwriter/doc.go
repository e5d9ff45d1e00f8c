// Package patchwriter owns the patches that a language model writes at night: the model
// sees how an agent failed on search tasks and the source files that a patch may change,
// and returns a rationale with a unified diff (spec 6.1). It chooses what is shown,
// builds the prompt and reads the answer as foreign text. Whether the diff applies, and
// whether it may, is for others to say: a refusal of theirs can be told to the model
// once. It writes nothing and never sees a holdout task.
package patchwriter
