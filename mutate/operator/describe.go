package operator

import (
	"fmt"
	"slices"
	"strings"
)

// describeChange returns a description of the change to one parameter, for the rationale.
func describeChange(name string, before, after any) string {
	if b, ok := before.(string); ok {
		a, _ := after.(string)
		if strings.Contains(a+b, "\n") || len(a)+len(b) > 80 {
			return name + " " + lineChange(b, a)
		}
	}
	return fmt.Sprintf("%s %s → %s", name, formatValue(before), formatValue(after))
}

// lineChange returns the added lines, each marked with +, followed by the removed lines,
// each marked with −.
func lineChange(before, after string) string {
	old, now := SplitLines(before), SplitLines(after)
	var parts []string
	for _, l := range now {
		if !slices.Contains(old, l) {
			parts = append(parts, "+ "+l)
		}
	}
	for _, l := range old {
		if !slices.Contains(now, l) {
			parts = append(parts, "− "+l)
		}
	}
	return strings.Join(parts, ", ")
}

// formatValue formats a value.
func formatValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case []string:
		return "[" + strings.Join(v, " ") + "]"
	case string:
		return fmt.Sprintf("%q", v)
	case float64:
		s := fmt.Sprint(v)
		if rest, ok := strings.CutPrefix(s, "0."); ok {
			return "." + rest
		}
		return s
	}
	return fmt.Sprint(v)
}
