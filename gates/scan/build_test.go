package scan

import "testing"

func TestCgo(t *testing.T) {
	check(t, "cgo", []probe{
		{name: "new", old: "package p", now: "package p\nimport \"C\"", want: "fatal"},
		{name: "changed", old: "package p\n// int f();\nimport \"C\"", now: "package p\n// int g();\nimport \"C\"", want: "flag"},
		{name: "unchanged", old: "package p\nimport \"C\"", now: "package p\nimport \"C\""},
	})
}

func TestDirectives(t *testing.T) {
	check(t, "directive", []probe{
		{name: "linkname", now: "package p\nimport _ \"unsafe\"\n//go:linkname now time.now\nfunc now()", want: "fatal"},
		{name: "embed", now: "package p\nimport _ \"embed\"\n//go:embed secret.txt\nvar s string", want: "flag"},
		{name: "generate", now: "package p\n//go:generate rm -r .", want: "flag"},
		{name: "debug", now: "//go:debug panicnil=1\npackage main", want: "flag"},
		{name: "another file's lines", now: "package p\n//line other.go:1\nfunc f() {}", want: "flag"},
		{name: "the same within a line", now: "package p\nfunc f() { /*line other.go:1:1*/ g() }", want: "flag"},
		{name: "a wider range for the search", old: "package p\n//evolve:param min=0 max=1\nconst x = 1", now: "package p\n//evolve:param min=0 max=9\nconst x = 1", want: "flag flag"},
		{name: "the end of a block", now: "package p\n// evolve:end x", want: "flag"},
		{name: "it was there", old: "package p\n//go:embed a\nvar s string", now: "package p\n\nvar n = 1\n//go:embed a\nvar s string"},
		{name: "harmless", now: "package p\n//go:noinline\nfunc f() {}"},
		{name: "a comment", now: "package p\n// go:linkname is what this is about\nfunc f() {}"},
		{name: "a text", now: "package p\nconst s = `\n//go:linkname a b\n`"},
	})
}

func TestConstraints(t *testing.T) {
	check(t, "constraint", []probe{
		{name: "new", now: "//go:build windows\n\npackage p", want: "flag"},
		{name: "ignored", old: "package p", now: "//go:build ignore\n\npackage p", want: "flag"},
		{name: "the old form", now: "// +build !race\n\npackage p", want: "flag"},
		{name: "other", old: "//go:build a\n\npackage p", now: "//go:build b\n\npackage p", want: "flag"},
		{name: "the same in the new form", old: "// +build a,b\n// +build c\n\npackage p", now: "//go:build a && b && c\n// +build a,b\n// +build c\n\npackage p"},
		{name: "the old form says otherwise and is not read", now: "//go:build linux\n// +build windows\n\npackage p", old: "//go:build linux\n\npackage p"},
		{name: "gone", old: "//go:build a\n\npackage p", now: "package p", want: "flag"},
		{name: "left out", now: "package documentation", want: "fatal"},
		{name: "another package", old: "package p", now: "package q", want: "flag"},
		{name: "a package of tests", now: "package p_test", want: "flag"},
		{name: "the same", old: "//go:build a\n\npackage p", now: "//go:build a\n\npackage p\nvar x = 1"},
		{name: "after the package clause", now: "package p\n//go:build ignore\nvar x = 1"},
		{name: "a test", path: "p/x_test.go", now: "package p_test"},
	})
}

func TestFileNames(t *testing.T) {
	check(t, "file name", []probe{
		{name: "a system", path: "p/x_windows.go", now: "package p", want: "flag"},
		{name: "a processor", path: "p/x_linux_arm64.go", now: "package p", want: "flag"},
		{name: "of a test", path: "p/x_windows_test.go", now: "package p", want: "flag"},
		{name: "left out", path: "p/_x.go", now: "package p", want: "flag"},
		{name: "hidden", path: "p/.x.go", now: "package p", want: "flag"},
		{name: "nearly a test", path: "p/x_test_helper.go", now: "package p", want: "flag"},
		{name: "twice a test", path: "p/x_test_test.go", now: "package p", want: "flag"},
		{name: "it was there", path: "p/x_windows.go", old: "package p", now: "package p\nvar x = 1"},
		{name: "a name", path: "p/linux.go", now: "package p"},
		{name: "a word", path: "p/x_window.go", now: "package p"},
		{name: "a test", path: "p/x_test.go", now: "package p"},
	})
}
