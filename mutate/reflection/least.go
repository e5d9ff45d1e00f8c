package reflection

// LeastTokens is the approximate number of tokens in the shortest useful answer: the JSON
// with a component, a text of one line and a reason of a few words.
const LeastTokens = 40
