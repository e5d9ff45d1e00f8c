package gotest

import (
	"slices"
	"strings"
)

// hint returns advice for a base that does not compile because of the conditions under
// which the gate runs: nothing is downloaded, and there is only one Go version.
func hint(stderr string) string {
	for _, h := range []struct{ sign, advice string }{
		{"GOTOOLCHAIN=local", "gates use the Go toolchain in PATH and download no other: install the required version"},
		{"GOPROXY=off", "gates download nothing: run `go mod download` in the module first"},
		{"missing go.sum entry", "gates download nothing: run `go mod download` in the module first"},
		{"no required module provides", "gates download nothing: run `go mod download` in the module first"},
	} {
		if strings.Contains(stderr, h.sign) {
			return "; " + h.advice
		}
	}
	return ""
}

// excluded is the Go command's message about a folder in which build constraints leave no
// Go file to build.
const excluded = "build constraints exclude all Go files"

// needsC lists the affected packages in which a file of the base imports C.
func (l *layout) needsC() []string {
	var out []string
	for _, p := range l.affected {
		if was := l.was.packages[p.path]; was != nil && slices.Contains(was.imports, "C") {
			out = append(out, p.path)
		}
	}
	return out
}
