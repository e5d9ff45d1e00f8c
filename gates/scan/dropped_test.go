package scan

import "testing"

func TestDroppedErrors(t *testing.T) {
	check(t, "dropped", []probe{
		{name: "returned before", old: "func f() (int, error) { return g(x) }", now: "func f() (int, error) { v, _ := g(x); return v, nil }", want: "flag"},
		{name: "of a package", old: "func f() { v, err := os.Open(x); use(v, err) }", now: "func f() { v, _ := os.Open(x); use(v) }", want: "flag"},
		{name: "it was dropped", old: "func f() { v, _ := g(x); use(v) }", now: "func f() { v, _ := g(y); use(v) }"},
		{name: "a new call", old: "func f() {}", now: "func f() { v, _ := g(y); use(v) }"},
		{name: "of a map", old: "func f() { v := g[x]; use(v) }", now: "func f() { v, _ := g[x]; use(v) }"},
		{name: "a new function", now: "func f() { v, _ := g(y); use(v) }"},
	})
}

func TestCallCounters(t *testing.T) {
	check(t, "counter", []probe{
		{name: "up", now: "var calls int\nfunc f() { calls++; if calls > 1000 { g() } }", want: "flag"},
		{name: "atomic", now: "package p\nimport \"sync/atomic\"\nvar calls atomic.Int64\nfunc f() { calls.Add(1) }", want: "flag"},
		{name: "it was there", old: "var calls int\nfunc f() { calls++ }", now: "var calls int\nfunc f() { calls++; g() }"},
		{name: "its own", now: "var calls int\nfunc f() { calls := 0; calls++ }"},
		{name: "a field", now: "func (c *C) f() { c.calls++ }"},
	})
}

func TestWireNames(t *testing.T) {
	check(t, "wire", []probe{
		{name: "another name", old: "type T struct { A int `json:\"a\"` }", now: "type T struct { A int `json:\"A\"` }", want: "flag"},
		{name: "no name", old: "type T struct { A int `json:\"a\"` }", now: "type T struct { A int }", want: "flag"},
		{name: "a new field", old: "type T struct { A int `json:\"a\"` }", now: "type T struct { A int `json:\"a\"`; B int `json:\"b\"` }"},
		{name: "another type", old: "type T struct { A int `json:\"a\"` }", now: "type T struct { A int64 `json:\"a\"` }"},
		{name: "a new type", now: "type T struct { A int `json:\"a\"` }"},
	})
}
