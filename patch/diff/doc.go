// Package diff reads and applies untrusted changes to text: unified diffs as people and
// models write them, and pairs of old and new text. It parses tolerantly, and applies a
// change exactly or not at all. The expected text must be found, byte for byte, exactly
// once or at the stated place; everything else is refused with a reason. The package also
// renders changes for people, with every deceptive character escaped. It does not depend
// on git and does no I/O.
//
// What a diff states is trusted only as far as it can be checked. Lines are counted
// again. Line numbers serve only to choose among places that match anyway. If the first
// hash on an index line is the hash of the base, the result must have the second hash.
package diff
