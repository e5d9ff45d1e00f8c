package scan

import "testing"

func TestLostGuards(t *testing.T) {
	locked := "func f() { mu.Lock(); defer mu.Unlock(); g() }\n"
	check(t, "guard", []probe{
		{name: "a lock", old: locked, now: "func f() { g() }", want: "flag"},
		{name: "another lock", old: locked, now: "func f() { mu.RLock(); defer mu.RUnlock(); g() }"},
		{name: "it moves", old: locked + "func g() {}", now: "func f() { g() }\nfunc g() { mu.Lock() }"},
		{name: "a new one", old: "func f() { g() }", now: locked},
		{name: "constant time", old: "package p\nimport \"crypto/subtle\"\nfunc f() { subtle.ConstantTimeCompare(a, b) }", now: "func f() bool { return a == b }", want: "flag"},
		{name: "another comparison", old: "package p\nimport \"crypto/subtle\"\nfunc f() { subtle.ConstantTimeCompare(a, b) }", now: "package p\nimport \"crypto/hmac\"\nfunc f() { hmac.Equal(a, b) }"},
		{
			name: "templates of texts", old: "package p\nimport \"html/template\"\nfunc f() { template.New(a) }",
			now: "package p\nimport \"text/template\"\nfunc f() { template.New(a) }", want: "flag",
		},
		{name: "a bound", old: "package p\nimport \"io\"\nfunc f() { io.ReadAll(io.LimitReader(r, 1)) }", now: "package p\nimport \"io\"\nfunc f() { io.ReadAll(r) }", want: "flag"},
		{name: "cleaning", old: "package p\nimport \"path/filepath\"\nfunc f() { g(filepath.Clean(x)) }", now: "func f() { g(x) }", want: "flag"},
		{name: "nothing lost", old: locked + "var x = 1", now: locked + "var x = 2"},
	})
}

func TestShadows(t *testing.T) {
	check(t, "shadow", []probe{
		{name: "a function", now: "func len(s string) int { return 0 }", want: "flag"},
		{name: "a value", now: "var true = 1 == 1", want: "flag"},
		{name: "a type", now: "type error = T", want: "flag"},
		{name: "a method", now: "func (s T) len() int { return 0 }"},
		{name: "in a function", now: "func f() { len := 1; g(len) }"},
		{name: "older than the language's", now: "func min(a, b int) int { return a }"},
		{name: "an import", old: "package p\nimport \"strings\"\nvar _ = strings.Join", now: "package p\nimport \"example.org/x/strings\"\nvar _ = strings.Join", want: "flag"},
		{name: "an import by name", old: "package p\nimport \"os\"\nvar _ = os.Exit", now: "package p\nimport os \"example.org/x/fake\"\nvar _ = os.Exit", want: "flag"},
		{name: "a new version", old: "package p\nimport \"math/rand\"\nvar _ = rand.N", now: "package p\nimport \"math/rand/v2\"\nvar _ = rand.N"},
		{name: "a new import", old: "package p\nvar x = 1", now: "package p\nimport \"example.org/x/strings\"\nvar _ = strings.Join"},
	})
}

func TestFarRight(t *testing.T) {
	far := "                                                                      "
	check(t, "far right", []probe{
		{name: "code", now: "func f() bool { return " + far + " true || g() }", want: "flag"},
		{name: "tabs", now: "func f() {\n\tg();" + "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\th()\n}", want: "flag"},
		{name: "indented", now: "func f() {\n" + far + "g()\n}"},
		{name: "at the end", now: "func f() {\n\tg()" + far + "\n}"},
		{name: "a file that is written so", old: "var x = " + far + "1", now: "var x = " + far + "2"},
		{name: "in order", now: "var x = 1 // one"},
	})
}
