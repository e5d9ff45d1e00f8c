package scan

import "testing"

func TestEarlyGoroutines(t *testing.T) {
	check(t, "early goroutine", []probe{
		{name: "in init", now: "func init() { go f() }", want: "flag"},
		{name: "in an initialiser", now: "var x = func() int { go f(); return 1 }()", want: "flag"},
		{name: "one call away", now: "func init() { a() }\nfunc a() { go f() }", want: "flag"},
		{name: "a timer", now: "var x = time.AfterFunc(1, f)", want: "flag"},
		{name: "in a function", now: "func a() { go f() }"},
		{name: "in a function that init only names", now: "func init() { run = a }\nfunc a() { go f() }"},
	})
}

func TestFinalizers(t *testing.T) {
	check(t, "finalizer", []probe{
		{name: "finalizer", now: "func f() { runtime.SetFinalizer(x, g) }", want: "flag"},
		{name: "cleanup", now: "func f() { runtime.AddCleanup(x, g, 1) }", want: "flag"},
		{name: "signals from the start", now: "func init() { signal.Notify(c) }", want: "flag"},
		{name: "signals where they are wanted", now: "func f() { signal.Notify(c) }"},
	})
}
