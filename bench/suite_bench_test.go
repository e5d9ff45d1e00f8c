package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkReadSuite reads a suite of 10,000 short tasks.
func BenchmarkReadSuite(b *testing.B) {
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"id":"t%d","domain":"d%d","goal":"what is %d","graders":[{"type":"exact","answer":"%d"}],"cluster":"c%d"}`+"\n", i, i%10, i, i, i/3)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, issues := ReadSuite(bytes.NewReader(text.Bytes()), "s", nil, plainRules); len(issues) > 0 {
			b.Fatal(issues)
		}
	}
}

// BenchmarkFindDuplicates compares tasks of 8 to 40 words; the time per task should grow
// little with the number of tasks.
func BenchmarkFindDuplicates(b *testing.B) {
	for _, n := range []int{2_000, 20_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tasks := make([]Task, n)
			for i, words := range likeWords(rand.New(rand.NewPCG(1, 2)), n, 8, 40) {
				tasks[i] = Task{ID: fmt.Sprint(i), Goal: strings.Join(words, " ")}
			}
			for b.Loop() {
				FindDuplicates(tasks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/task")
		})
	}
}
