package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// oracle is a case with a result calculated by another program or by hand.
type oracle struct {
	ID, Function string
	Input        struct {
		Wins, Losses, Ties int
		Differences        []float64
		// Rows are rows of differences, one for each task. Pattern stands for ten tasks i
		// by thirty blocks r, both counted from 1, with z = (7i+3r) mod 10: a win if z is
		// below base + step·(i mod 4), a loss if z is 9.
		Rows    [][]float64
		Pattern []int
		// Sequence is the number of values frac(√2·t), with t from 1.
		Sequence                   int
		Margin, Alpha, Level, Mean float64
		Interval                   []float64
		Between                    float64
		Tasks                      int
	}
	Expected  []float64
	Tolerance float64
}

func TestOracles(t *testing.T) {
	raw, err := os.ReadFile("testdata/oracles.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracle
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 26 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			got := c.compute(t)
			if len(got) != len(c.Expected) {
				t.Fatalf("%d numbers, want %d", len(got), len(c.Expected))
			}
			for i, want := range c.Expected {
				near(t, fmt.Sprint("number ", i), got[i], want, c.Tolerance)
			}
		})
	}
}

func (c oracle) sample() *Sample {
	s := NewSample(c.Input.Differences...)
	s.Add(1, c.Input.Wins)
	s.Add(-1, c.Input.Losses)
	s.Add(0, c.Input.Ties)
	for _, row := range c.rows() {
		for _, d := range row {
			s.Add(d, 1)
		}
	}
	return s
}

func (c oracle) rows() [][]float64 {
	if len(c.Input.Pattern) == 0 {
		return c.Input.Rows
	}
	rows := make([][]float64, 10)
	for i := range rows {
		for r := range 30 {
			z, d := (7*(i+1)+3*(r+1))%10, 0.0
			switch {
			case z < c.Input.Pattern[0]+c.Input.Pattern[1]*((i+1)%4):
				d = 1
			case z == 9:
				d = -1
			}
			rows[i] = append(rows[i], d)
		}
	}
	return rows
}

func (c oracle) compute(t *testing.T) []float64 {
	in, s := c.Input, c.sample()
	switch c.Function {
	case "bets":
		return bets[:]
	case "superior":
		return []float64{s.LogSuperior(in.Margin)}
	case "inferior":
		return []float64{s.LogInferior(in.Margin)}
	case "interval":
		i := s.Interval(in.Level)
		return []float64{i.Lo, i.Hi}
	case "lower":
		return []float64{s.Lower(in.Alpha)}
	case "mcnemar":
		return []float64{McNemar(in.Wins, in.Losses)}
	case "student":
		pairs := make([]Pair, len(in.Differences))
		for i, d := range in.Differences {
			pairs[i] = Pair{Task: fmt.Sprint(i), A: []float64{0}, B: []float64{d}}
		}
		c := Compare(pairs, in.Level)
		return []float64{c.P, c.Lo, c.Hi}
	case "components":
		c := newComponents(in.Rows)
		return []float64{c.Mean, c.Between, c.Within, c.SETasks, c.SENew}
	case "mixture":
		for i := range in.Sequence {
			_, y := math.Modf(math.Sqrt2 * float64(i+1))
			s.Add(2*y-1, 1)
		}
		return []float64{s.LogSuperior(2*in.Mean - 1)}
	case "new interval":
		components := Components{Between: in.Between, Tasks: in.Tasks, Effective: float64(in.Tasks), Repeated: true}
		i := components.widen(in.Mean, Interval{Lo: in.Interval[0], Hi: in.Interval[1]}, (1-in.Level)/2)
		return []float64{i.Lo, i.Hi}
	case "new lower":
		bound, limit := NewTaskLower(s, newComponents(c.rows()), in.Alpha)
		return []float64{bound, limit}
	}
	t.Fatalf("no function computes %q", c.Function)
	return nil
}
