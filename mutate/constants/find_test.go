package constants

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/runtime/agent"
)

func one(src string) map[string][]byte { return map[string][]byte{"a.go": []byte(src)} }

func TestFindReadsEveryForm(t *testing.T) {
	const src = `// Package p is foreign.
package p

import "time"

// Alone is a size,
// in bytes.
//
//evolve:param min=1 max=0x100 log
const Alone = 64

const (
	// ratio of hits.
	ratio = .5 //evolve:param min=0 max=1 step=0.1

	//evolve:param min=-10 max=10
	shift int = - 3
	mask      = 0x_FF //evolve:param min=0 max=4095
	old       = 0_17  //evolve:param min=0 max=63
	million   = 1_000_000 //evolve:param min=1_000 max=9_000_000
	scale float64 = 2 //evolve:param min=0.5 max=8 log step=2
	plus = +1.5e3 //evolve:param min=1e2 max=1e6 name=the.plus-one
)

func f() {
	const local time.Duration = 5 * time.Second //evolve:param min=1 max=60
	const other = time.Millisecond * 250 //evolve:param min=1 max=1000
//line elsewhere.go:1
	const late = 7 //evolve:param min=1 max=9
}
`
	got, problems := Find(one(src))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []Constant{
		{Name: "Alone", Line: 10, Literal: "64", Value: 64, Whole: true, Min: 1, Max: 256, Log: true, Doc: "Alone is a size, in bytes."},
		{Name: "ratio", Line: 14, Literal: ".5", Value: .5, Max: 1, Step: .1, Doc: "ratio of hits."},
		{Name: "shift", Line: 17, Type: "int", Literal: "- 3", Value: -3, Whole: true, Min: -10, Max: 10},
		{Name: "mask", Line: 18, Literal: "0x_FF", Value: 255, Whole: true, Max: 4095},
		{Name: "old", Line: 19, Literal: "0_17", Value: 15, Whole: true, Max: 63},
		{Name: "million", Line: 20, Literal: "1_000_000", Value: 1e6, Whole: true, Min: 1000, Max: 9e6},
		{Name: "scale", Line: 21, Type: "float64", Literal: "2", Value: 2, Min: .5, Max: 8, Step: 2, Log: true},
		{Name: "the.plus-one", Line: 22, Literal: "+1.5e3", Value: 1500, Min: 100, Max: 1e6},
		{Name: "local", Line: 26, Type: "time.Duration", Unit: "time.Second", Literal: "5", Value: 5, Whole: true, Min: 1, Max: 60},
		{Name: "other", Line: 27, Unit: "time.Millisecond", Literal: "250", Value: 250, Whole: true, Min: 1, Max: 1000},
		{Name: "late", Line: 29, Literal: "7", Value: 7, Whole: true, Min: 1, Max: 9},
	}
	for i := range want {
		want[i].File = "a.go"
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Constant{})); diff != "" {
		t.Error(diff)
	}
	for _, c := range got {
		if src[c.start:c.end] != c.Literal {
			t.Errorf("%s stands at %q", c.Name, src[c.start:c.end])
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"min above max", "const a = 5 //evolve:param min=9 max=1", "a.go:3: min 9 is not below max 1"},
		{"min equal to max", "const a = 5 //evolve:param min=5 max=5", "not below"},
		{"value below", "const a = 5 //evolve:param min=6 max=9", "a.go:3: the value 5 is outside 6 to 9"},
		{"value above", "const a = 5.5 //evolve:param min=0 max=5.4", "outside"},
		{"no max", "const a = 5 //evolve:param min=1", "no max"},
		{"nothing said", "const a = 5 //evolve:param", "no min"},
		{"a fraction for a whole number", "const a = 5 //evolve:param min=1 max=9.5", "whole number, but 5 is (write the constant with a decimal point"},
		{"a duration for a count", "import \"time\"\nconst a = 5 * time.Second //evolve:param min=1s max=9", "a.go:4: min=\"1s\" is not a number (the bounds are in time.Second"},
		{"no number", "const a = .5 //evolve:param min=low max=9", "is not a number"},
		{"not a number", "const a = .5 //evolve:param min=nan max=9", "is not a number"},
		{"infinite", "const a = .5 //evolve:param min=0 max=inf", "is not a number"},
		{"too wide", "const a = .5 //evolve:param min=-1e308 max=1e308", "too wide"},
		{"log of nothing", "const a = 5 //evolve:param min=0 max=9 log", "min above 0"},
		{"log with a value", "const a = 5 //evolve:param min=1 max=9 log=yes", "write log without a value"},
		{"spaces", "const a = 5 //evolve:param min= 1 max=9", "no spaces"},
		{"said twice", "const a = 5 //evolve:param min=1 min=2 max=9", "min twice"},
		{"unknown word", "const a = 5 //evolve:param min=1 max=9 entries", `unknown word "entries"`},
		{"invisible word", "const a = 5 //evolve:param min=1 max=9 \u202e", `unknown word "\u202e"`},
		{"step of nothing", "const a = 5 //evolve:param min=1 max=9 step=0", "above 0"},
		{"step below", "const a = 5 //evolve:param min=1 max=9 step=-1", "above 0"},
		{"factor of one", "const a = 5 //evolve:param min=1 max=9 step=1 log", "above 1"},
		{"not on a step", "const a = 5 //evolve:param min=2 max=9 step=2", "whole number of steps"},
		{"beyond the last step", "const a = 9 //evolve:param min=1 max=9 step=3", "whole number of steps"},
		{"no step fits", "const a = 1 //evolve:param min=1 max=9 step=10", "no step"},
		{"too many steps", "const a = .5 //evolve:param min=0 max=1 step=1e-9", "million steps"},
		{"steps lost in the digits", "const a = 1e15 //evolve:param min=1e15 max=1000000000000100. step=0.01", "too small"},
		{"twins", "const a = 5 //evolve:param min=1 max=9\nfunc f() {\nconst a = 6 //evolve:param min=1 max=9\n}", "a.go:3: 2 marked constants are called a (give them different names"},
		{"a name that is none", "const a = 5 //evolve:param min=1 max=9 name=2x", "cannot be used"},
		{"a name of look-alikes", "const а = 5 //evolve:param min=1 max=9", "is not a valid parameter"},
		{"blank", "const _ = 5 //evolve:param min=1 max=9", "is not a valid parameter"},
		{"a variable", "var a = 5 //evolve:param min=1 max=9", "not attached to a constant (put it"},
		{"a function", "//evolve:param min=1 max=9\nfunc f() {}", "not attached to a constant"},
		{"a whole block", "//evolve:param min=1 max=9\nconst (\na = 5\n)", "not attached to a constant"},
		{"nothing at all", "//evolve:param min=1 max=9\n\nconst a = 5", "not attached to a constant"},
		{"twice", "//evolve:param min=1 max=9\nconst a = 5 //evolve:param min=1 max=9", "marked twice"},
		{"a list", "const a, b = 5, 6 //evolve:param min=1 max=9", "declares several constants"},
		{"iota", "const (\na = iota //evolve:param min=1 max=9\n)", "not a plain number"},
		{"repeating", "const (\na = 5\nb //evolve:param min=1 max=9\n)", "no explicit value"},
		{"repeated", "const (\na = 5 //evolve:param min=1 max=9\nb\n)", "next constant repeats"},
		{"text", `const a = "5" //evolve:param min=1 max=9`, "not a plain number"},
		{"a character", "const a = '5' //evolve:param min=1 max=99", "not a plain number"},
		{"imaginary", "const a = 5i //evolve:param min=1 max=99", "not a plain number"},
		{"an expression", "const a = 1 << 4 //evolve:param min=1 max=99", "not a plain number"},
		{"two numbers", "const a = 2 * 8 //evolve:param min=1 max=99", "not a plain number"},
		{"two signs", "const a = - -8 //evolve:param min=1 max=99", "not a plain number"},
		{"a conversion", "const a = uint8(8) //evolve:param min=1 max=99", "not a plain number"},
		{"brackets", "const a = (8) //evolve:param min=1 max=99", "not a plain number"},
		{"a name", "const b, a = 1, b //evolve:param min=1 max=99", "declares several constants"},
		{"a comment at the sign", "const a = - /* minus */ 8 //evolve:param min=-9 max=99", "between the sign"},
		{"hexadecimal float", "const a = 0x1p-2 //evolve:param min=0 max=1", "hexadecimal float"},
		{"huge", "const a = 9007199254740993 //evolve:param min=0 max=1", "beyond 2^53"},
		{"huge bound", "const a = 5 //evolve:param min=0 max=9007199254740993", "beyond 2^53"},
		{"huge float", "const a = 1e999 //evolve:param min=0 max=1", "too large"},
		{"a byte's range", "const a uint8 = 5 //evolve:param min=0 max=256", "does not fit into uint8"},
		{"no negative", "const a uint = 5 //evolve:param min=-1 max=256", "does not fit into uint"},
		{"a small float's range", "const a float32 = 5 //evolve:param min=0 max=1e39", "does not fit into float32"},
		{"a point in a whole type", "const a int = 5.0 //evolve:param min=0 max=9", "int allows only whole numbers"},
		{"a fraction of a second", "import \"time\"\nconst a = 0.5*time.Second //evolve:param min=0 max=9", "nanoseconds (use a smaller unit"},
		{"three hundred years", "import \"time\"\nconst a = 5*time.Hour //evolve:param min=0 max=9999999", "does not fit into time.Duration"},
		{"a space", "const a = 5 // evolve:param min=1 max=9", "looks like a mark"},
		{"a block comment", "const a = 5 /*evolve:param min=1 max=9*/", "looks like a mark"},
		{"a misspelt mark", "const a = 5 //evolve:params min=1 max=9", "looks like a mark"},
		{"no Go", "const a = = 5 //evolve:param min=1 max=9", "a.go:3: the file does not parse"},
		{"a line comment before no Go", "//line b.go:900\nconst a = = //evolve:param min=1 max=9", "a.go:4: the file does not parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, problems := Find(one("package p\n\n" + c.src + "\n"))
			if len(found) > 0 || len(problems) == 0 || !strings.Contains(problems[0].String(), c.want) {
				t.Errorf("found %v with %v, want %q", found, problems, c.want)
			}
		})
	}
}

func TestFindKeepsOutOfFilesThatMayNotChange(t *testing.T) {
	const mark = "package p\nconst a = 5 //evolve:param min=1 max=9\n"
	for path, want := range map[string]string{"a_test.go": "in a test", "gen.go": "generated", "notes.md": "", "big.go": "more than 1048576"} {
		src := mark
		switch path {
		case "gen.go":
			src = "// Code generated by x. DO NOT EDIT.\n\n" + mark
		case "big.go":
			src += strings.Repeat("//\n", mostBytes/3)
		}
		found, problems := Find(map[string][]byte{path: []byte(src)})
		if text := fmt.Sprint(problems); len(found) > 0 || want == "" && len(problems) > 0 || !strings.Contains(text, want) {
			t.Errorf("%s: found %v with %v", path, found, problems)
		}
	}
}

func TestFindIsBounded(t *testing.T) {
	var good, bad strings.Builder
	good.WriteString("package p\n")
	bad.WriteString("package p\n")
	for i := range 2 * mostConstants {
		fmt.Fprintf(&good, "const c%d = 5 //evolve:param min=1 max=9\n", i)
		fmt.Fprintf(&bad, "var c%d = 5 //evolve:param min=1 max=9\n", i)
	}
	found, problems := Find(one(good.String()))
	if len(found) != mostConstants || len(problems) != 1 || !strings.Contains(problems[0].String(), "more than 256") {
		t.Errorf("%d constants with %v", len(found), problems)
	}
	if _, problems = Find(one(bad.String())); len(problems) != mostProblems {
		t.Errorf("%d problems", len(problems))
	}
	deep := "package p\nconst a = " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000) + " //evolve:param min=0 max=1\n"
	if _, problems = Find(one(deep)); len(problems) != 1 {
		t.Errorf("nested deeply: %v", problems)
	}
}

func TestSpaceIsSound(t *testing.T) {
	found, problems := Find(one(`package p

const (
	a = 64   //evolve:param min=8 max=4096 log
	b = 0.25 //evolve:param min=0 max=1
	c = 32   //evolve:param min=8 max=100 log step=2
	d = 0.3  //evolve:param min=0.1 max=1 step=0.1
)
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	space, config := Space(found)
	if problems := space.Check(); len(problems) > 0 {
		t.Fatal(problems)
	}
	want := agent.Space{Params: []agent.Param{
		{Name: "a", Kind: agent.Int, Min: 8, Max: 4096, Log: true, Default: int64(64)},
		{Name: "b", Kind: agent.Float, Min: 0, Max: 1, Default: .25},
		{Name: "c", Kind: agent.Int, Min: 0, Max: 3, Default: int64(2)}, // 8, 16, 32, 64
		{Name: "d", Kind: agent.Int, Min: 0, Max: 9, Default: int64(2)}, // 0.1 to 1
	}}
	if diff := cmp.Diff(want, space); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(agent.Config{"a": int64(64), "b": .25, "c": int64(2), "d": int64(2)}, config); diff != "" {
		t.Error(diff)
	}
	var grid []float64
	for k := range 10 {
		grid = append(grid, found[3].valueOf(int64(k)))
	}
	if diff := cmp.Diff([]float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, grid); diff != "" {
		t.Error(diff)
	}
	if v := found[2].valueOf(int64(3)); v != 64 || math.Trunc(v) != v {
		t.Errorf("the last power of two is %v", v)
	}
}
