package gotest

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files returns the contents of a small tree.
func files(of map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range of {
		out[name] = []byte(text)
	}
	return out
}

// testOf returns a test in the given package (name) that requires call to return 4.
func testOf(name, call string) string {
	return "package " + name + "\n\nimport \"testing\"\n\nfunc TestFour(t *testing.T) {\n\tif " + call + " != 4 {\n\t\tt.Error()\n\t}\n}\n"
}

// TestBases gates patches to modules whose layout is not a single folder with a go.mod:
// they are handled, or refused with advice.
func TestBases(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the gates on many modules")
	}
	l := newLab(t)
	const four = "package d\n\n// Four is 4.\nfunc Four() int { return 2 * 2 }\n"
	for name, c := range map[string]struct {
		base map[string]string
		// path is the file in which the patch replaces 2 * 2 with 2 + 2.
		path string
		cgo  bool
		lane string
		said []string
	}{
		"vendor": {
			map[string]string{
				"go.mod":                      "module example.org/d\n\ngo 1.24\n\nrequire example.org/two v1.0.0\n",
				"vendor/modules.txt":          "# example.org/two v1.0.0\n## explicit; go 1.24\nexample.org/two\n",
				"vendor/example.org/two/t.go": "package two\n\n// N is 2.\nconst N = 2\n",
				"d.go":                        "package d\n\nimport \"example.org/two\"\n\n// Four is 4.\nfunc Four() int { return two.N * two.N * 2 * 2 / 4 }\n",
				"d_test.go":                   testOf("d", "Four()"),
			},
			"d.go", false, "passed",
			[]string{"1 package in 1 module compiled", "1 test of the base in 1 package"},
		},
		"workspace": {
			map[string]string{
				"go.work":        "go 1.24\n\nuse (\n\t./d\n\t./user\n)\n",
				"d/go.mod":       "module example.org/d\n\ngo 1.24\n",
				"d/d.go":         four,
				"d/d_test.go":    testOf("d", "Four()"),
				"user/go.mod":    "module example.org/user\n\ngo 1.24\n\nrequire example.org/d v0.0.0\n",
				"user/u.go":      "package user\n\nimport \"example.org/d\"\n\n// Same is d's.\nfunc Same() int { return d.Four() }\n",
				"user/u_test.go": testOf("user", "Same()"),
			},
			"d/d.go", false, "passed",
			[]string{"2 packages in 2 modules compiled", "2 tests of the base in 2 packages"},
		},
		"cgo, which is off": {
			map[string]string{
				"go.mod":    "module example.org/d\n\ngo 1.24\n",
				"d.go":      "package d\n\n// int two(void) { return 2; }\nimport \"C\"\n\n// Four is 4.\nfunc Four() int { return 2 * 2 / 2 * int(C.two()) }\n",
				"d_test.go": testOf("d", "Four()"),
			},
			"d.go", false, "failed",
			[]string{"build: not_run: cgo is off", "in example.org/d; set cgo: true in the target's settings"},
		},
		"cgo, which is on": {
			map[string]string{
				"go.mod":    "module example.org/d\n\ngo 1.24\n",
				"d.go":      "package d\n\n// static int two(void) { return 2; }\nimport \"C\"\n\n// Four is 4.\nfunc Four() int { return 2 * 2 / 2 * int(C.two()) }\n",
				"d_test.go": testOf("d", "Four()"),
			},
			"d.go", true, "passed",
			[]string{"1 package in 1 module compiled"},
		},
		"a toolchain line": {
			map[string]string{"go.mod": "module example.org/d\n\ngo 1.24\n\ntoolchain go1.99.0\n", "d.go": four, "d_test.go": testOf("d", "Four()")},
			"d.go", false, "passed",
			[]string{"1 package in 1 module compiled"},
		},
		"a later Go": {
			map[string]string{"go.mod": "module example.org/d\n\ngo 1.99\n", "d.go": four, "d_test.go": testOf("d", "Four()")},
			"d.go", false, "failed",
			[]string{"build: not_run", "go >= 1.99", "install the required version"},
		},
		"a subfolder": {
			map[string]string{
				"README": "no Go here\n", "lib/py/setup.py": "pass\n", "services/go/go.mod": "module example.org/d\n\ngo 1.24\n",
				"services/go/inner/d.go": four, "services/go/inner/d_test.go": testOf("d", "Four()"),
			},
			"services/go/inner/d.go", false, "passed",
			[]string{"1 package in 1 module compiled", "1 test of the base in 1 package"},
		},
		"an embedded file": {
			map[string]string{
				"go.mod": "module example.org/d\n\ngo 1.24\n", "text/two": "2", "text/.more": "2",
				"d.go":      "package d\n\nimport _ \"embed\"\n\n//go:embed text/two\nvar two string\n\n// Four is 4.\nfunc Four() int { return 2 * 2 * len(two) }\n",
				"d_test.go": testOf("d", "Four()"),
			},
			"d.go", false, "passed",
			[]string{"1 package in 1 module compiled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := *l
			if own.Cgo = c.cgo; c.cgo {
				if _, err := exec.LookPath("gcc"); err != nil {
					t.Skip("no C compiler on this machine")
				}
			}
			base := files(c.base)
			candidate := maps.Clone(base)
			candidate[c.path] = []byte(strings.Replace(c.base[c.path], "2 * 2", "(2 + 2)", 1))
			if cmp.Equal(base, candidate) {
				t.Fatal("nothing is changed")
			}
			lane, _, said := judgeChange(t.Context(), t, &own, changeOf(t, base, candidate))
			if lane != c.lane {
				t.Errorf("lane %s, want %s\n%s", lane, c.lane, said)
			}
			for _, want := range c.said {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not said:\n%s", want, said)
				}
			}
		})
	}
}
