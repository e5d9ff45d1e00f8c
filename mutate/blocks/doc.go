// Package blocks implements marked blocks of source code in any language:
//
//	// evolve:begin evict
//	func score(age, size float64) float64 { return age * size }
//	// evolve:end evict
//
// It finds them ([Find]), describes them as a space of texts ([Space]), and replaces their
// texts ([Set]), leaving every other byte unchanged. A marker is a line that holds nothing
// but a comment with the mark; a mark in a string or in a longer comment of the file's
// language is not a marker ([Quoted]). It runs nothing; its input is foreign data, and its
// size is bounded.
//
// A comment begins with //, #, --, ;, %, ', ", !, /*, (*, {-, <!-- or REM, and its closing
// sign, where it has one, ends the line. The mark evolve:begin has the block's name, which
// is unique among the files of a target; evolve:end may repeat it. The text of a block are
// the whole lines between its markers. Blocks neither nest nor overlap.
//
// The following are refused: a marker without its counterpart, a name twice, an empty block,
// a text that is no UTF-8 or has a NUL, and lines that end in different ways, since a new
// text could not be written the way the old one was.
package blocks
