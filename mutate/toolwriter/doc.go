// Package toolwriter implements tools that a language model rewrites at night. The model
// gets a tool that an agent wrote, with the experience from its live turns, and returns a
// new version of it, or another tool in addition to it. The package builds the prompt and
// parses the answer as foreign text. Callers run the tests of a draft; they can send a
// refusal back to the model. The package writes nothing.
package toolwriter
