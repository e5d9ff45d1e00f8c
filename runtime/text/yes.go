package text

import "strings"

// YesOrNo returns a person's answer to a yes-or-no question, and whether the line is an
// answer: y, yes, n or no in any letter case. An empty line means no.
func YesOrNo(line string) (yes, known bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, true
	case "", "n", "no":
		return false, true
	}
	return false, false
}
