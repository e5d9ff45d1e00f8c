package rewrite

import (
	"strings"
	"testing"
)

// TestProblem checks that a text is refused for what the compiler would refuse, and for no
// other reason.
func TestProblem(t *testing.T) {
	const file = `package p

import (
	"math"
	"sort"
	"strings"

	"example.org/far"
)

var all = []string{strings.ToUpper("a")}

// begin
func weight(x float64) float64 {
	sort.Strings(all)
	return far.Of(math.Abs(x))
}
// end

func use() float64 { return weight(1) }
`
	start := strings.Index(file, "func weight")
	r, err := New(Source{Files: map[string][]byte{"p.go": []byte(file)}}, Site{File: "p.go", Start: start, End: strings.Index(file, "// end")})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Needs(), " "); got != "math sort far" {
		t.Errorf("the block must keep %q in use", got)
	}
	const keep = "\tsort.Strings(all)\n\t_ = math.Pi\n"
	for text, want := range map[string]string{
		"func weight(x float64) float64 {\n" + keep + "\treturn far.Other(x)\n}\n":                                                     "",
		"func weight(x float64) float64 {\n" + keep + "\treturn half(far.Of(x))\n}\n\nfunc half(x float64) float64 { return x / 2 }\n": "",
		"func weight(x float64) float64 {\n" + keep + "\treturn x\n}\n":                                                                "the block must use the import far",
		"func weight(x float64) float64 {\n" + keep + "\ty := 1\n\treturn far.Of(x)\n}\n":                                              "line 4: declared and not used: y",
		"func weight(x float64) float64 {\n" + keep + "\treturn far.Of(z)\n}\n":                                                        "line 4: undefined: z",
		"import \"os\"\n\nfunc weight(x float64) float64 {\n" + keep + "\treturn far.Of(x)\n}\n":                                       "import",
		"func height(x float64) float64 {\n" + keep + "\treturn far.Of(x)\n}\n":                                                        "with the code around it: undefined: weight",
		"func weight(x float64) float64 {\n" + keep + "\treturn far.Of(x\n}\n":                                                         "does not parse",
	} {
		if got := r.Problem(text); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q, want %q, of\n%s", got, want, text)
		}
	}
}
