// Package skill drafts a skill text from at least three successful transcripts of
// the same shape, and vetoes what does not generalise. It proposes and never
// activates; it writes nothing.
package skill
