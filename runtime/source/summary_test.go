package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func summarize(t testing.TB, name, text string) Summary {
	t.Helper()
	s, err := Summarize(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGo(t *testing.T) {
	got := summarize(t, "cart/cart.go", `//go:build linux && !cgo

// Package cart holds what is bought.
package cart

import (
	"fmt"
	"net/http"

	"example.org/shop/price"
	"github.com/lib/pq"
)

// Cart is one.
type Cart[T any] struct{}

type (
	reader interface{ Read() }
	ID     = string
	Count  int
)

func New(name string, opts ...func(*Cart[int])) (*Cart[int], error) { return nil, nil }

func (c *Cart[T]) Add(p price.Price) {}
func helper()                        {}
`)
	want := Summary{
		Path: "cart/cart.go", Language: Go, Package: "cart", Doc: "Package cart holds what is bought.",
		Types: []Type{{"Cart", "struct", true}, {"reader", "interface", false}, {"ID", "alias", true}, {"Count", "defined", true}},
		Functions: []Function{
			{"New", "func New(name string, opts ...func(*Cart[int])) (*Cart[int], error)", true},
			{"Cart.Add", "func (c *Cart[T]) Add(p price.Price)", true},
			{"helper", "func helper()", false},
		},
		Imports: []Import{
			{Path: "fmt", Kind: Standard, Form: Static},
			{Path: "net/http", Kind: Standard, Form: Static},
			{Path: "example.org/shop/price", Kind: ThirdParty, Form: Static},
			{Path: "github.com/lib/pq", Kind: ThirdParty, Form: Static},
		},
		Tags: "linux && !cgo", Touches: []Touch{Database, Network},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got.Within("example.org/shop")
	if got.Imports[2].Kind != Internal {
		t.Error("the module's own package is not internal")
	}
}

func TestGoStarts(t *testing.T) {
	if s := summarize(t, "main.go", "package main\n\nfunc main() {}\n"); s.Entry != "package main" {
		t.Error(s.Entry)
	}
	s := summarize(t, "a_test.go", "package a\nfunc TestA(t *testing.T) {}\nfunc helper() {}\nfunc FuzzB(f *testing.F) {}\nfunc TestMain(m *testing.M) {}\n")
	if diff := cmp.Diff([]string{"TestA", "FuzzB"}, s.Tests); diff != "" || !s.Test {
		t.Error(diff)
	}
	s = summarize(t, "broken.go", "package broken\n\ntype A struct{}\n\nfunc (")
	if len(s.Types) != 1 {
		t.Error("what stands before a syntax error is lost")
	}
}

const python = `#!/usr/bin/env python3
"""Module doc.

More of it."""
from __future__ import annotations
import os, a.b.c as d
from . import sib, other as o
from ..up.x import (
    one,  # import nothing
    two as t,
)
try:
    import ujson as json
except ImportError: import json
class A(Base):
    '''No doc of the module's: import nothing.'''
    x = 1
    def m(self, a: int = 3,
          b={'k': 1}) -> str:
        import subprocess; import requests
        def inner(): pass
        return f"{a['x']} import no"
    class In:
        def deep(self): ...
    async def n(self): pass
@deco(
  x)
def top(a, *b, **c): return '''
import fake
def fake(): pass
'''
def _priv(): pass
if cond:
    def branch(): pass
importlib.import_module('dyn.mod')
if __name__ == '__main__':
    top()
`

func TestPython(t *testing.T) {
	want := Summary{
		Path: "pkg/m.py", Language: Python, Doc: "Module doc. More of it.",
		Types: []Type{{"A", "class", true}, {"A.In", "class", true}},
		Functions: []Function{
			{"A.m", "def m(self, a: int = 3, b={'k': 1}) -> str", true},
			{"A.In.deep", "def deep(self)", true},
			{"A.n", "async def n(self)", true},
			{"top", "def top(a, *b, **c)", true},
			{"_priv", "def _priv()", false},
			{"branch", "def branch()", true},
		},
		Imports: []Import{
			{Path: "__future__", Kind: Standard, Form: Static, Names: []string{"annotations"}},
			{Path: "os", Kind: Standard, Form: Static},
			{Path: "a.b.c", Kind: ThirdParty, Form: Static},
			{Path: ".", Kind: Internal, Form: Static, Names: []string{"sib", "other"}},
			{Path: "..up.x", Kind: Internal, Form: Static, Names: []string{"one", "two"}},
			{Path: "ujson", Kind: ThirdParty, Form: Static, Conditional: true},
			{Path: "json", Kind: Standard, Form: Static, Conditional: true},
			{Path: "subprocess", Kind: Standard, Form: Static, Conditional: true},
			{Path: "requests", Kind: ThirdParty, Form: Static, Conditional: true},
			{Path: "dyn.mod", Kind: ThirdParty, Form: Dynamic, Conditional: true},
		},
		Entry: "__main__", Touches: []Touch{Environment, Files, Network, Processes},
	}
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		text := "\ufeff" + strings.ReplaceAll(python, "\n", ends)
		if diff := cmp.Diff(want, summarize(t, "pkg/m.py", text)); diff != "" {
			t.Errorf("line ends %q: %s", ends, diff)
		}
	}
	s := summarize(t, "tests/test_a.py", "class TestA:\n    def test_b(self): pass\ndef test_c(): pass\ndef other(): pass\n")
	if diff := cmp.Diff([]string{"TestA.test_b", "test_c"}, s.Tests); diff != "" || !s.Test {
		t.Error(diff)
	}
}

const script = "#!/usr/bin/env node\n" + `/** Does things. */
import a, {b as c} from 'x';
import type {B} from './t';
import {type D} from "./d";
import * as fs from "node:fs";
import './side'
import z = require('eq');
export * from './re';
export {q} from "../y";
const dyn = await import('./dyn');
const d = require("pg"), e = require.resolve('rr');
for (let i=0;i<n;i++) { f(i); const l = import("./la\x7ay") }
export const add = async <T,>(a: T, b = {x: 1}): Promise<T> => { return a }
const sub = (a,b) => a-b;
function plain(a: string, b?: number): Map<string, number> { return /import "no"/.test(a) }
export default class Foo<T> extends Bar { #p() {} static async go(x: number): void { if (x) { y() } } get v() { return 1 } on = (e) => 1; private hid() {} }
export interface I { a: string }
export enum E { A }
export type T1 = {a: string};
const x = <p>Don't import "nothing" from here</p>;
class Late { run_it() {} }
export { sub, Late };
// import "comment"
const s = "import 'str'", t = ` + "`import 'tpl' ${require('inner')} ${`nested ${1}`} end`" + `;
foo.require("no"); require(variable); require("no" + 1); import(` + "`./${x}`" + `);
`

func TestTypeScript(t *testing.T) {
	want := Summary{
		Path: "a.tsx", Language: TypeScript, Doc: "Does things.", Entry: "shebang",
		Types: []Type{{"Foo", "class", true}, {"I", "interface", true}, {"E", "enum", true}, {"T1", "type", true}, {"Late", "class", true}},
		Functions: []Function{
			{"add", "const add = async <T,>(a: T, b = {x: 1}): Promise<T>", true},
			{"sub", "const sub = (a,b)", true},
			{"plain", "function plain(a: string, b?: number): Map<string, number>", false},
			{"Foo.#p", "p()", false},
			{"Foo.go", "static async go(x: number): void", true},
			{"Foo.v", "get v()", true},
			{"Foo.on", "on = (e)", true},
			{"Foo.hid", "private hid()", false},
			{"Late.run_it", "run_it()", false},
		},
		Imports: []Import{
			{Path: "x", Kind: ThirdParty, Form: Static},
			{Path: "./t", Kind: Internal, Form: Static, TypeOnly: true},
			{Path: "./d", Kind: Internal, Form: Static, TypeOnly: true},
			{Path: "node:fs", Kind: Standard, Form: Static},
			{Path: "./side", Kind: Internal, Form: Static},
			{Path: "eq", Kind: ThirdParty, Form: Require},
			{Path: "./re", Kind: Internal, Form: ReExport},
			{Path: "../y", Kind: Internal, Form: ReExport},
			{Path: "./dyn", Kind: Internal, Form: Dynamic},
			{Path: "pg", Kind: ThirdParty, Form: Require},
			{Path: "rr", Kind: ThirdParty, Form: Require},
			{Path: "./lazy", Kind: Internal, Form: Dynamic, Conditional: true},
			{Path: "inner", Kind: ThirdParty, Form: Require},
		},
		Touches: []Touch{Database, Files},
	}
	if diff := cmp.Diff(want, summarize(t, "a.tsx", script)); diff != "" {
		t.Error(diff)
	}
}

func TestJavaScript(t *testing.T) {
	s := summarize(t, "lib/a.test.js", `'use strict'
const cp = require('child_process')
import{x}from"./min.js";import"./more.js"
import {x} from './twice.js'
class Snake_Case { constructor(a_b) {} }
function* gen(a) {}
exports.other = function (a) {}
module.exports = { gen, Snake_Case }
if (require.main === module) gen()
describe('thing', () => { it("works", function () {}) })
`)
	var paths, names []string
	for _, i := range s.Imports {
		paths = append(paths, i.Path)
	}
	for _, f := range s.Functions {
		if f.Exported {
			names = append(names, f.Name)
		}
	}
	if diff := cmp.Diff([]string{"child_process", "./min.js", "./more.js", "./twice.js"}, paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"gen", "other"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"thing", "works"}, s.Tests); diff != "" {
		t.Error(diff)
	}
	if s.Entry != "main module" || !s.Types[0].Exported || s.Touches[0] != Processes {
		t.Errorf("%+v", s)
	}
}

// TestWhatLexersStumbleOver covers text that can prevent a lexer from finding the class
// after it.
func TestWhatLexersStumbleOver(t *testing.T) {
	for name, text := range map[string]string{
		"less than":   "for (let i=0;i<n;i++) { f(i) }\nexport class Late {}\n",
		"apostrophe":  "const x = <p>Don't</p>;\nexport class Late {}\nconst y = 'it';\n",
		"division":    "const a = b / c; const d = e / f;\nexport class Late {}\n",
		"regex":       "const a = /[/'\"`]/g, b = x.split(/\"/);\nexport class Late {}\n",
		"template":    "const a = `${ {a: `}`} } ' `;\nexport class Late {}\n",
		"comments":    "/* ' ` */ // \" `\nexport class Late {}\n",
		"escapes":     "const a = 'it\\'s', b = \"\\\\\";\nexport class Late {}\n",
		"generic":     "const m = new Map<string, Array<number>>();\nexport class Late {}\n",
		"open string": "const a = 'never closed\nexport class Late {}\n",
	} {
		for _, file := range []string{"a.ts", "a.js"} {
			if s := summarize(t, file, text); len(s.Types) != 1 || s.Types[0].Name != "Late" {
				t.Errorf("%s in %s: %+v", name, file, s.Types)
			}
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"a.rb", "x", ErrLanguage},
		{"a.go", "x", ErrNoSource},
		{"a.py", strings.Repeat("x", MaxText+1), ErrTooLarge},
	} {
		if _, err := Summarize(c.name, []byte(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestManifest(t *testing.T) {
	for text, want := range map[string][]string{
		`{"main":"./lib/index.js","bin":{"b":"bin/b.js","a":"./bin/a"}}`: {"lib/index.js", "bin/a", "bin/b.js"},
		`{"bin":"cli.js"}`:                      {"cli.js"},
		`{"main":"../outside.js","bin":"/abs"}`: nil,
		`{"main":7}`:                            nil,
		`no`:                                    nil,
	} {
		if diff := cmp.Diff(want, Manifest([]byte(text))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
