package text

import "strings"

// YesOrNo returns what a person's line answers to a question of yes or no, and whether it is an
// answer: y, yes, n or no in any case of letters. An empty one is no.
func YesOrNo(line string) (yes, known bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, true
	case "", "n", "no":
		return false, true
	}
	return false, false
}
