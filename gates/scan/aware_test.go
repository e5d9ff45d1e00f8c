package scan

import "testing"

func TestTestAwareness(t *testing.T) {
	check(t, "test awareness", []probe{
		{name: "testing.Testing", now: "func f() bool { return testing.Testing() }", want: "flag fatal"}, // the import is found as well
		{name: "the flag", now: "func f() bool { return flag.Lookup(\"test.v\") != nil }", want: "fatal"},
		{name: "the argument", now: "func f() bool { return strings.HasPrefix(os.Args[1], \"-test.run=\") }", want: "fatal"},
		{name: "the flag in two parts", now: "const t = \"test\"\nfunc f() bool { return flag.Lookup(t + \".v\") != nil }", want: "fatal"},
		{name: "the name, asked for in another function", now: "var self = os.Args[0]\nfunc f() bool { return strings.HasSuffix(self, \".test\") }", want: "fatal"},
		{name: "any such argument", now: "func f() bool { return strings.HasPrefix(os.Args[1], \"-test.\") }", want: "fatal"},
		{name: "the name of the binary", now: "func f() bool { return strings.HasSuffix(os.Args[0], \".test\") }", want: "fatal"},
		{name: "its path", now: "func f() bool { e, _ := os.Executable(); return strings.Contains(e, \"/go-build\") }", want: "fatal"},
		{name: "its callers", now: "func f() bool { _, file, _, _ := runtime.Caller(2); return strings.HasSuffix(file, \"_test.go\") }", want: "fatal"},
		{name: "its stack", now: "func f() bool { return strings.Contains(string(debug.Stack()), \"testing.tRunner\") }", want: "flag fatal"},
		{name: "build information", now: "func f() { debug.ReadBuildInfo() }", want: "flag"},
		{name: "helpers", now: "func Must(t *testing.T) {}", want: "flag"},
		{name: "a weaker helper", old: "func Equal(t *testing.T, a, b int) { if a != b { t.Fail() } }", now: "func Equal(t *testing.T, a, b int) {}", want: "flag"},
		{name: "beside a helper", old: "func Help(t *testing.T) {}\nfunc f() {}", now: "func Help(t *testing.T) {}\nfunc f() { g() }", want: "flag"},
		{name: "a package of testing", now: "package p\nimport \"testing/fstest\"\nvar x fstest.MapFS", want: "flag"},
		{name: "a file that ends so, where no name is asked for", now: "func f(s string) bool { return strings.HasSuffix(s, \".test\") }"},
		{name: "test files, where no caller is asked for", now: "func f(s string) bool { return strings.HasSuffix(s, \"_test.go\") }"},
		{name: "another flag", now: "func f() bool { return flag.Lookup(\"verbose\") != nil }"},
		{name: "a domain", now: "var host = \"test.example.org\""},
		{name: "in a test", path: "p/x_test.go", now: "func f() bool { return testing.Testing() }"},
	})
}

func TestEnvironment(t *testing.T) {
	check(t, "environment", []probe{
		{name: "CI", now: "func f() string { return os.Getenv(\"CI\") }", want: "flag"},
		{name: "looked up", now: "func f() { os.LookupEnv(\"GO_TEST_TIMEOUT\") }", want: "flag"},
		{name: "through syscall", now: "func f() { syscall.Getenv(\"EVOLVE_GATE\") }", want: "flag"},
		{name: "in two parts", now: "func f() { os.Getenv(\"C\" + \"I\") }", want: "flag"},
		{name: "proc", now: "func f() { os.ReadFile(\"/proc/self/cmdline\") }", want: "flag"},
		{name: "set early", now: "func init() { os.Setenv(\"TZ\", \"UTC\") }", want: "flag"},
		{name: "a tag is no text", now: "type t struct { x string `path:\"/proc/self\"` }"},
		{name: "the parent", now: "func f() int { return os.Getppid() }", want: "flag"},
		{name: "a setting", now: "func f() string { return os.Getenv(\"HOME\") + os.Getenv(\"CITY\") }"},
		{name: "other numbers of proc", now: "func f() { os.ReadFile(\"/proc/meminfo\") }"},
	})
}

func TestDates(t *testing.T) {
	check(t, "date", []probe{
		{name: "after a day", now: "func f() bool { return time.Now().After(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) }", want: "flag"},
		{name: "through a variable", now: "func f() bool { d := time.Unix(1800000000, 0); n := time.Now(); return n.After(d) }", want: "flag"},
		{name: "parsed", now: "func f() bool { d, _ := time.Parse(layout, \"2026-12-01\"); return time.Since(d) > 0 }", want: "flag"},
		{name: "a year", now: "func f() bool { return time.Now().Year() >= 2027 }", want: "flag"},
		{name: "seconds", now: "func f() bool { return 1_800_000_000 < time.Now().Unix() }", want: "flag"},
		{name: "a date without a read of the clock", now: "var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)"},
		{name: "how long it takes", now: "func f() bool { t := time.Now(); g(); return time.Since(t) > time.Second }"},
		{name: "a foreign date", now: "func f(s string) { d, _ := time.Parse(time.RFC3339, s); _ = time.Since(d) }"},
	})
}
