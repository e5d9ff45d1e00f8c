// Package text makes foreign text safe to show: what agents, models, files and people
// wrote can hold characters that act on a terminal, reverse the order of what follows,
// have no shape, or make a spreadsheet run a formula. One function, [Shown], decides which
// characters are shown as they are; whatever shows text escapes all others.
//
// It writes nothing, and it does not decide what a text means.
package text
