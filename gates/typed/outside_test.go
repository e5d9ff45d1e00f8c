package typed

import "testing"

// TestOutside checks which new uses of the environment outside the program are found.
func TestOutside(t *testing.T) {
	check(t, "", func(f Findings) []Finding { return f.Outside }, []probe{
		{"processors", "func f() int { return 1 }", "func f() int { return runtime.NumCPU() }", "it uses runtime.NumCPU"},
		{"processors as before", "func f() int { return runtime.NumCPU() }", "func f() int { return 1 + runtime.NumCPU() }", ""},
		{"processors, moved", "func f() int { return runtime.NumCPU() }", "func f() int { return g() }\nfunc g() int { return runtime.NumCPU() + 1 - 1 }", ""},
		{"a variable", "func f() int { return 1 }", "func f() int { n := runtime.GOMAXPROCS; return n(0) }", "it uses runtime.GOMAXPROCS"},
		{"a variable of the package", "var get = os.Getenv\nfunc f() string { return \"\" }", "var get = os.Getenv\nfunc f() string { return get(\"A\") }", "it uses os.Getenv through get"},
		{"a function of the package", "func get() string { return os.Getenv(\"A\") }\nfunc f() string { return \"\" }", "func get() string { return os.Getenv(\"A\") }\nfunc f() string { return get() }", "it uses os.Getenv through get"},
		{"another name", "package p\nfunc f() {}", "package p\nimport o \"os\"\nfunc f() { o.Hostname() }", "it uses os.Hostname"},
		{"no name", "package p\nfunc f() {}", "package p\nimport . \"os\"\nfunc f() { Getenv(\"A\") }", "it uses os.Getenv"},
		{"an embedded method", "package p\nfunc f() {}", "package p\nimport \"time\"\ntype T struct{ time.Time }\nfunc f(t T) { t.Zone() }", "it uses time.Time.Zone"},
		{"a method value", "func f() {}", "func f(t time.Time) { z := t.Local; z() }", "it uses time.Time.Local"},
		{"the same file", "func f() {}", "func f(a, b os.FileInfo) bool { return os.SameFile(a, b) }", "it uses os.SameFile"},
		{"a program", "package main\nfunc f() {}\nfunc main() {}", "package main\nimport \"os\"\nfunc f() { os.Getenv(\"A\") }\nfunc main() {}", ""},
		{"processors in a program", "package main\nfunc f() {}\nfunc main() {}", "package main\nimport \"runtime\"\nfunc f() { runtime.NumCPU() }\nfunc main() {}", "it uses runtime.NumCPU"},
		{"the zone of a program", "package main\nfunc f() {}\nfunc main() {}", "package main\nimport \"time\"\nfunc f(t time.Time) { t.Local() }\nfunc main() {}", ""},
		{"the zone outside of one", "func f(t time.Time) {}", "func f(t time.Time) { t.Local() }", "it uses time.Time.Local"},
		{"a writer", "func f(w io.Writer) {}", "func f(w io.Writer) { _, _ = w.(*os.File) }", "it tests whether a reader or writer is a *os.File"},
		{"a writer by a method", "func f(w io.Writer) {}", "func f(w io.Writer) { _, _ = w.(interface{ Fd() uintptr }) }", "it tests whether a reader or writer is"},
		{"a reader in a switch", "func f(r io.Reader) {}", "func f(r io.Reader) {\n\tvar x any = r\n\tswitch x.(type) {\n\tcase io.Seeker:\n\t}\n}", "it tests whether a reader or writer is a io.Seeker"},
		{"a reader by reflection", "func f(r io.Reader) {}", "func f(r io.Reader) { reflect.TypeOf(r) }", "inspects the type of a reader or writer"},
		{"an error", "func f(err error) {}", "func f(err error) { _, _ = err.(fmt.Stringer) }", ""},
		{"a timer with a name", "func f() {}", "const idle = 5 * time.Minute\nfunc f() { time.AfterFunc(idle, f) }", "it runs code after a delay of 5m0s"},
		{"a timer with a variable", "func f() {}", "var idle = 5 * time.Minute\nfunc f() { time.AfterFunc(idle, f) }", "it runs code after a delay of 5m0s"},
		{"a short timer", "func f() {}", "const idle = time.Second\nfunc f() { time.AfterFunc(idle, f) }", ""},
	})
}
