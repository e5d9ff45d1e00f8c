package constants

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestSetWritesInTheMannerOfTheLiteral(t *testing.T) {
	for _, c := range []struct {
		from, mark string
		value      any
		to         string
	}{
		{"64", "min=0 max=9999", int64(9999), "64 → 9999"},
		{"64", "min=-5 max=99", int64(-5), "64 → -5"},
		{"- 3", "min=-5 max=99", int64(4), "- 3 → 4"},
		{"- 3", "min=-5 max=99", int64(-5), "- 3 → -5"},
		{"+3", "min=-5 max=99", int64(0), "+3 → 0"},
		{"0x0f", "min=0 max=0xffff", int64(0xabcd), "0x0f → 0xabcd"},
		{"0X0F", "min=0 max=0xffff", int64(0xabcd), "0X0F → 0XABCD"},
		{"0x_0f", "min=0 max=0xfffff", int64(0xabcde), "0x_0f → 0xa_bcde"},
		{"0b1_0000", "min=0 max=0xff", int64(0xa5), "0b1_0000 → 0b1010_0101"},
		{"0o17", "min=0 max=0o77", int64(8), "0o17 → 0o10"},
		{"017", "min=0 max=077", int64(8), "017 → 010"},
		{"017", "min=0 max=077", int64(0), "017 → 00"},
		{"10_000", "min=0 max=9_000_000", int64(1234567), "10_000 → 1_234_567"},
		{"10_000", "min=0 max=9_000_000", int64(17), "10_000 → 17"},
		{".5", "min=0 max=2", .25, ".5 → 0.25"},
		{".5", "min=0 max=2", 2.0, ".5 → 2.0"},
		{".5", "min=0 max=2", 0.0, ".5 → 0.0"},
		{".5", "min=-2 max=2", -1.0, ".5 → -1.0"},
		{"1e-3", "min=0 max=1", 2e-7, "1e-3 → 2e-7"},
		{"1e-3", "min=0 max=1", 0.00012, "1e-3 → 0.00012"},
		{"1e3", "min=0 max=1e30", 2.5e20, "1e3 → 2.5e20"},
		{"1e3", "min=0 max=1e30", 7000.0, "1e3 → 7000.0"},
		{"1_000.5", "min=0 max=1e6", 123456.5, "1_000.5 → 123_456.5"},
		{"1_000.5", "min=0 max=1e6", 2000.0, "1_000.5 → 2_000.0"},
		{"0.1", "min=0.1 max=1 step=0.1", int64(2), "0.1 → 0.3"},
		{"8", "min=8 max=4096 log step=2", int64(9), "8 → 4096"},
	} {
		files := one("package p\nconst a = " + c.from + " //evolve:param " + c.mark + "\n")
		config := agent.Config{"a": c.value}
		got, err := Set(files, config)
		if err != nil {
			t.Errorf("%s to %v: %v", c.from, c.value, err)
			continue
		}
		list, _ := Find(files)
		told := Describe(list, config)
		_, literal, _ := strings.Cut(c.to, " → ")
		if want := "package p\nconst a = " + literal + " //evolve:param " + c.mark + "\n"; string(got["a.go"]) != want || told != "a "+c.to {
			t.Errorf("%q and %q, want %q and %q", got["a.go"], told, want, c.to)
		}
	}
}

func TestSetKeepsTypes(t *testing.T) {
	files := one(`package p

type duration int64

const second duration = 1e9

const (
	wait          = 5 * second //evolve:param min=-60 max=60
	late duration = second * 5 //evolve:param min=-60 max=60
	scale float64 = 2 //evolve:param min=0 max=4
	whole float64 = 1 //evolve:param min=0 max=4
)
`)
	got, err := Set(files, agent.Config{"wait": int64(-3), "late": int64(-4), "scale": 2.5, "whole": 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"= -3 * second //", "= second * -4 //", "scale float64 = 2.5 //", "whole float64 = 3 //"} {
		if !strings.Contains(string(got["a.go"]), want) {
			t.Errorf("no %q in %s", want, got["a.go"])
		}
	}
	typed(t, got["a.go"])
}

func TestSetRefuses(t *testing.T) {
	const src = "package p\nconst a = 5 //evolve:param min=1 max=9\n"
	for _, c := range []struct {
		src    string
		config agent.Config
		want   string
	}{
		{src, agent.Config{"a": int64(10)}, `parameter "a" is 10, but must be between 1 and 9`},
		{src, agent.Config{"a": 2.5}, "whole number"},
		{src, agent.Config{"a": "6"}, "must be a number"},
		{src, agent.Config{"b": int64(6)}, `parameter "b" is not a marked constant`},
		{src + "var b = 5 //evolve:param min=1 max=9\n", agent.Config{"a": int64(6)}, "a mark cannot be used: a.go:3"},
	} {
		if got, err := Set(one(c.src), c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %s and %v, want %q", c.config, got["a.go"], err, c.want)
		}
	}
}

// TestStepsOfWholeNumbers checks that with large numbers and a nearly complete last step,
// no step exceeds the range, and that a value between the steps is refused.
func TestStepsOfWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		mark, value string
		steps       int // -1 means that the value is on no step
	}{
		{"min=0 max=1999999999999 step=1000000000000", "0", 1},
		{"min=0 max=2000000000000 step=1000000000000", "0", 2},
		{"min=0 max=3000000000000 step=1000000000000", "1999999999999", -1},
		{"min=1 max=1125899906842623 log step=33554432", "1", 1}, // a byte less than 2⁵⁰
		{"min=1 max=1125899906842624 log step=33554432", "1", 2},
		{"min=3 max=3145728 log step=2", "3", 20},
	} {
		files := one("package p\nconst a = " + c.value + " //evolve:param " + c.mark + "\n")
		list, problems := Find(files)
		if c.steps < 0 {
			if len(problems) != 1 || !strings.Contains(problems[0].Text, "whole number of steps") {
				t.Errorf("%s of %s: %v", c.value, c.mark, problems)
			}
			continue
		}
		if len(problems) > 0 || list[0].steps() != c.steps {
			t.Errorf("%s: %v %v", c.mark, list, problems)
			continue
		}
		if _, err := Set(files, agent.Config{"a": int64(c.steps)}); err != nil {
			t.Errorf("%s: %v", c.mark, err)
		}
	}
}

// written is a random file with marked constants, stored as literals and the pieces between
// them.
type written struct {
	pieces, literals []string
}

func (w written) source(literals []string) []byte {
	var b strings.Builder
	for i, p := range w.pieces {
		b.WriteString(p)
		if i < len(literals) {
			b.WriteString(literals[i])
		}
	}
	return []byte(b.String())
}

func drawFile(t *rapid.T) written {
	w := written{pieces: []string{rapid.SampledFrom([]string{"", "\ufeff", "// Ünïcode “quotes”.\n\n", "//line other.go:7\n"}).Draw(t, "head") + "package p\n\n"}}
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	n := rapid.IntRange(1, 6).Draw(t, "constants")
	for i := range n {
		form := rapid.SampledFrom([][2]string{
			{"64", "min=-500 max=99999"},
			{"-0x1F", "min=-0x1ff max=0x1ff"},
			{"1_000", "min=1 max=99_999 log"},
			{"0b1010", "min=0 max=255 step=5"},
			{"0.25", "min=-1 max=3"},
			{"2.5e-7", "min=1e-9 max=1e3 log"},
			{"1e2", "min=100 max=1e20"},
			{"0644", "min=0 max=0777"},
			{"+ 4", "min=2 max=64 log step=2"},
		}).Draw(t, "form")
		typ := rapid.SampledFrom([]string{"", " float64"}).Draw(t, "type")
		if strings.HasSuffix(form[1], "step=5") {
			typ = ""
		}
		noise := rapid.SampledFrom([]string{"", "\tvar s%d = \"const z = 5 //evolve:param\"" + end, "// evolve goes on, %d" + end, "func f%d() { type t struct{} }" + end}).Draw(t, "noise")
		if strings.Contains(noise, "%d") {
			noise = fmt.Sprintf(noise, i)
		}
		w.pieces[len(w.pieces)-1] += fmt.Sprintf("%sconst c%d%s\t= ", strings.TrimLeft(noise, "\t"), i, typ)
		w.literals = append(w.literals, form[0])
		w.pieces = append(w.pieces, " //evolve:param "+form[1]+end)
	}
	return w
}

// TestSetChangesNothingElse checks that every byte outside the literals stays the same,
// that the result parses and has the values according to the type checker, that integers
// stay integers, and that setting the values back and forth restores the source.
func TestSetChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawFile(t)
		src := w.source(w.literals)
		files := map[string][]byte{"a.go": src, "b.go": []byte("package p // as it is"), "c.txt": []byte("//evolve:param")}
		list, problems := Find(files)
		if len(problems) > 0 || len(list) != len(w.literals) {
			t.Fatalf("%v in %q", problems, src)
		}
		space, now := Space(list)
		if problems := space.Check(); len(problems) > 0 {
			t.Fatal(problems)
		}
		if same, err := Set(files, now); err != nil || !bytes.Equal(same["a.go"], src) {
			t.Fatalf("the config of what is there changes it: %v, %q", err, same["a.go"])
		}
		config := agent.Config{}
		for _, p := range space.Params {
			if p.Kind == agent.Int {
				config[p.Name] = rapid.Int64Range(int64(p.Min), int64(p.Max)).Draw(t, p.Name)
			} else {
				config[p.Name] = rapid.Float64Range(p.Min, p.Max).Draw(t, p.Name)
			}
		}
		config, wrong := space.Parse(config)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		got, err := Set(files, config)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files["a.go"], src) {
			t.Fatal("the given file was changed")
		}
		if len(got) != 3 || string(got["b.go"]) != "package p // as it is" || string(got["c.txt"]) != "//evolve:param" {
			t.Fatal("a file without constants changed")
		}
		again, problems := Find(got)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var literals []string
		for _, c := range again {
			literals = append(literals, c.Literal)
		}
		if want := w.source(literals); !bytes.Equal(got["a.go"], want) {
			t.Fatalf("something else changed: %q, want %q", got["a.go"], want)
		}
		scope := typed(t, got["a.go"])
		before := typed(t, src)
		for _, c := range list {
			is := scope.Lookup(c.Name).(*types.Const)
			if f, _ := constant.Float64Val(is.Val()); f != c.valueOf(config[c.Name]) {
				t.Fatalf("%s is %v, want %v", c.Name, f, c.valueOf(config[c.Name]))
			}
			if was := before.Lookup(c.Name); !types.Identical(was.Type(), is.Type()) {
				t.Fatalf("%s was %v and is %v", c.Name, was.Type(), is.Type())
			}
		}
		there, _ := Space(again)
		for i, p := range there.Params {
			if fmt.Sprint(p.Default) != fmt.Sprint(config[p.Name]) {
				t.Fatalf("%s reads back as %v, want %v", list[i].Name, p.Default, config[p.Name])
			}
		}
	})
}

type failer interface{ Fatal(...any) }

// typed returns the scope of a file according to Go's own type checker.
func typed(t failer, src []byte) *types.Scope {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "a.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", set, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope()
}
