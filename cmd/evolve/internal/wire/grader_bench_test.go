package wire

import (
	"strconv"
	"testing"
)

// BenchmarkCommandGrader measures a grader in Python with a few imports, both started anew
// for each answer and kept running.
func BenchmarkCommandGrader(b *testing.B) {
	for _, c := range []struct{ name, protocol string }{{"start", ""}, {"jsonl", pooledProtocol}} {
		b.Run(c.name, func(b *testing.B) {
			r := newGraderRig(b, c.protocol)
			b.Cleanup(r.box.graders.Keep())
			first, _ := r.process(b) // detects the sandbox
			n := 1
			for b.Loop() {
				n++
				name, number := r.process(b)
				if on := name == first && number == strconv.Itoa(n); on != (c.protocol != "") {
					b.Fatalf("answer %d was graded by %s as its answer %s, the first by %s", n, name, number, first)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evals/s")
		})
	}
}
