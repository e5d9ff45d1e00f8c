package scan

import "testing"

func TestExits(t *testing.T) {
	check(t, "exit", []probe{
		{name: "in init", now: "func init() { os.Exit(0) }", want: "fatal"},
		{name: "in an initialiser", now: "var _ = func() int { os.Exit(0); return 0 }()", want: "fatal"},
		{name: "by another name", now: "package p\nimport o \"os\"\nfunc init() { o.Exit(0) }", want: "fatal"},
		{name: "by no name", now: "package p\nimport . \"os\"\nfunc init() { Exit(0) }", want: "fatal"},
		{name: "in brackets", now: "func init() { (os.Exit)(0) }", want: "fatal"},
		{name: "deferred", now: "func init() { defer func() { os.Exit(0) }() }", want: "fatal"},
		{name: "two calls away", now: "func init() { a() }\nfunc a() { b() }\nfunc b() { syscall.Exit(0) }", want: "fatal"},
		{name: "from an initialiser, one call away", now: "var x = a()\nfunc a() int { runtime.Goexit(); return 1 }", want: "fatal"},
		{name: "status from elsewhere", now: "func init() { os.Exit(status) }", want: "fatal"},
		{name: "exec in its place", now: "func init() { _ = syscall.Exec(\"/bin/true\", nil, nil) }", want: "fatal"},
		{name: "in init, and it fails the tests", now: "func init() { os.Exit(2) }", want: "flag"},
		{name: "in a goroutine of init", now: "func init() { go func() { os.Exit(0) }() }", want: "flag"},
		{name: "in a command that init makes", now: "func init() { run = func() { os.Exit(0) } }", want: "flag"},
		{name: "in a function", now: "func f() { os.Exit(0) }", want: "flag"},
		{name: "in a method called init", now: "func (t T) init() { os.Exit(0) }", want: "flag"},
		{name: "as a value", now: "var exit = os.Exit", want: "flag"},
		{name: "in main of a library", now: "func main() { os.Exit(1) }", want: "flag"},
		{name: "in a helper of main", now: "package main\nimport \"os\"\nfunc main() { f() }\nfunc f() { os.Exit(1) }", want: "flag"},
		{name: "in main", now: "package main\nimport \"os\"\nfunc main() { os.Exit(run()) }"},
		{name: "panic in init", now: "func init() { panic(1) }"},
		{name: "log.Fatal", now: "func init() { log.Fatal(1) }"},
		{name: "something else called Exit", now: "func init() { x.Exit(0); Exit(0) }"},
		{name: "in the TestMain of a test file", path: "p/x_test.go", now: "func TestMain(m *testing.M) { os.Exit(m.Run()) }"},
		{name: "as before", old: "func f(n int) { if n > 1 { os.Exit(2) } }", now: "func f(n int) { n++; if n > 1 { os.Exit(2) } }"},
		{name: "on another condition", old: "func f(n int) { if n > 1 { os.Exit(2) } }", now: "func f(n int) { if n > 0 { os.Exit(2) } }", want: "flag"},
		{name: "with another status", old: "func f(n int) { if n > 1 { os.Exit(2) } }", now: "func f(n int) { if n > 1 { os.Exit(0) } }", want: "flag"},
		{name: "on the other branch", old: "func f(n int) { if n > 1 { os.Exit(2) } else { g() } }", now: "func f(n int) { if n > 1 { g() } else { os.Exit(2) } }", want: "flag"},
		{name: "once more", old: "func f(n int) { if n > 1 { os.Exit(2) } }", now: "func f(n int) { if n > 1 { os.Exit(2); os.Exit(2) } }", want: "flag"},
		{name: "in another case", old: "func f(n int) { switch n { case 1: os.Exit(2) } }", now: "func f(n int) { switch n { case 1, 2: os.Exit(2) } }", want: "flag"},
		{name: "no longer put off", old: "func f() { defer os.Exit(2); g() }", now: "func f() { os.Exit(2); g() }", want: "flag"},
		{name: "in a function that init now calls", old: "func f() { os.Exit(0) }", now: "func f() { os.Exit(0) }\nfunc init() { f() }", want: "fatal"},
		{name: "in a test", path: "p/x_test.go", now: "func TestX(t *testing.T) { os.Exit(0) }", want: "flag"},
	})
}

func TestTestMain(t *testing.T) {
	check(t, "TestMain", []probe{
		{name: "outside of a test file", now: "func TestMain(m *testing.M) { m.Run() }", want: "fatal"},
		{name: "runs nothing", path: "p/x_test.go", now: "func TestMain(m *testing.M) { os.Exit(0) }", want: "fatal"},
		{name: "runs something else", path: "p/x_test.go", now: "func TestMain(m *testing.M) { other.Run() }", want: "fatal"},
		{name: "runs them", path: "p/x_test.go", now: "func TestMain(m *testing.M) { os.Exit(m.Run()) }", want: "flag"},
		{name: "lets others run them", path: "p/x_test.go", now: "func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }", want: "flag"},
		{name: "runs them and exits 0", path: "p/x_test.go", now: "func TestMain(m *testing.M) { m.Run(); os.Exit(0) }", want: "flag"},
		{name: "a method", now: "func (t T) TestMain(m *testing.M) {}"},
		{name: "a test", path: "p/x_test.go", now: "func TestMainly(t *testing.T) {}"},
	})
}
