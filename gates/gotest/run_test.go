package gotest

import "testing"

func TestTail(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{
			"a failure in the words of the test",
			"\x16=== RUN   TestMean\n\x16=== NAME  TestMean\n    mean_test.go:9: got 3, want 2\n\x16--- FAIL: TestMean (0.00s)\n\x16=== RUN   TestXQ7\n\x16--- PASS: TestXQ7 (0.00s)\nFAIL\n",
			": mean_test.go:9: got 3, want 2",
		},
		{"no words of its own", "\x16=== RUN   TestMean\n\x16--- FAIL: TestMean (0.00s)\n\x16=== NAME  \nFAIL\n", ""},
		{"the canary", "running TestXQ7 now\n    q9_test.go:31: k3\npanic: index out of range\n", ": panic: index out of range"},
	} {
		if got := tail(c.text, []string{"TestXQ7", "q9_test.go"}); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
