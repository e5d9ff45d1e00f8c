// Package text makes untrusted text safe to show. Text from agents, models, files and
// people can have any length, and can contain characters that control a terminal, reverse
// the order of what follows, are invisible, or make a spreadsheet run a formula. One
// function, [Shown], decides which characters are shown unchanged; all code that displays
// text escapes the others.
//
//   - [Clip] limits the length.
//   - [Visible], [VisibleLines], [VisibleCode], [OneLine], [Cell] and [JSON] escape
//     characters that are not shown.
//   - [Inert] escapes text for a commit message or a pull request, where the hosting service acts on some texts.
//   - [Head] and [Tail] retain the beginning and the end of a program's output.
//   - [Quote] limits and escapes a text for use in a message.
//   - [Wrap] breaks text into lines, measured by [Width].
//   - [Nearest] finds the name that a misspelt one stands for.
//   - [RepeatedKey] finds a key that occurs twice in a JSON object.
//
// The package writes nothing, and it interprets no text except those keys.
package text
