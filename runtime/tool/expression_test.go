package tool

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEvaluate(t *testing.T) {
	for text, want := range map[string]float64{
		"1+2*3": 7, "(1+2)*3": 9, "2^3^2": 512, "-2^2": -4, "2^-1": .5, "10 % 3": 1, "15% of 80": 12, "100 + 10%": 100.1,
		"15%*80": 12, "sqrt(144)": 12, "round(2.345, 2)": 2.35, "round(2.5)": 3, "max(1,5,3)": 5, "min(4, 2)": 2,
		"sum(1,2,3)": 6, "avg(3,4,8)": 5, "pi": math.Pi, "1.5e3": 1500, "2e": math.NaN(), "abs(-3)": 3, "1_000 / 4": 250,
		"6 ÷ 2 × 3 − 1": 8, "2**3": 8, "7 % (4)": 3, "10 - - 3": 13, "log(1000)": 3,
	} {
		got, err := Evaluate(text)
		if math.IsNaN(want) {
			if err == nil {
				t.Errorf("%s gives %v", text, got)
			}
			continue
		}
		if err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "1+", "(1", "1)", "1/0", "5 % 0", "sqrt(-1)", "9^9^9", "foo(1)", "sqrt(1,2)", "sqrt", "1..2", "max()", "1 2", "€5",
		strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500), strings.Repeat("1+", 600) + "1", strings.Repeat("2^", 100) + "2",
	} {
		if v, err := Evaluate(text); err == nil {
			t.Errorf("%.40q gives %v", text, v)
		}
	}
}

// TestEvaluateAgreesWithGo draws sums and products and computes each with Evaluate and with
// Go.
func TestEvaluateAgreesWithGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(-99, 99), 1, 4), 1, 6).Draw(t, "terms")
		var parts []string
		var want float64
		for _, factors := range terms {
			product := 1.0
			var texts []string
			for _, f := range factors {
				product *= float64(f)
				texts = append(texts, "("+FormatNumber(float64(f))+")")
			}
			want += product
			parts = append(parts, strings.Join(texts, "*"))
		}
		got, err := Evaluate(strings.Join(parts, " + "))
		if err != nil || got != want {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	})
}

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{.1 + .2: "0.3", 1e15: "1000000000000000", math.Copysign(0, -1): "0", 2.50: "2.5", 1.0 / 3: "0.333333333333"} {
		if got := FormatNumber(v); got != want {
			t.Errorf("%v: %s", v, got)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{"1+2", "15% of 80", "avg(1,2", "2^^2", "((((", "1e999", "sqrt(2)%", "é", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Evaluate(text)
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%q gives %v", text, v)
		}
	})
}
