package scan

import "testing"

func TestForeignVariables(t *testing.T) {
	check(t, "foreign variable", []probe{
		{name: "a transport", now: "func f() { http.DefaultTransport = x }", want: "flag"},
		{name: "deeper", now: "func f() { http.DefaultClient.Timeout = 1 }", want: "flag"},
		{name: "behind an interface", now: "func f() { http.DefaultTransport.(*http.Transport).Proxy = nil }", want: "flag"},
		{name: "counted up", now: "func f() { http.Limit++ }", want: "flag"},
		{name: "by a loop", now: "func f() { for http.Limit = range 3 {} }", want: "flag"},
		{name: "a zone", now: "func init() { time.Local = time.UTC }", want: "flag"},
		{name: "of testing", now: "func f() { testing.X = 1 }", want: "fatal"},
		{name: "it was there", old: "func f() { time.Local = nil }", now: "func f() { g(); time.Local = nil }"},
		{name: "there are more of it", old: "func f() { time.Local = nil }", now: "func f() { time.Local = nil; time.Local = nil }", want: "flag"},
		{name: "it comes to another function", old: "func f() { time.Local = nil }\nfunc g() {}", now: "func f() {}\nfunc g() { time.Local = nil }"},
		{name: "a variable of that name", now: "func f(time *T) { time.Local = 1; use(time.Now) }"},
		{name: "usage", now: "func f() { flag.Usage = g }"},
		{name: "its own", now: "func f() { x.Y = 1; y = 2 }"},
	})
}

func TestUnsafety(t *testing.T) {
	check(t, "unsafe", []probe{
		{name: "a pointer", now: "func f() { _ = unsafe.Pointer(&x) }", want: "flag"},
		{name: "through reflection", now: "func f() { reflect.NewAt(t, v.UnsafeAddr()) }", want: "flag flag"},
		{name: "it was there", old: "func f() { _ = unsafe.Pointer(&x) }", now: "func f() { g(); _ = unsafe.Pointer(&x) }"},
		{name: "by number", now: "func f() { syscall.RawSyscall(231, 0, 0, 0) }", want: "flag"},
		{name: "reflection", now: "func f() { reflect.ValueOf(x).Elem().SetInt(1) }"},
	})
}

func TestNewImports(t *testing.T) {
	check(t, "import", []probe{
		{name: "exec", now: "package p\nimport \"os/exec\"\nvar _ = exec.Command", want: "flag"},
		{name: "plugin", now: "package p\nimport \"plugin\"\nvar _ = plugin.Open", want: "flag"},
		{name: "a folder", now: "package p\nimport \"golang.org/x/sys/unix\"\nvar _ = unix.Kill", want: "flag"},
		{name: "dot", now: "package p\nimport . \"strings\"\nvar _ = Join", want: "flag"},
		{name: "another's name", now: "package p\nimport os \"example.org/fake\"\nvar _ = os.Exit", want: "flag"},
		{name: "it was there", old: "package p\nimport \"net\"", now: "package p\nimport (\n\t\"fmt\"\n\t\"net\"\n)"},
		{name: "by another name", old: "package p\nimport \"net\"", now: "package p\nimport n \"net\""},
		{name: "harmless", now: "package p\nimport (\n\t\"fmt\"\n\tr \"math/rand/v2\"\n\t\"net/url\"\n)"},
		{name: "in a test", path: "p/x_test.go", now: "package p\nimport \"os/exec\""},
	})
}
