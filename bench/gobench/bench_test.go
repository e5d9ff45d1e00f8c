package gobench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkRead reads the output of 1,000 benchmarks with five units each, mixed with as
// many lines of other output.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("goos: linux\npkg: example.com/m\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "BenchmarkName/case=%d-8   \t  123456\t      %d.5 ns/op\t  81.25 MB/s\t     128 B/op\t       3 allocs/op\t 17 steps/op\n2026/01/01 a line of a log\n", i, i+1)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if run, err := Read(strings.NewReader(text.String())); err != nil || len(run) != 5000 {
			b.Fatal(len(run), err)
		}
	}
}

// BenchmarkCompare compares 50 benchmarks in three units, with an A/A check and ten runs
// per side.
func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	centres := map[Key]float64{}
	var order []Key
	for i := range 50 {
		for _, unit := range []string{sec, "B/op", "allocs/op"} {
			k := Key{fmt.Sprint("Benchmark", i), unit}
			centres[k] = 1
			order = append(order, k)
		}
	}
	m := Measured{Base: runs(rng, 10, .02, centres, order...), Again: runs(rng, 10, .02, centres, order...), Candidate: runs(rng, 10, .02, centres, order...)}
	for b.Loop() {
		if r := Compare(m, Rule{}); r.Verdict == Void {
			b.Fatal(r.Reasons)
		}
	}
}
