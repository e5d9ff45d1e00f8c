package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// pieces draws the parts of hostile text: names, marks, quotation marks and the
// beginnings of credentials.
func pieces() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"password", "secret", "api_key", "token", "key", "authorization", "Cookie", "bearer ", "basic ", "value", "kind", "Secret", "data", "stringData",
		"=", ":", " ", "\n", "\r\n", "\t", `"`, `'`, "`", `\`, `\\`, `\"`, ",", ";", "&", "{", "}", "[", "]", "<", ">", "|", "+", "--", "-----", "@", "://", "/", ".", "$", "%",
		"%3D", "%40", "%3A%2F%2F", "\x1b[31m", "\x1b[0m", `\u001b[1m`, `\n`, `\r`, `\u00e9`, "é", "\u2028",
		"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "machine x login y password ", "mysql -p", "curl -u a:", "db:5432:a:b:",
		"\u200b", `\u200b`, `\\u00ad`, "\ufeff", `\udb40\udc41`, "s\u200bk-" + long(30), "pass\u00adword",
		"hunter2", "opensesame", "12345678", "-12e5", "null", "true", Mark, "redacted", "[redacted", "x",
		"ghp_" + long(36), "sk-" + long(30), "AKIA" + strings.ToUpper(long(16)), "eyJ" + long(20) + "." + long(20) + "." + long(20), long(40), "xoxb-" + long(20),
		"$apr1$abcdefgh$" + long(22), "dp.pt." + long(43), long(24) + ".", strings.Repeat("a1", 16), "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + long(40),
	})
}

func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(pieces(), rapid.StringN(0, 4, -1)), 0, 14).Draw(t, "pieces"), "")
	})
}

// tree draws an arbitrary JSON value.
func tree(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.SampledFrom([]any{12345678, 1.5e30, -7, true, false, 31415926535}).Draw(t, "scalar")
	case 2, 3:
		return hostile().Draw(t, "text")
	case 4:
		var list []any
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			list = append(list, tree(t, depth-1))
		}
		return list
	}
	fields := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		name := rapid.OneOf(rapid.SampledFrom([]string{"password", "token", "kind", "data", "api_key", "cookie", "authorization", "name", "value", "env"}), hostile()).Draw(t, "name")
		fields[name] = tree(t, depth-1)
	}
	return fields
}

// knownValues returns known secret values, some of which look like numbers, names or
// escapes.
func knownValues() []string {
	return []string{"opensesame", "12345678", `pa"s\s`, "a\nbcdef ghi", "null,null", "ordinary", `nbcdefgh`, `\\\\\\`}
}

func TestJSONStaysJSON(t *testing.T) {
	s := New(knownValues())
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(1, 3).Draw(t, "lines") {
			text, err := json.Marshal([]any{tree(t, 3)})
			if err != nil {
				t.Skip(err)
			}
			lines = append(lines, string(text))
		}
		for _, text := range lines {
			if out := s.String(text); !json.Valid([]byte(out)) {
				t.Fatalf("%s\nbecame\n%s", text, out)
			}
		}
		// With one value per line, the text as a whole is not JSON.
		text := strings.Join(lines, "\n")
		out := s.String(text)
		if strings.Count(out, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%s\nbecame\n%s", text, out)
		}
		for line := range strings.SplitSeq(out, "\n") {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s\nbecame\n%s", text, out)
			}
		}
		indented, err := json.MarshalIndent(json.RawMessage(lines[0]), "", "  ")
		if err != nil {
			t.Skip(err)
		}
		if out := s.String(string(indented)); !json.Valid([]byte(out)) {
			t.Fatalf("%s\nbecame\n%s", indented, out)
		}
	})
}

func TestOnceIsEnough(t *testing.T) {
	s := New(knownValues())
	rapid.Check(t, func(t *rapid.T) {
		text := hostile().Draw(t, "text")
		once := s.String(text)
		if twice := s.String(once); twice != once {
			t.Fatalf("%q became %q, then %q", text, once, twice)
		}
		if s.Flags(text) != (once != text) || s.Flags(once) {
			t.Fatalf("%q is flagged %v and became %q, flagged %v", text, s.Flags(text), once, s.Flags(once))
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Fatalf("%q became %q", text, once)
		}
	})
}

func TestKnownEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{8,60}`).Draw(t, "secret")
		if strings.Contains(Mark, secret) {
			t.Skip()
		}
		before, after := rapid.StringN(0, 10, -1).Draw(t, "before"), rapid.StringN(0, 10, -1).Draw(t, "after")
		s := New([]string{secret})
		quote := func(v string) string { text, _ := json.Marshal(v); return string(text) }
		for name, coding := range map[string]struct{ encode func(string) string }{
			"plain": {func(v string) string { return v }}, "query": {url.QueryEscape}, "path": {url.PathEscape}, "json": {quote},
			"json in json": {func(v string) string { return quote(quote(v)) }},
			"base64":       {func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) }},
			"base64 url":   {func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) }},
			"hex":          {func(v string) string { return hex.EncodeToString([]byte(v)) }},
			"capital hex":  {func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) }},
		} {
			// The secret is encoded by itself, and as part of a longer text that is encoded
			// as a whole.
			for _, text := range []string{"see " + coding.encode(secret) + " there", coding.encode(before + secret + after)} {
				out := s.String(text)
				if strings.Contains(out, secret) || strings.Count(out, Mark) == 0 {
					t.Fatalf("%s of %q: %q became %q", name, secret, text, out)
				}
			}
		}
	})
}

func TestKnownLines(t *testing.T) {
	lines := []string{long(40), strings.ToUpper(long(40)), strings.Repeat("q7R", 12)}
	s := New([]string{strings.Join(lines, "\n")})
	for _, line := range lines {
		if out := s.String("  | " + line + " |"); strings.Contains(out, line) {
			t.Errorf("%q", out)
		}
	}
}

// TestKnownAcrossBreaks tests that a value is found wherever its lines were broken, whether
// plain or encoded, in plain text and inside JSON strings.
func TestKnownAcrossBreaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!#-%'-;=?-\[\]-~]{12,60}`).Draw(t, "secret")
		if strings.Contains(Mark, secret) {
			t.Skip()
		}
		brk := rapid.SampledFrom([]string{"\n", "\r\n", "\n    ", " \n\t", "\\\n", "\n\n", "\u200b", "\u00ad", "\ufeff"}).Draw(t, "break")
		width := rapid.IntRange(1, 76).Draw(t, "width")
		coded := rapid.SampledFrom([]func(string) string{
			func(v string) string { return v },
			func(v string) string {
				return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a word ", 10) + v + " and more"))
			},
			func(v string) string { return hex.EncodeToString([]byte(v)) },
		}).Draw(t, "coding")(secret)
		var wrapped strings.Builder
		for i := 0; i < len(coded); i += width {
			if i > 0 {
				wrapped.WriteString(brk)
			}
			wrapped.WriteString(coded[i:min(i+width, len(coded))])
		}
		s := New([]string{secret})
		text := "before it: " + wrapped.String() + "\nafter"
		quoted, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		ascii := strings.NewReplacer("\u200b", `\u200b`, "\u00ad", `\u00AD`, "\ufeff", `\uFeff`).Replace(string(quoted))
		for _, text := range []string{text, string(quoted), "x\n" + string(quoted) + "\ny", ascii} {
			out := s.String(text)
			if !strings.Contains(out, Mark) || !strings.HasPrefix(strings.TrimPrefix(text, "x\n"), strings.TrimPrefix(out, "x\n")[:8]) || !strings.Contains(out, "after") && len(coded) <= 60 {
				t.Fatalf("%q broken by %q became %q", text, brk, out)
			}
			if again := s.String(out); again != out {
				t.Fatalf("%q becomes %q", out, again)
			}
		}
		if out := s.String(string(quoted)); !json.Valid([]byte(out)) {
			t.Fatalf("%s is no JSON", out)
		}
	})
}

// TestBreaksOfOthers tests that pieces of values that are merely near each other are not
// removed, nor are short values, whose pieces are ordinary text.
func TestBreaksOfOthers(t *testing.T) {
	s := New([]string{"opensesame", "correct-horse-battery"})
	for _, text := range []string{"open\nsesame", "correct-horse-\n- battery", "correct-horse battery", "correct-horse-\nx\nbattery", "12345678\n90", "a\\nb\\\\"} {
		if out := s.String(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
	if out := s.String("1\n12345\n" + "67890123456\n2"); out != "1\n12345\n67890123456\n2" {
		t.Errorf("%q", out)
	}
	if out := New([]string{"1234567890123"}).String("[1]\n12345\n67890123\n[2]"); strings.Contains(out, "67890") {
		t.Errorf("half of a value that is lines of JSON survives: %q", out)
	}
}
