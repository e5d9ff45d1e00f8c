package text

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"protocol", "pool", "timeout", "min", "max", "env", "argv"}
	for word, want := range map[string]string{
		"protocal": "protocol", "Protocol": "protocol", "pol": "pool", "mni": "min", "timeuot": "timeout",
		"zebra": "", "x": "", "": "", "arg": "argv",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("protocal", "protocol", "proto")
	f.Fuzz(func(t *testing.T, word, a, b string) {
		if got := Nearest(word, []string{a, b}); got != "" && got != a && got != b {
			t.Fatalf("%q is no candidate", got)
		}
	})
}
