// Package diff reads and applies foreign changes of text: unified diffs as people and
// models write them, and pairs of old and new text. It parses tolerantly and applies a
// change exactly or not at all: the expected text must be found once, or at the stated
// place, byte for byte; everything else is refused with a reason. It also renders changes
// for people, with every deceptive character escaped. It does not depend on git and does
// no I/O.
//
// Statements in a diff are trusted only as far as they can be checked. Lines are counted
// again, line numbers only choose among places that match anyway, and if the first hash
// of an index line is the base's, the result must have the second.
package diff
