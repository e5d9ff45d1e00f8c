// Package text makes foreign text safe to show: text of agents, models, files and
// people can be of any length, can contain characters that control a terminal, reverse
// the order of what follows, are invisible, or make a spreadsheet run a formula. One
// function, [Shown], decides which characters are shown unchanged; all code that
// displays text escapes the others.
//
//   - [Clip] limits the length.
//   - [Visible], [VisibleLines], [VisibleCode], [OneLine], [Cell] and [JSON] escape
//     characters that are not shown.
//   - [Inert] does so for a commit message or a pull request, in which hosts act on text.
//   - [Head] and [Tail] keep the beginning and the end of a program's output.
//   - [Quote] does both, for a message.
//   - [Wrap] breaks text into lines, measured by [Width].
//   - [Nearest] finds the name that a misspelt one stands for.
//   - [RepeatedKey] finds a key that a JSON object has twice.
//
// It writes nothing, and it interprets no text but those keys.
package text
