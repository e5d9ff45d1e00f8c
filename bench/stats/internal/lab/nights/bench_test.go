package nights

import (
	"flag"
	"os"
	"testing"
)

var repetitions = flag.Int("repetitions", 0, "repetitions of each world in the tables; 0: no tables")

// BenchmarkNights prints the tables of `make bench-stats`.
func BenchmarkNights(b *testing.B) {
	if *repetitions == 0 {
		b.Skip("make bench-stats prints the tables")
	}
	for b.Loop() {
		if err := Print(os.Stdout, Worlds(), Policies(), *repetitions, 1); err != nil {
			b.Fatal(err)
		}
	}
}
