package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/scrub"
)

// opened returns a registry, an environment and a secret value. The registry's scrubber
// removes that value.
func opened(t *testing.T, files map[string]string) (*Registry, *Env, string) {
	t.Helper()
	const secret = "tr0ub4dor-and-three"
	s := scrub.New([]string{secret})
	r, err := NewRegistry(Options{Scrub: s.String}, Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "SECRET", secret)
	}
	e := lay(t, files)
	e.Scrub = s.String
	return r, e, secret
}

// TestGrepTellsNothing tests that no pattern reveals the characters of a credential, that
// no pattern finds the lines of a key block, and that a cut line never contains half of a
// credential.
func TestGrepTellsNothing(t *testing.T) {
	var block strings.Builder
	for i := range 12 {
		fmt.Fprintf(&block, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7%012d\n", i)
	}
	r, e, secret := opened(t, map[string]string{
		"a.conf": "name = depot\nkey is SECRET here\nlast = line\n",
		"b.txt":  "first\n-----BEGIN PRIVATE KEY-----\n" + block.String() + "-----END PRIVATE KEY-----\nlast = line\n",
		"c.json": `{"text": "` + strings.Repeat("x", maxMatchLine-20) + ` SECRET ` + strings.Repeat("y", 50) + `"}`,
	})
	for pattern, want := range map[string]string{
		"key is tr0u":                  "",
		"key is tr1u":                  "",
		"is [a-z0-9-]{19} here":        "",
		"key is":                       "a.conf:2: key is [redacted] here",
		`^[A-Za-z0-9+/]{60,}$`:         "",
		"MIIEv":                        "",
		"last = line":                  "a.conf:3: last = line\nb.txt:16: last = line",
		"first|BEGIN|END PRIVATE|name": "a.conf:1: name = depot\nb.txt:1: first",
	} {
		args, err := json.Marshal(map[string]string{"pattern": pattern})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, do(t, r, e, "grep", string(args)).Output); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	for n := range 40 { // for every position of the cut
		e.texts, e.cleaned = map[string]string{"c.json": strings.Repeat("x", maxMatchLine-n) + secret + "yyy"}, nil
		if out := do(t, r, e, "grep", `{"pattern":"x","path":"c.json"}`).Output; strings.Contains(out, secret[:4]) {
			t.Fatalf("%d bytes before the cut: %s", n, out)
		}
	}
}

// TestLongOutputIsCutBehindCredentials tests that wherever a credential is, no part of it
// remains at the end of a cut output.
func TestLongOutputIsCutBehindCredentials(t *testing.T) {
	r, e, secret := opened(t, map[string]string{"long.txt": "x"})
	for _, beyond := range []int{1, margin, 3 * margin} {
		for n := 0; n <= len(secret); n += 3 {
			for _, edge := range []int{MaxOutput, MaxOutput + margin} {
				e.texts = map[string]string{"long.txt": strings.Repeat("x", edge-n) + secret + strings.Repeat("y", beyond)}
				out := do(t, r, e, "read_file", `{"path":"long.txt"}`).Output
				if strings.Contains(out, secret[:3]) || len(out) > MaxOutput+20 {
					t.Fatalf("%d bytes before %d, %d beyond: %d bytes that end in %q", n, edge, beyond, len(out), out[len(out)-60:])
				}
			}
		}
	}
}

// FuzzNumbered tests that every line in a cleaned text gets a line number from the
// original, in ascending order, and that an unchanged, unique line keeps its number.
func FuzzNumbered(f *testing.F) {
	f.Add("a\nb\nSECRET\nc\n", uint8(3), uint8(1))
	f.Add("a\nb\nb\nb\nc", uint8(1), uint8(2))
	f.Add("\n\n\n", uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, text string, from, n uint8) {
		lines := slices.Collect(strings.Lines(text))
		count := map[string]int{}
		for _, line := range lines {
			count[line]++
		}
		// A block of lines is removed, as happens to the lines of a private key.
		first := min(int(from), len(lines))
		last := min(first+int(n), len(lines))
		block := ""
		if first < last {
			block = "[redacted]" + strings.Repeat("\n", strings.Count(lines[last-1], "\n"))
		}
		clean := strings.Join(lines[:first], "") + block + strings.Join(lines[last:], "")
		before, seen := 0, 0
		numbered(text, clean, func(at int, line string) bool {
			if at <= before || at > max(len(lines), 1) {
				t.Fatalf("%q became %q, of which line %q has the number %d after %d", text, clean, line, at, before)
			}
			if line != "[redacted]\n" && line != "[redacted]" && count[line] == 1 && lines[at-1] != line {
				t.Fatalf("%q became %q: line %d is not %q", text, clean, at, line)
			}
			before = at
			seen++
			return true
		})
		if want := len(slices.Collect(strings.Lines(clean))); seen != want {
			t.Fatalf("%q: %d lines of %d were seen", clean, seen, want)
		}
	})
}
