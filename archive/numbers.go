package archive

import "fmt"

// maxNumber limits the numbers of runs, variants, proposals, requests, turns and
// evaluations that come from outside. The next number is one more than the highest, so a
// number near the maximum of its type would leave no next number.
const maxNumber = 1_000_000_000

// maxSequence limits the sequence number of an evaluation in its run. The high bits of that
// number belong to the stage.
const maxSequence = 1 << 48

// checkNumber returns an error if n is above maxNumber, which includes every converted
// negative number. record names the record that has the number.
func checkNumber(record string, n uint64) error {
	if n > maxNumber {
		return fmt.Errorf("%w: %s: its number %d is not between 0 and %d", ErrCorrupt, record, int64(n), maxNumber)
	}
	return nil
}
