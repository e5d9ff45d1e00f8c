package grade

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFindNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"":                               nil,
		"none":                           nil,
		"42":                             {42},
		"The answer is 42.":              {42},
		"3.14":                           {3.14},
		".5 and 5.":                      {.5, 5},
		"-7":                             {-7},
		"\u22127 or +8":                  {-7, 8},
		"3-5":                            {3, 5},
		"x-5":                            {5},
		"(2)-1":                          {2, 1},
		"-$5.50":                         {-5.5},
		"$-5.50":                         {-5.5},
		"€1,234.50":                      {1234.5},
		"1,234,567":                      {1234567},
		"1,5":                            {1, 5},
		"12,34":                          {12, 34},
		"1234,567":                       {1234, 567},
		"1,2345":                         {1, 2345},
		"1,234'567":                      {1234, 567},
		"1\u202f234\u202f567":            {1234567},
		"1 234":                          {1, 234},
		"1_000_000":                      {1000000},
		"12 % and 7%":                    {12, 7},
		"1e3 2.5E-1":                     {1000, .25},
		"1e\u22123":                      {.001},
		"5elephants":                     {5},
		"18km, 5kg":                      {18, 5},
		"R2D2 x_7":                       nil,
		"GPT4 says \\boxed{18}":          {18},
		"**42**":                         {42},
		"nan NaN inf Infinity":           nil,
		"1e999":                          {math.Inf(1)},
		"3/4":                            {3, 4},
		"18\nA: 20":                      {18, 20},
		"\xff7":                          {7},
		"0x10":                           {0},
		"2026-11-20":                     {2026, 11, 20},
		"99999999999999999999":           {1e20},
		"\u0664\u0662 are other digits":  nil,
		"１２ are wide digits":             nil,
		"1.2.3":                          {1.2, .3},
		"a,1":                            {1},
		"the total:1,000,000.00 dollars": {1e6},
	} {
		var got []float64
		findNumbers(text, func(n number) bool { got = append(got, n.value); return true })
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestNumeric(t *testing.T) {
	for _, c := range []struct {
		grader, answer string
		pass           bool
	}{
		{`{"type":"numeric","answer":3.5,"tolerance":0.01}`, "about 3.505", true},
		{`{"type":"numeric","answer":3.5,"tolerance":0.01}`, "3.52", false},
		{`{"type":"numeric","answer":0.3}`, "0.30000000000000004", true},
		{`{"type":"numeric","answer":0.3}`, "0.3001", false},
		{`{"type":"numeric","answer":1000,"relative":0.01}`, "1,010", true},
		{`{"type":"numeric","answer":1000,"relative":0.01}`, "1011", false},
		{`{"type":"numeric","answer":0}`, "1e-300", false},
		{`{"type":"numeric","answer":0}`, "-0", true},
		{`{"type":"numeric","answer":18}`, "16 - 3 = 13, so 18", true},
		{`{"type":"numeric","answer":18}`, "18 of 20", false},
		{`{"type":"numeric","answer":18,"pick":"first"}`, "18 of 20", true},
		{`{"type":"numeric","answer":[1,2]}`, "2", true},
		{`{"type":"numeric","answer":"1,234"}`, "1234", true},
		{`{"type":"numeric","answer":12}`, "12%", true},
		{`{"type":"numeric","answer":0.12}`, "12%", false},
		{`{"type":"numeric","answer":0.12,"percent":true}`, "12 %", true},
		{`{"type":"numeric","answer":"12%","percent":true}`, "0.12", true},
		{`{"type":"numeric","answer":5}`, "NaN", false},
		{`{"type":"numeric","answer":5,"tolerance":1e308}`, "1e999", false},
		{`{"type":"numeric","answer":5,"tolerance":1e308}`, "Infinity", false},
		{`{"type":"numeric","answer":1.7e308,"relative":1}`, "-1.7e308", false},
		{`{"type":"numeric","answer":5,"not":true}`, "no number here", false},
		{`{"type":"numeric","answer":5,"not":true}`, "6", true},
	} {
		if g := gradeOne(t, task(t, "", c.grader), answered(c.answer)); g.Pass != c.pass {
			t.Errorf("%s on %q: %+v", c.grader, c.answer, g)
		}
	}
}

// TestNumbersReadBack checks that numbers in Go's formats are read back unchanged.
func TestNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64().Draw(t, "value")
		format := rapid.SampledFrom([]string{"%v", "%g", "so %.17g.", "%e", "= %v, done", "(%v)", "\"%v\""}).Draw(t, "format")
		text := fmt.Sprintf(format, want)
		got, ok := pickNumber(text, rapid.Bool().Draw(t, "first"), false)
		if !ok || math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Fatalf("%q is read as %v", text, got)
		}
	})
}
