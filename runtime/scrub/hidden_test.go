package scrub

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// TestInvisibleCharacters checks that invisible characters, whether literal or escaped,
// cannot hide a credential wherever they are inserted, and that the surrounding text is
// preserved.
func TestInvisibleCharacters(t *testing.T) {
	s := New([]string{"opensesame-42"})
	for _, secret := range []string{
		"sk-" + long(30), "ghp_" + long(36), "AKIAIOSFODNN7EXAMPLE", "eyJ" + long(20) + "." + long(20) + "." + long(20), "4111 1111 1111 1111", "opensesame-42",
		base64.StdEncoding.EncodeToString([]byte("the key is AKIAIOSFODNN7EXAMPLE, keep it")),
	} {
		for _, mark := range []string{"\u200b", "\u00ad", "\ufeff", "\u2060", "\u200d", "\u202e", "\ufe0f", "\u3164", "\U000e0041", "\u180e", `\u200b`, `\\u200B`, `\udb40\udc41`} {
			hidden := []string{strings.Join(strings.Split(secret, ""), mark)}
			for _, at := range []int{1, 2, 3, 4, len(secret) / 2, len(secret) - 1} {
				hidden = append(hidden, secret[:at]+mark+secret[at:])
			}
			for _, text := range hidden {
				got, _ := bared(s.String("use " + text + " here"))
				if want := s.String("use " + secret + " here"); got != want || !strings.Contains(got, Mark) {
					t.Errorf("%q became %q, not %q", text, got, want)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"pass\u200bword = hunter2hunter2":   "pass\u200bword = " + Mark,
		"\ufeffpassword = hunter2hunter2":   "\ufeffpassword = " + Mark,
		"naïve 👩\u200d🚀 co\u00adoperate":    "naïve 👩\u200d🚀 co\u00adoperate",
		"می\u200cخواهم":                     "می\u200cخواهم",
		`{"a":"sk-\u200b` + long(30) + `"}`: `{"a":"` + Mark + `"}`,
		`\u2\u200b00b`:                      `\u2\u200b00b`,
	} {
		got := s.String(text)
		if got != want || strings.HasPrefix(text, "{") && !json.Valid([]byte(got)) {
			t.Errorf("%q became %q", text, got)
		}
		if s.String(got) != got {
			t.Errorf("%q is not stable", got)
		}
	}
}
