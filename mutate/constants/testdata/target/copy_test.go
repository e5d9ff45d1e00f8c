package target

import "testing"

func BenchmarkSmall(b *testing.B) { measure(b, 1000) }

func BenchmarkLarge(b *testing.B) { measure(b, 10_000) }

// measure reports counted work, which no machine changes.
func measure(b *testing.B, size int) {
	work := 0
	for b.Loop() {
		work += Work(size)
	}
	b.ReportMetric(float64(work)/float64(b.N), "work/op")
}
