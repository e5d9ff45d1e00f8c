package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestShown(t *testing.T) {
	for _, r := range []rune{
		0, '\n', 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x061c, 0x200b, 0x200d, 0x200e, 0x2028, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff, 0x180e, 0x180b, 0x180f,
		0x034f, 0x115f, 0x1160, 0x17b4, 0x3164, 0xffa0, 0x2800, 0xfe00, 0xfe0f, 0xfff9, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xe000, 0xfff0,
	} {
		if Shown(r) {
			t.Errorf("%U is shown as it is", r)
		}
	}
	for _, r := range "aé漢😀§" {
		if !Shown(r) {
			t.Errorf("%U is escaped", r)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                     "plain",
		"plain text, ü and 字":       "plain text, ü and 字",
		"\x1b[31mred":               `\x1b[31mred`,
		"a\nb\tc\rd\x00":            `a\nb\tc\rd\x00`,
		"\u009b1m":                  `\x9b1m`,
		"\u202etxt":                 `\u202etxt`,
		"\U000e0041":                `\U000e0041`,
		"\xff":                      `\xff`,
		"no\u00a0break":             `no\xa0break`,
		"\u3164":                    `\u3164`,
		"e\u0301\u0302\u0303\u0304": "e\u0301\u0302\u0303" + `\u0304`,
		"a\u202eb\x1b[31m\n\xff":    `a\u202eb\x1b[31m\n\xff`,
		"tag \U000E0041":            `tag \U000e0041`,
		"e\u0301\u0301\u0301":       "e\u0301\u0301\u0301",
		"e\u0301\u0301\u0301\u0301": "e\u0301\u0301\u0301" + `\u0301`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if got := VisibleLines("a\n\tb\r\u200b"); got != "a\n\tb"+`\r\u200b` {
		t.Errorf("%q", got)
	}
	if got := OneLine(" a\r\nEvolve-Approved-By: me\u2028\u0085x\u202e "); got != `a Evolve-Approved-By: me x\u202e` {
		t.Errorf("%q", got)
	}
}

func TestVisibleCode(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext":            "plain\ttext",
		"grün, 日本, é":            "grün, 日本, é",
		"\x1b[31mred":            "⟦U+001B⟧[31mred",
		"a\rb\x7f":               "a⟦U+000D⟧b⟦U+007F⟧",
		"\u202eevil\u2066":       "⟦U+202E⟧evil⟦U+2066⟧",
		"zero\u200bwidth\ufeff":  "zero⟦U+200B⟧width⟦U+FEFF⟧",
		"a\u00a0b\u3000c\u2028d": "a⟦U+00A0⟧b⟦U+3000⟧c⟦U+2028⟧d",
		"\u3164\u2800\ufe0f\xff": "⟦U+3164⟧⟦U+2800⟧⟦U+FE0F⟧⟦0xFF⟧",
		"\U000e0041\u00ad":       "⟦U+E0041⟧⟦U+00AD⟧",
		"\u009b31m":              "⟦U+009B⟧31m",
		"⟦U+202E⟧":               "⟦U+27E6⟧U+202E⟦U+27E7⟧",
		"e\u0301\u0301\u0301":    "e\u0301\u0301⟦U+0301⟧",
		" \u0338x":               " ⟦U+0338⟧x",
	} {
		if got := VisibleCode(in); got != want {
			t.Errorf("VisibleCode(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestVisibleCodeLosesNothing checks that all characters of the output are visible and that
// the input can be recovered from it.
func TestVisibleCodeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		shown := VisibleCode(in)
		for _, r := range shown {
			if r != '\t' && !unicode.IsPrint(r) {
				t.Fatalf("%q has %U", shown, r)
			}
		}
		if other := rapid.String().Draw(t, "other"); other != in && VisibleCode(other) == shown {
			t.Fatalf("%q and %q look alike", in, other)
		}
	})
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a=b": "a=b", "": "", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "  =1": "'  =1", "\t=1": "'\t=1", "\ta": "'\ta",
		"\r=1": `\r=1`, "＝1": "'＝1", "\u200b=1": `\u200b=1`, "a\n=1": "a\n=1",
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestNothingHides tests that the output for any input consists only of visible characters.
func TestNothingHides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range OneLine(rapid.String().Draw(t, "text")) {
			if !Shown(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("%U came out", r)
			}
		}
	})
}

func TestJSON(t *testing.T) {
	if got, want := string(JSON([]byte("{\n \"é漢\u202e\u0301\U000e0041\u007f\": 1}\n"))), "{\n \"é漢\\u202e\\u0301\\udb40\\udc41\\u007f\": 1}\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// FuzzVisible tests that the output for any input is visible, and that VisibleCode maps
// different texts to different outputs.
func FuzzVisible(f *testing.F) {
	f.Add("a\u202eb\x1b[31m\n\xff", "⟦U+202E⟧")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, out := range []string{Visible(a), OneLine(a), Quote(a), strings.NewReplacer("\n", "", "\t", "").Replace(VisibleLines(a)), strings.ReplaceAll(VisibleCode(a), "\t", "")} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q is invalid", out)
			}
			for _, r := range out {
				if !Shown(r) {
					t.Fatalf("%U is in %q", r, out)
				}
			}
		}
		if a != b && VisibleCode(a) == VisibleCode(b) {
			t.Fatalf("%q and %q look alike", a, b)
		}
	})
}
