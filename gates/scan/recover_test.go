package scan

import "testing"

func TestSwallowedPanics(t *testing.T) {
	check(t, "recover", []probe{
		{name: "not looked at", now: "func f() { defer func() { recover() }() }", want: "flag"},
		{name: "thrown away", now: "func f() { defer func() { _ = recover() }() }", want: "flag"},
		{name: "only seen", now: "func f() { defer func() { if r := recover(); r != nil { ok = true } }() }", want: "flag"},
		{name: "only seen, without a name", now: "func f() { defer func() { if recover() != nil { ok = true } }() }", want: "flag"},
		{name: "logged", now: "func f() { defer func() { if r := recover(); r != nil { log.Println(r) } }() }"},
		{name: "thrown again", now: "func f() { defer func() { if r := recover(); r != nil { panic(r) } }() }"},
		{name: "an error", now: "func f() (err error) { defer func() { err = wrap(recover()) }(); return }"},
		{name: "a method", now: "func f() { x.recover() }"},
		{name: "in a test", path: "p/x_test.go", now: "func f() { defer func() { recover() }() }"},
	})
}
