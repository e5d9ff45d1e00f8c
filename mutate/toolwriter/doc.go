// Package toolwriter implements tools that a language model writes anew at night: the model
// gets a tool that an agent wrote, with the experience of its live turns, and returns a new
// version of it, or a tool beside it. The package builds the prompt and parses the answer as
// foreign text. Callers run the tests of a draft; they can send a refusal back to the model.
// The package writes nothing.
package toolwriter
