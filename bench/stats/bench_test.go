package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// passFail returns 800 pass/fail pairs with a gain of 8 points.
func passFail() *Sample {
	s := NewSample()
	s.Add(1, 170)
	s.Add(-1, 105)
	s.Add(0, 525)
	return s
}

func graded(n int) *Sample {
	rng := rand.New(rand.NewPCG(1, 1))
	s := NewSample()
	for range n {
		s.Add(.08+.3*rng.NormFloat64(), 1)
	}
	return s
}

func BenchmarkLogSuperior(b *testing.B) {
	s := passFail()
	for b.Loop() {
		s.LogSuperior(0)
	}
}

func BenchmarkLogSuperiorMargin(b *testing.B) {
	s := passFail()
	for b.Loop() {
		s.LogSuperior(.05)
	}
}

func BenchmarkLower(b *testing.B) {
	for _, c := range []struct {
		name string
		s    *Sample
	}{{"pass-fail", passFail()}, {"graded-800", graded(800)}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.s.Lower(1. / 240)
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tasks := range []int{40, 200} {
		pairs := make([]Pair, tasks)
		for i := range pairs {
			pairs[i] = Pair{Task: fmt.Sprint(i), Domain: fmt.Sprint(i % 4)}
			for range 10 {
				pairs[i].A = append(pairs[i].A, float64(rng.IntN(2)))
				pairs[i].B = append(pairs[i].B, float64(rng.IntN(2)))
				pairs[i].CostA = append(pairs[i].CostA, 1+rng.Float64())
				pairs[i].CostB = append(pairs[i].CostB, 1+rng.Float64())
			}
		}
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			for b.Loop() {
				Judge("v", pairs, Rule{Alpha: 1. / 240, Guards: DefaultBounds()})
			}
		})
	}
}
