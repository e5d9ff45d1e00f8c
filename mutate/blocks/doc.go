// Package blocks implements marked blocks in source code in any language:
//
//	// evolve:begin evict
//	func score(age, size float64) float64 { return age * size }
//	// evolve:end evict
//
// It finds them ([Find]), describes them as a space of texts ([Space]), and replaces their
// texts ([Set]), leaving every other byte unchanged. A marker is a line that contains only
// a comment with the mark; a mark in a string or in a longer comment of the file's language
// is not a marker ([Quoted]). The package runs no code. Its input is untrusted data, whose
// size is limited.
//
// A comment begins with //, #, --, ;, %, ', ", !, /*, (*, {-, <!-- or REM. If this kind of
// comment has a closing sign, that sign ends the line. The mark evolve:begin is followed by
// the block's name, which must be unique among the files of a target; evolve:end may repeat
// the name. The text of a block consists of the whole lines between its markers. Blocks
// neither nest nor overlap.
//
// The following are refused: a marker without its counterpart, a name that is used twice,
// an empty block, a text that is not UTF-8 or contains a NUL byte, and a file with mixed
// line endings, because it would be unclear which of them a new text should use.
package blocks
