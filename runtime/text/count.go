package text

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun, which is in the plural unless the number is 1.
func Count(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return "1 " + noun
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
