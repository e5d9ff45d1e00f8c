package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// wantEncoded is the minimum share of encoded credentials that must be found.
const wantEncoded = .98

// encodingForm is a way to encode text.
type encodingForm struct {
	name string
	to   func(text string) string
	from func(text string) []string // possible decodings of the text or part of it
}

func from64(text string) []string {
	var out []string
	for _, part := range regexp.MustCompile(`[A-Za-z0-9+/_-]+`).FindAllString(regexp.MustCompile(`\s|\\n`).ReplaceAllString(text, ""), -1) {
		part = strings.NewReplacer("-", "+", "_", "/").Replace(part)
		for shift := range min(4, len(part)) {
			p := part[shift:]
			if len(p)%4 == 1 {
				p = p[:len(p)-1]
			}
			if clear, err := base64.RawStdEncoding.DecodeString(p); err == nil {
				out = append(out, string(clear))
			}
		}
	}
	return out
}

func from16(text string) []string {
	var out []string
	for _, part := range regexp.MustCompile(`[0-9A-Fa-f]{2,}`).FindAllString(regexp.MustCompile(`[\s:-]|\\x`).ReplaceAllString(text, ""), -1) {
		for shift := range 2 {
			p := part[shift:]
			if clear, err := hex.DecodeString(p[:len(p)&^1]); err == nil {
				out = append(out, string(clear))
			}
		}
	}
	return out
}

func twice(outer, inner func(string) []string) func(string) []string {
	return func(text string) []string {
		var out []string
		for _, t := range outer(text) {
			out = append(out, inner(t)...)
		}
		return out
	}
}

// wrapped breaks text into lines.
func wrapped(text string, width int, end string) string {
	var lines []string
	for ; len(text) > width; text = text[width:] {
		lines = append(lines, text[:width])
	}
	return strings.Join(append(lines, text), end)
}

func encodingForms() []encodingForm {
	std := func(t string) string { return base64.StdEncoding.EncodeToString([]byte(t)) }
	low := func(t string) string { return hex.EncodeToString([]byte(t)) }
	long := func(t string) string {
		return strings.Repeat("an ordinary line of a log, ", 4) + "\n" + t + "\n and more of it"
	}
	parted := func(with string) func(string) string {
		return func(t string) string {
			h := low(t)
			var pairs []string
			for i := 0; i < len(h); i += 2 {
				pairs = append(pairs, h[i:i+2])
			}
			return strings.Join(pairs, with)
		}
	}
	return []encodingForm{
		{"base64", std, from64},
		{"base64 without padding", func(t string) string { return base64.RawStdEncoding.EncodeToString([]byte(t)) }, from64},
		{"base64url", func(t string) string { return base64.URLEncoding.EncodeToString([]byte(t)) }, from64},
		{"base64url without padding", func(t string) string { return base64.RawURLEncoding.EncodeToString([]byte(t)) }, from64},
		{"hex", low, from16},
		{"HEX", func(t string) string { return strings.ToUpper(low(t)) }, from16},
		{"0x", func(t string) string { return "0x" + low(t) }, from16},
		{"base64 in lines of 64", func(t string) string { return wrapped(std(long(t)), 64, "\n") }, from64},
		{"base64 in lines of 76 with an indent", func(t string) string { return wrapped(std(long(t)), 76, "\r\n    ") }, from64},
		{"base64 in lines of 70, written out", func(t string) string { return wrapped(std(long(t)), 70, `\n`) }, from64},
		{"hex in lines of 60", func(t string) string { return wrapped(low(long(t)), 60, "\n") }, from16},
		{"base64 behind a path", func(t string) string { return "/some/path/" + std(t) }, from64},
		{"hex with colons", parted(":"), from16},
		{"hex with spaces", parted(" "), from16},
		{"hex as in a string of C", func(t string) string { return `\x` + parted(`\x`)(t) }, from16},
		{"base64 in base64", func(t string) string { return std(std(t)) }, twice(from64, from64)},
		{"hex in base64", func(t string) string { return std(low(t)) }, twice(from64, from16)},
		{"base64 in hex", func(t string) string { return low(std(t)) }, twice(from16, from64)},
	}
}

func TestRecallEncoded(t *testing.T) {
	t.Parallel()
	s := New(nil)
	all := tally{}
	for _, form := range encodingForms() {
		in, missed := tally{}, map[string]bool{}
		for i, f := range formats() {
			r := rand.New(rand.NewPCG(11, uint64(i)))
			for range 3 {
				one := f.make(r)
				text := one.text
				switch {
				case one.own != "":
					text = one.own
				case f.named:
					text = f.variable + "=" + text
				}
				if leaks(s.String(text), one.random) {
					continue // not found even without an encoding
				}
				out := s.String("2026-11-21 got " + form.to(text) + " from it")
				in.of++
				found := true
				for _, left := range form.from(out) {
					found = found && !leaks(left, one.random)
				}
				if found {
					in.found++
				} else {
					missed[f.name] = true
				}
			}
		}
		t.Logf("%6.2f %% of %d in %s, missed %v", 100*in.share(), in.of, form.name, missed)
		if in.share() < wantEncoded {
			t.Errorf("%s: %.2f %% found", form.name, 100*in.share())
		}
		all.found, all.of = all.found+in.found, all.of+in.of
	}
	t.Logf("%d of %d found (%.2f %%)", all.found, all.of, 100*all.share())
}

// TestEncoded tests that only the encoded credential is removed, and that JSON remains
// valid.
func TestEncoded(t *testing.T) {
	t.Parallel()
	key := "ghp_" + long(36)
	std := base64.StdEncoding.EncodeToString
	s := New([]string{"correct-horse-battery"})
	for name, c := range map[string]struct{ text, want string }{
		"base64":         {"a " + std([]byte(key)) + " b", "a [redacted] b"},
		"in JSON":        {`{"a":"` + std([]byte(key)) + `","b":1}`, `{"a":"[redacted]","b":1}`},
		"with a newline": {`{"a":"x\n` + std([]byte(key)) + `\n"}`, `{"a":"x\n[redacted]\n"}`},
		"hex":            {"a " + hex.EncodeToString([]byte(key)) + " b", "a [redacted] b"},
		"known, twice":   {std([]byte(hex.EncodeToString([]byte("correct-horse-battery")))), "[redacted]"},
		"a hash":         {"sha256:" + strings.Repeat("0a1b2c3d", 8), "sha256:" + strings.Repeat("0a1b2c3d", 8)},
		"text":           {std([]byte("an ordinary line of a program's log with 42 numbers in it")), std([]byte("an ordinary line of a program's log with 42 numbers in it"))},
		"a fingerprint":  {"SHA256 " + strings.TrimSuffix(strings.Repeat("0a:", 32), ":"), "SHA256 " + strings.TrimSuffix(strings.Repeat("0a:", 32), ":")},
		"thrice":         {std([]byte(std([]byte(std([]byte(key)))))), std([]byte(std([]byte(std([]byte(key))))))},
	} {
		got := s.String(c.text)
		if got != c.want {
			t.Errorf("%s: %q became %q", name, c.text, got)
		}
		if again := s.String(got); again != got {
			t.Errorf("%s: %q once more: %q", name, got, again)
		}
		if json.Valid([]byte(c.text)) != json.Valid([]byte(got)) {
			t.Errorf("%s: %q is not the JSON that it was", name, got)
		}
	}
	// The rest of a longer text around the credential is preserved.
	before, after := strings.Repeat("one ordinary line\n", 40), strings.Repeat("another one here.\n", 40)
	out := s.String(std([]byte(before + key + "\n" + after)))
	if n := len(out); n < len(std([]byte(before+after)))*9/10 || strings.Count(out, Mark) != 1 {
		t.Errorf("%d characters are left, with %d marks", n, strings.Count(out, Mark))
	}
}
