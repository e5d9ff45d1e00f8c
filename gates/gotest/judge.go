package gotest

import (
	"fmt"
	"strings"
)

// judge lists the problems in one run of a package's tests, compared with the tests that
// passed on the base. The result of a marked test is taken only from the words that it
// reported. Subtests and examples have no words for success, so their printed results
// count, and for examples the exit code counts as well. canaryFails reports whether the
// canary had to fail.
func (s markedTests) judge(base outcome, r run, h runOptions, canaryFails bool) []string {
	var wrong []string
	for _, test := range base.Passed {
		top, _, sub := strings.Cut(test, "/")
		words, known := s.tests[top]
		switch shown := r.shown[test]; {
		case !sub && known && words.passed != "":
			if what := words.result(r); what != "passed" {
				wrong = append(wrong, test+" "+what)
			}
		case !sub && known && !r.words[words.begun]:
			wrong = append(wrong, test+" was not run")
		case !h.verbose || shown == "PASS":
		case shown == "FAIL":
			wrong = append(wrong, test+" failed")
		case shown == "SKIP":
			wrong = append(wrong, test+" was skipped")
		default:
			wrong = append(wrong, test+" was not run")
		}
	}
	switch {
	case len(wrong) > 0 && !r.clean():
		wrong = append(wrong, "the process "+r.ended()+r.tail)
	case len(wrong) > 0:
	case r.late || r.flooded || r.exit.Signal != 0 || r.exit.Reason != "":
		wrong = append(wrong, "the process "+r.ended())
	case canaryFails && r.exit.Code == 0:
		wrong = append(wrong, "the process ended with exit code 0 although a test failed")
	case !canaryFails && base.OK && r.exit.Code != 0:
		wrong = append(wrong, fmt.Sprintf("the process ended with exit code %d although every test passed%s", r.exit.Code, r.tail))
	}
	return wrong
}

// result returns the result that a marked test reported.
func (s markers) result(r run) string {
	switch {
	case r.words[s.failed]:
		return "failed"
	case r.words[s.passed]:
		return "passed"
	case r.words[s.skipped]:
		return "was skipped"
	case r.words[s.begun]:
		return "did not finish"
	}
	return "was not run"
}

// some returns a text that gives the first five texts of a list and the number of the
// others.
func some(list []string) string {
	const most = 5
	if len(list) > most {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", len(list)-most)
	}
	return strings.Join(list, "; ")
}

// pass returns the form of the verb "pass" that goes with n tests.
func pass(n int) string {
	if n == 1 {
		return "passes"
	}
	return "pass"
}
