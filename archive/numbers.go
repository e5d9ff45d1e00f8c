package archive

import "fmt"

// maxNumber bounds the numbers of runs, variants, proposals, requests, turns and
// evaluations that come from outside. The next number is one more than the highest, so that
// a number near the end of its type would leave none.
const maxNumber = 1_000_000_000

// maxSequence bounds the place of an evaluation in its run, whose high bits are its stage's.
const maxSequence = 1 << 48

// checkNumber refuses a number beyond maxNumber, a negative one included. record names what has it.
func checkNumber(record string, n uint64) error {
	if n > maxNumber {
		return fmt.Errorf("%w: %s: its number %d is not between 0 and %d", ErrCorrupt, record, int64(n), maxNumber)
	}
	return nil
}
