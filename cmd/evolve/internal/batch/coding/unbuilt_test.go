package coding

import (
	"runtime"
	"strings"
	"testing"
)

func TestLeavesOut(t *testing.T) {
	t.Parallel()
	other := "windows"
	if runtime.GOOS == other {
		other = "plan9"
	}
	golang := [][]string{{"go", "build", "-o", "score.bin", "."}, {"go", "test", "./..."}, {"./score.bin"}}
	script := [][]string{{"./build.sh"}, {"go", "test", "./..."}, {"./score.bin"}}
	run := [][]string{nil, nil, {"go", "run", "-tags", "fast,small", "."}}
	for _, c := range []struct {
		commands [][]string
		file     string
		header   string
		want     string // a part of the reason, or "" for none
	}{
		{golang, "a/rank.go", "", ""},
		{golang, "a/rank_" + other + ".go", "", "its name ends with the name of another system or architecture"},
		{golang, "a/rank_" + runtime.GOOS + ".go", "", ""},
		{golang, "rank_test.go", "", ""},
		{golang, "_rank.go", "", "its name begins with _"},
		{golang, "rank.go", "//go:build " + other, "it requires //go:build " + other},
		{golang, "rank.go", "// A licence.\n\n//go:build !" + runtime.GOOS, "it requires //go:build !" + runtime.GOOS},
		{golang, "rank.go", "//go:build " + other + " || " + runtime.GOARCH, ""},
		{golang, "rank.go", "//go:build ignore", "it requires //go:build ignore"},
		{golang, "rank.go", "//go:build fast", "it requires //go:build fast"},
		{golang, "rank.go", "//go:build !fast && go1.21", ""},
		{golang, "rank.go", "//go:build go1.999", ""},
		{golang, "rank.go", "//go:build !go1.21", "it requires"},
		{golang, "rank.go", "//go:build cgo", "it requires //go:build cgo"},
		{golang, "rank.go", "//go:build !cgo", ""},
		{run, "rank.go", "//go:build fast && small", ""},
		{run, "rank.go", "//go:build !fast", "it requires //go:build !fast"},
		{[][]string{nil, nil, {"go", "run", "--tags=fast", "."}}, "rank.go", "//go:build fast", ""},
		{[][]string{nil, nil, {"go", "run", "tools/rank.go"}}, "tools/rank.go", "//go:build ignore", ""},
		{[][]string{nil, {"go", "test", "./..."}, {"./score"}}, "rank.go", "//go:build fast", ""},
		{script, "rank.go", "//go:build fast && !small", ""},
		{script, "rank.go", "//go:build ignore", "it requires //go:build ignore"},
		{script, "rank.go", "//go:build fast && " + other, "it requires //go:build fast && " + other},
		{golang, "rank.go", "//go:build (", ""}, // a faulty build constraint is left to the build
	} {
		b := newBuilder(c.commands, false)
		got := b.leavesOut(c.file, []byte(c.header+"\n\npackage p\n"))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with %q, built by %q: %q, want %q", c.file, c.header, c.commands, got, c.want)
		}
	}
}
