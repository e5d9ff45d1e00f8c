package reflection

// LeastTokens is about the tokens of the shortest useful answer: the JSON of a component, a
// text of one line and a reason of a few words.
const LeastTokens = 40
