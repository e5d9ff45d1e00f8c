// Package diff owns foreign changes of text: unified diffs as people and models
// write them, and pairs of old and new text. It reads them tolerantly and applies
// them exactly or not at all: what a change says must be there is found once, or
// where it says, byte for byte; everything else is refused with a reason. It also
// renders changes for people's eyes, with every character that could deceive them
// escaped. It knows neither git nor the disk.
//
// What a diff says of itself is believed only as far as it can be checked. Counts
// are counted again from the lines, line numbers are used only among places that
// match anyway, and the hashes of an index line, when the first is the base's, must
// come out as the second.
package diff
