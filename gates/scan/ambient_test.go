package scan

import "testing"

func TestAmbience(t *testing.T) {
	check(t, "ambience", []probe{
		{name: "goroutines", now: "func f() int { return runtime.NumGoroutine() }", want: "flag"},
		{name: "under another name", now: "var look = os.Hostname", want: "flag"},
		{name: "a variable of the environment", now: "func f() string { return os.Getenv(\"HOME\") }"},
		{name: "all variables", now: "func f() int { return len(os.Environ()) }", want: "flag"},
		{name: "flags", now: "func f() bool { return flag.Parsed() }", want: "flag"},
		{name: "a stack in a profile", now: "package p\nimport \"runtime/pprof\"\nfunc f() { pprof.Lookup(x).WriteTo(w, 1) }", want: "flag"},
		{name: "arguments by another way", now: "package p\nimport \"expvar\"\nfunc f() string { return expvar.Get(x).String() }", want: "flag"},
		{name: "callers by a logger", now: "func f() { log.New(w, \"\", log.Llongfile).Output(3, \"\") }", want: "flag"},
		{name: "a die", now: "package p\nimport \"math/rand\"\nfunc f() int { return rand.Intn(1000) }", want: "flag"},
		{name: "a die with a seed", now: "package p\nimport \"math/rand\"\nfunc f() int { return rand.New(rand.NewSource(1)).Intn(1000) }"},
		{name: "a die with the clock", now: "func f() int { return time.Now().Nanosecond() }", want: "flag"},
		{name: "dot", now: "package p\nimport . \"os\"\nfunc f() string { return Hostname() }", want: "flag"},
		{name: "a file by its name", now: "func f() { os.ReadFile(\"x\" + \".go\") }", want: "flag"},
		{name: "a file that the caller names", now: "func f(name string) { os.ReadFile(name) }"},
		{name: "what standard output is", now: "func f() { os.Stdout.Stat() }", want: "flag"},
		{name: "a type of tests", now: "func f(w any) { _, ok := w.(*strings.Builder) }", want: "flag"},
		{name: "a type of tests in a switch", now: "func f(w any) { switch w.(type) { case *strings.Reader: } }", want: "flag"},
		{name: "another type", now: "func f(w any) { _, ok := w.(*os.File) }"},
		{name: "a type by name", now: "func f(w any) { g(fmt.Sprintf(\"%T\", w)) }", want: "flag"},
		{name: "a type in an error", now: "func f(w any) error { return fmt.Errorf(\"%T\", w) }"},
		{name: "an address of tests", now: "func f() bool { return r.RemoteAddr == \"192.0.2.1:1234\" }", want: "flag"},
		{name: "a request without a server", now: "func f() any { return r.Context().Value(http.ServerContextKey) }", want: "flag"},
		{name: "it was there", old: "func f() { os.Hostname() }", now: "func f() { g(); os.Hostname() }"},
		{name: "main", now: "package main\nimport \"os\"\nfunc main() { os.Hostname() }"},
		{name: "beside main", now: "package main\nimport \"os\"\nfunc run() { os.Hostname() }", want: "flag"},
		{name: "a variable of that name", now: "func f(os T) { os.Hostname() }"},
		{name: "in a test", path: "p/x_test.go", now: "func f() { os.Hostname() }"},
	})
}

func TestLater(t *testing.T) {
	check(t, "later", []probe{
		{name: "a timer", now: "func f() { time.AfterFunc(time.Hour, mu.Lock) }", want: "flag"},
		{name: "a product", now: "func f() { time.AfterFunc(2*30*time.Second, g) }", want: "flag"},
		{name: "a conversion", now: "func f() { time.AfterFunc(time.Duration(3e10), g) }", want: "flag"},
		{name: "soon", now: "func f() { time.AfterFunc(10*time.Millisecond, g) }"},
		{name: "a delay from a parameter", now: "func f(d time.Duration) { time.AfterFunc(d, g) }"},
		{name: "the start", now: "var started = time.Now()", want: "flag"},
		{name: "the start in init", now: "func init() { started = time.Now() }", want: "flag"},
		{name: "the start of something", now: "func f() { started := time.Now() }"},
	})
}

func TestComparisons(t *testing.T) {
	check(t, "comparison", []probe{
		{name: "every error", now: "func (e *E) Is(error) bool { return true }", want: "flag"},
		{name: "equal to all", now: "func (e E) Equal(E) bool { return true }", want: "flag"},
		{name: "several inside", now: "func (e E) Unwrap() []error { return all }", want: "flag"},
		{name: "one inside", now: "func (e E) Unwrap() error { return e.err }"},
		{name: "it was there", old: "func (e E) Equal(o E) bool { return e == o }", now: "func (e E) Equal(o E) bool { return o == e }"},
		{name: "no method", now: "func Equal(a, b E) bool { return a == b }"},
		{name: "a text", now: "func (e E) String() string { return e.s }"},
	})
}

func TestSentinels(t *testing.T) {
	check(t, "sentinel", []probe{
		{name: "none", old: "var ErrX = errors.New(\"x\")", now: "var ErrX error", want: "flag"},
		{name: "nil", old: "var ErrX = errors.New(\"x\")", now: "var ErrX error = nil", want: "flag"},
		{name: "another", old: "var ErrX = errors.New(\"x\")\nvar ErrY = errors.New(\"y\")", now: "var ErrX = errors.New(\"x\")\nvar ErrY = ErrX", want: "flag"},
		{name: "other words", old: "var ErrX = errors.New(\"x\")", now: "var ErrX = errors.New(\"no x\")"},
		{name: "wrapped", old: "var ErrX = errors.New(\"x\")", now: "var ErrX = fmt.Errorf(\"x: %w\", ErrY)"},
		{name: "gone", old: "var ErrX = errors.New(\"x\")", now: "var y = 1"},
		{name: "new", now: "var ErrX error"},
	})
}

func TestClients(t *testing.T) {
	check(t, "client", []probe{
		{name: "beside", now: "func f() { go http.Get(x) }", want: "flag"},
		{name: "a client", now: "func f() { http.DefaultClient.Do(r) }", want: "flag"},
		{name: "a dialer", now: "package p\nimport \"crypto/tls\"\nfunc f() { tls.Dial(a, b, c) }", want: "flag"},
		{name: "it was there", old: "func f() { http.Get(x) }", now: "func f() { g(); http.Get(x) }"},
		{name: "once more", old: "func f() { http.Get(x) }", now: "func f() { http.Get(x); http.Get(y) }", want: "flag"},
		{name: "a server", now: "func f(w http.ResponseWriter) { http.Error(w, x, 1) }"},
	})
}
