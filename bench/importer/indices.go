package importer

import (
	"slices"
	"strconv"
	"strings"
)

// indices records whether the answers in a file are the numbers of their choices, as in
// MMLU. One answer is not enough to decide, because "1" may also be the text of a choice.
type indices struct {
	answers    int  // with choices
	numbers    int  // of these, the answers that are the number of a choice, counted from 0 or from 1
	unlisted   bool // some answer is not among its choices
	zero, last bool // some answer is 0; some answer is the number of choices
}

// take records an answer with its choices.
func (x *indices) take(choices, target []string) {
	x.answers++
	if len(target) != 1 {
		return
	}
	wanted := strings.TrimSpace(target[0])
	n, err := strconv.Atoi(wanted)
	if err != nil || n < 0 || n > len(choices) {
		return
	}
	x.numbers++
	x.zero = x.zero || n == 0
	x.last = x.last || n == len(choices)
	if !slices.ContainsFunc(choices, func(choice string) bool { return strings.EqualFold(strings.TrimSpace(choice), wanted) }) {
		x.unlisted = true
	}
}

// base returns the number of the first choice, 0 or 1. It returns false if the answers are
// not numbers of choices, or do not show where the count begins.
func (x *indices) base() (int, bool) {
	if x.answers == 0 || x.numbers < x.answers || !x.unlisted || x.zero == x.last {
		return 0, false
	}
	if x.zero {
		return 0, true
	}
	return 1, true
}

// letter returns the target as the letter of a choice if it stands for one, and unchanged
// otherwise.
func (c *collector) letter(choices, target []string) []string {
	if c.base == nil {
		c.indices.take(choices, target)
		return lettered(choices, target)
	}
	if n, err := strconv.Atoi(strings.TrimSpace(target[0])); err == nil && n-*c.base < 26 {
		return []string{string(rune('A' + n - *c.base))}
	}
	return target
}
