package scrub

import (
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// long is a run of characters as they are in keys; put together here so that no
// key stands in the source.
func long(n int) string { return strings.Repeat("aB3dE5gH7j", n/10+1)[:n] }

func TestShapes(t *testing.T) {
	s := New(nil)
	for name, c := range map[string]struct{ text, want string }{
		"aws":                {"id AKIA" + strings.ToUpper(long(16)) + " used", "id [redacted] used"},
		"aws secret":         {"aws_secret_access_key = " + long(40), "aws_secret_access_key = [redacted]"},
		"github":             {"push with ghp_" + long(36) + ".", "push with [redacted]."},
		"github fine":        {"github_pat_" + long(22) + "_" + long(59), "[redacted]"},
		"slack":              {"xoxb-" + long(24), "[redacted]"},
		"slack hook":         {"post to https://hooks.slack.com/services/T1/B2/" + long(20), "post to https://[redacted]"},
		"openai":             {`key "sk-proj-` + long(40) + `"`, `key "[redacted]"`},
		"anthropic":          {"sk-ant-api03-" + long(90), "[redacted]"},
		"stripe":             {"sk_live_" + long(24), "[redacted]"},
		"google":             {"AIza" + long(35), "[redacted]"},
		"jwt":                {"eyJ" + long(20) + "." + long(30) + "." + long(20), "[redacted]"},
		"bearer":             {"curl -H 'Authorization: Bearer " + long(8) + "' x", "curl -H 'Authorization: Bearer [redacted]' x"},
		"bearer alone":       {"sent bearer " + long(30), "sent bearer [redacted]"},
		"basic":              {"authorization: basic dTpw", "authorization: basic [redacted]"},
		"header as json":     {`{"Authorization": "Basic dTpw", "Accept": "*/*"}`, `{"Authorization": "Basic [redacted]", "Accept": "*/*"}`},
		"password":           {"user=me password=hunter2 host=db", "user=me password=[redacted] host=db"},
		"password as json":   {`{"password": "hunter 2", "user": "me"}`, `{"password": "[redacted]", "user": "me"}`},
		"in a query":         {"GET /x?api_key=hunter2&n=1", "GET /x?api_key=[redacted]&n=1"},
		"dsn":                {"postgres://app:hunter2@db:5432/x?sslmode=off", "postgres://[redacted]@db:5432/x?sslmode=off"},
		"url without user":   {"redis://:hunter2@cache/0", "redis://[redacted]@cache/0"},
		"pem":                {"a\n-----BEGIN RSA PRIVATE KEY-----\n" + long(64) + "\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		"pem cut off":        {"a\n-----BEGIN PRIVATE KEY-----\n" + long(64) + "\n", "a\n[redacted]"},
		"two of them":        {"ghp_" + long(30) + " and ghp_" + long(31), "[redacted] and [redacted]"},
		"ordinary text":      {"the bearer of the task-list passed 3 tokens: keys are basic", "the bearer of the task-list passed 3 tokens: keys are basic"},
		"usage":              {`{"input_tokens": 12, "max_tokens": 400}`, `{"input_tokens": 12, "max_tokens": 400}`},
		"a url and an email": {"https://example.org:8080/a and me@example.org", "https://example.org:8080/a and me@example.org"},
		"a public key":       {"-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----"},
		"nothing":            {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.String(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	s := New([]string{"opensesame", "opensesame-and-more", "s p/c\"l", "tiny", "  ", "redacted"})
	for text, want := range map[string]string{
		"say opensesame!":          "say [redacted]!",
		"opensesame-and-more":      "[redacted]",
		"?q=s+p%2Fc%22l":           "?q=[redacted]",
		`{"a":"s p/c\"l"}`:         `{"a":"[redacted]"}`,
		"a tiny thing is redacted": "a tiny thing is redacted",
	} {
		if diff := cmp.Diff(want, s.String(text)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestKnownNeverSurvives(t *testing.T) {
	secret := "opensesame"
	s := New([]string{secret})
	err := quick.Check(func(before, after string) bool {
		return !strings.Contains(s.String(before+secret+after), secret)
	}, &quick.Config{MaxCount: 500})
	if err != nil {
		t.Error(err)
	}
}

func FuzzString(f *testing.F) {
	for _, text := range []string{
		"password=hunter2", "x://u:p@h", "-----BEGIN PRIVATE KEY-----", "authorization: basic a, authorization=b", "opensesame",
		"openopensesamesesame", "password=\"'", "bearer " + long(20), "sk-" + long(16), "a\xffb", "api_key: secret: pwd=1234",
	} {
		f.Add(text)
	}
	s := New([]string{"opensesame"})
	f.Fuzz(func(t *testing.T, text string) {
		once := s.String(text)
		if twice := s.String(once); twice != once {
			t.Errorf("%q becomes %q, then %q", text, once, twice)
		}
		if strings.Contains(once, "opensesame") {
			t.Errorf("%q keeps a known value", once)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q is no longer text", once)
		}
	})
}

func BenchmarkString(b *testing.B) {
	s := New([]string{"opensesame"})
	for name, text := range map[string]string{
		"ordinary": strings.Repeat("an ordinary line of a program's log with 42 numbers in it\n", 1<<10),
		"hostile":  strings.Repeat("key token pass://a:-----BEGIN PRIVATE KEY authorization bearer sk-", 1<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.String(text)
			}
		})
	}
}
