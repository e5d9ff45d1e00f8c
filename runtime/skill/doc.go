// Package skill drafts a skill text from at least three successful transcripts of
// the same shape, and vetoes what does not generalise. It proposes and never
// activates; it writes nothing.
//
// A shape is the sequence of the tools that were called with success, each with the
// names of its arguments, repetitions folded. A draft ([Draft]) says when to use it (the words
// that the goals share and others have not), the steps with <placeholders> where the
// arguments differed, what to expect, and on how many tasks it was seen. It holds words of the goals,
// names of tools, and short arguments that were the same everywhere, and no other
// foreign text. A person approves it; then it lies in agents/<id>/skills/<name>.md ([Parse],
// [Definition.Encode]) and is part of the prompt ([Section]).
package skill
