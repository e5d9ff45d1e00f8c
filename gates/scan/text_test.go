package scan

import "testing"

func TestHiddenCharacters(t *testing.T) {
	check(t, "hidden character", []probe{
		{name: "an override in a comment", now: "package p\n// \u202e x", want: "fatal"},
		{name: "an isolate in a text", now: "package p\nvar s = \"\u2066\"", want: "fatal"},
		{name: "escape", now: "package p\n// \x1b[2K", want: "fatal"},
		{name: "carriage return", now: "package p\n// safe\rx", want: "fatal"},
		{name: "a space of no width", now: "package p\nvar s = \"a\u200bb\"", want: "flag"},
		{name: "a space that does not break", now: "package p\n// a\u00a0b", want: "flag"},
		{name: "a letter that shows as nothing", now: "package p\nvar \u3164 = 1", want: "flag"},
		{name: "it was there", old: "package p\n// \u202e x", now: "package p\n// \u202e y"},
		{name: "one more", old: "package p\n// \u202e x", now: "package p\n// \u202e \u202e y", want: "fatal"},
		{name: "escaped", now: "package p\nvar s = \"\\u202e\""},
		{name: "lines of another system", now: "package p\r\nvar x = 1\r\n"},
		{name: "emoji", now: "package p\nvar s = \"\u2764\ufe0f \U0001f469\u200d\U0001f469\u200d\U0001f467\""},
		{name: "languages", now: "package p\n// Stra\u00dfe \u65e5\u672c\u8a9e \u05e2\u05d1\u05e8\u05d9\u05ea"},
	})
}

func TestLookAlikes(t *testing.T) {
	check(t, "look-alike", []probe{
		{name: "a Cyrillic letter", now: "func is\u0430dmin() {}", want: "fatal"},
		{name: "alone", now: "func f() { \u0430 := 1; use(a) }", want: "fatal"},
		{name: "full width", now: "var \uff41\uff42 = 1", want: "fatal"},
		{name: "two alphabets", now: "var x\u0436y = 1", want: "flag"},
		{name: "Greek", now: "var \u0394t, \u03c3, \u03bf = 1, 2, 3"},
		{name: "a word of its language", now: "var gr\u00f6\u00dfe, \u0436\u0443\u043a = 1, 2"},
		{name: "in a text", now: "var s = \"is\u0430dmin\""},
	})
}
