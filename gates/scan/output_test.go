package scan

import "testing"

func TestArguments(t *testing.T) {
	check(t, "arguments", []probe{
		{name: "written early", now: "func init() { os.Args = os.Args[:1] }", want: "fatal"},
		{name: "one of them", now: "func init() { os.Args[1] = \"-test.run=^$\" }", want: "fatal"},
		{name: "copied over", now: "func init() { copy(os.Args[1:], x) }", want: "fatal"},
		{name: "written later", now: "func f() { os.Args = nil }", want: "flag"},
		{name: "other flags", now: "func f() { flag.CommandLine = nil }", want: "flag"},
		{name: "parsed early", now: "func init() { flag.Parse() }", want: "flag"},
		{name: "a flag of the test binary", now: "func f() { flag.Set(\"test.run\", \"^$\") }", want: "fatal"},
		{name: "read", now: "func f() []string { return os.Args }"},
		{name: "a flag", now: "func f() { flag.Set(\"v\", \"1\"); flag.Parse() }"},
	})
}

func TestStandardOutput(t *testing.T) {
	check(t, "standard output", []probe{
		{name: "replaced", now: "func f() { os.Stdout = nil }", want: "flag"},
		{name: "replaced early", now: "func init() { os.Stderr = nil }", want: "fatal"},
		{name: "its target", now: "func f() { *os.Stdout = *x }", want: "flag"},
		{name: "closed", now: "func f() { os.Stdout.Close() }", want: "flag"},
		{name: "closed by number", now: "func f() { syscall.Close(1) }", want: "flag"},
		{name: "put in its place", now: "func f() { syscall.Dup2(x, 1) }", want: "flag"},
		{name: "written to", now: "func f() { os.Stdout.WriteString(s); x := os.Stdout; _ = x }"},
		{name: "another file", now: "func f() { syscall.Close(fd); file.Close() }"},
	})
}

func TestForgedOutput(t *testing.T) {
	check(t, "forged output", []probe{
		{name: "printed", now: "func f() { fmt.Println(\"--- PASS: TestX (0.00s)\") }", want: "fatal"},
		{name: "as JSON", now: "func f() { fmt.Print(`{\"Action\":\"pass\",\"Test\":\"TestX\"}`) }", want: "fatal"},
		{name: "the last word", now: "func f() { println(\"PASS\") }", want: "fatal"},
		{name: "a profile", now: "func f() { fmt.Fprintln(os.Stdout, \"mode: set\") }", want: "fatal"},
		{name: "straight to the stream", now: "func f() { os.Stdout.WriteString(\"=== RUN   TestX\\n\") }", want: "fatal"},
		{name: "after a line", now: "func f() { fmt.Print(\"x\\nPASS\\n\") }", want: "fatal"},
		{name: "in parts", now: "func f() { fmt.Print(\"--- PA\" + \"SS: TestX\") }", want: "fatal"},
		{name: "by the name of a constant", now: "const line = \"PASS\"\nfunc f() { fmt.Println(line) }", want: "fatal"},
		{name: "kept", now: "var line = \"--- PASS: TestX\"", want: "flag"},
		{name: "a word", now: "var s = \"PASS\"\nfunc f() { fmt.Println(\"BYPASS\", s) }"},
		{name: "a mode", now: "func f() { fmt.Println(\"mode: settled\") }"},
	})
}

func TestWrites(t *testing.T) {
	check(t, "write", []probe{
		{name: "a test", now: "func f() { os.WriteFile(\"a_test.go\", nil, 0) }", want: "flag"},
		{name: "below testdata", now: "func f(dir string) { os.Remove(join(dir, \"testdata\", \"x\")) }", want: "flag"},
		{name: "the module", now: "func f() { os.Create(\"../go.mod\") }", want: "flag"},
		{name: "something else", now: "func f() { os.WriteFile(\"out.txt\", nil, 0) }"},
		{name: "read", now: "func f() { os.ReadFile(\"testdata/x\") }"},
		{name: "by a test", path: "p/x_test.go", now: "func f() { os.WriteFile(\"testdata/x\", nil, 0) }"},
	})
}
