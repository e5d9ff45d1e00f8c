// Package diff owns foreign changes of text: unified diffs as people and models
// write them, and pairs of old and new text. It reads them tolerantly and applies
// them exactly or not at all: what a change says must be there is found once, or
// where it says, byte for byte; everything else is refused with a reason. It also
// renders changes for people's eyes, with every character that could deceive them
// escaped. It knows neither git nor the disk.
package diff
