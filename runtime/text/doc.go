// Package text makes foreign text safe to show: text of agents, models, files and
// people can contain characters that control a terminal, reverse the order of what
// follows, are invisible, or make a spreadsheet run a formula. One function, [Shown],
// decides which characters are shown unchanged; all code that displays text escapes the
// others.
//
// It writes nothing, and it does not interpret the text.
package text
