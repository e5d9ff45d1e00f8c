// Package toolwriter has a language model rewrite tools at night. The model gets a tool
// that an agent wrote, with the experience from its live turns, and returns a new version
// of the tool, or another tool in addition to it. The package builds the prompt and
// parses the answer as untrusted text. Callers run the tests of a draft; a caller that
// refuses the draft can send the reason back to the model. The package writes nothing.
package toolwriter
