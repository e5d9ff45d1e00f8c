package nights

import (
	"flag"
	"testing"
	"time"
)

var repetitions = flag.Int("repetitions", 0, "print the table of the simulation with so many repetitions")

func TestTable(t *testing.T) {
	if *repetitions == 0 {
		t.Skip("a benchmark: make bench-stats")
	}
	start := time.Now()
	if err := Print(t.Output(), Worlds(), Policies(), *repetitions, 1); err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
}
