// Package skill drafts a skill text from successful transcripts of the same shape, and
// vetoes drafts that do not generalise, such as those from fewer than three clusters of
// tasks. It only proposes skills and never activates them; it writes nothing.
//
// A shape is the sequence of the tools that were called successfully, each with the names
// of its arguments, with repetitions folded. A draft ([Draft]) states when to use the skill
// (the words that its goals share and others lack), the steps with <placeholders> where the
// arguments differed, what to expect, and on how many tasks the shape was seen. It contains
// words from the goals, names of tools, and short arguments that were the same everywhere,
// and no other foreign text. After a person has approved it, it is stored in
// agents/<id>/skills/<name>.md ([Parse], [Definition.Encode]) and is part of the prompt
// ([Section]).
package skill
