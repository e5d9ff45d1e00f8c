package grade

import (
	"context"
	"testing"

	"evolve/bench"
)

// BenchmarkGrade grades a short answer, which is the usual case.
func BenchmarkGrade(b *testing.B) {
	for _, grader := range []string{
		`{"type":"exact","answer":"transfer"}`, `{"type":"contains","all":["transfer","money"]}`, `{"type":"numeric","answer":42}`, `{"type":"f1","answer":"transfer the money"}`,
	} {
		b.Run(grader[9:14], func(b *testing.B) {
			in := bench.GradeInput{Task: task(b, "", grader), Result: answered("transfer money to 42")}
			g := New(nil, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Grade(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
