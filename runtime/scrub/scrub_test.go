package scrub

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// long returns characters of the kind used in keys, so the source contains no complete key.
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
	f.Add("opensesame-\n  and-more")
	f.Add("opensesame\\n-and\\u200b-more 90123456\n7890123")
	s := New([]string{"opensesame", "opensesame-and-more", "901234567890123"})
	f.Fuzz(func(t *testing.T, text string) {
		once := s.String(text)
		if twice := s.String(once); twice != once {
			t.Errorf("%q becomes %q, then %q", text, once, twice)
		}
		if strings.Contains(once, "opensesame") || strings.Contains(strings.ReplaceAll(once, "\n", ""), "901234567890123") {
			t.Errorf("%q keeps a known value", once)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(once)) {
			t.Errorf("%q is no longer JSON: %q", text, once)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q is no longer text", once)
		}
	})
}

// TestSurvives tests that text that only looks like a credential is preserved.
func TestSurvives(t *testing.T) {
	sha := strings.Repeat("0123456789abcdef", 4)
	s := New(nil)
	for _, text := range []string{
		"sha256:" + sha, "commit " + sha[:40], `{"config":"` + sha[:32] + `","key":"` + sha + `"}`, "key: " + sha[:40], "cache_key=" + sha,
		"id 0b5e9c1e-8f0a-4c7e-9d2b-1a2b3c4d5e6f", "request_id=0b5e9c1e-8f0a-4c7e-9d2b-1a2b3c4d5e6f", "session: 01JD3ZK8Q9V7W2X4Y6A8B0C1D2", "key 01JD3ZK8Q9V7W2X4Y6A8B0C1D2",
		"![](data:image/png;base64,iVBORw0KGgo" + long(60) + "==)", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + long(43) + " me@host",
		"-----BEGIN CERTIFICATE-----\n" + long(64) + "\n-----END CERTIFICATE-----", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t" + long(60),
		`{"max_tokens": 4096, "token_count": 12, "tokens": [1, 2]}`, "password: ${DB_PASSWORD}", "password=$PASSWORD", `password := os.Getenv("PASSWORD")`, "password: <your password>",
		`{"password": null, "secret": true, "token": ""}`, "type Login struct { Password string }", "if password == other {", "PWD=/home/me", "--password string   the password to use",
		"The answer is 42.", "yes", "unknown", "alarm/alarm.go", "Basic information: see below", "the bearer of bad news", "Set the token: it is needed", "the secret: be patient",
		"git@github.com:a/b.git", "https://example.org/a:b@c", "http://[::1]:80/", "mailto:me@example.org", "s.method(x)", "task-2024-11-21-abcdefghij", "SKU 0123456789",
		"secretKeyRef:\n  name: app\n  key: password", "kind: Deployment\ndata:\n  a: b", "0/1 nodes are ready", "grep -p pattern", "monkey: " + long(30),
	} {
		if out := s.String(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestMore(t *testing.T) {
	s := New(nil)
	for name, c := range map[string]struct{ text, want string }{
		"number":          {`{"password": 123456, "n": 1}`, `{"password": "[redacted]", "n": 1}`},
		"escape before":   {`{"a":"x\nghp_` + long(36) + `"}`, `{"a":"x\n[redacted]"}`},
		"coloured":        {"\x1b[1mpassword\x1b[0m: \x1b[31mhunter2x\x1b[0m", "\x1b[1mpassword\x1b[0m: \x1b[31m[redacted]\x1b[0m"},
		"encoded address": {"?to=https%3A%2F%2Fme%3Ahunter2%40host%2Fx", "?to=https%3A%2F%2F[redacted]%40host%2Fx"},
		"manifest":        {"kind: Secret\ndata:\n  a: aHVudGVyMg==\n  b: eA==\nmetadata:\n  name: x\n", "kind: Secret\ndata:\n  a: [redacted]\n  b: [redacted]\nmetadata:\n  name: x\n"},
		"manifest, json":  {`{"kind":"Secret","data":{"a":"aHVudGVyMg==","b":"eA=="},"metadata":{"name":"x"}}`, `{"kind":"Secret","data":{"a":"[redacted]","b":"[redacted]"},"metadata":{"name":"x"}}`},
		"tag":             {"<password>hunter2x</password>", "<password>[redacted]</password>"},
		"list of lines":   {`["-----BEGIN PRIVATE KEY-----","` + long(64) + `","-----END PRIVATE KEY-----"]`, `["-----BEGIN PRIVATE KEY-----","[redacted]","-----END PRIVATE KEY-----"]`},
		"inner quotes":    {`{"a":"{\"password\":\"x\\\"y\"}","b":1}`, `{"a":"{\"password\":\"[redacted]\"}","b":1}`},
		"cookies":         {"Cookie: lang=en; sid=" + long(20) + "; theme=dark", "Cookie: lang=en; sid=[redacted]; theme=dark"},
		"said":            {"my password is hunter2x.", "my password is [redacted]."},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.String(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHostileEnds would take hours if any rule read the text again for each position at
// which the rule can begin to match.
func TestHostileEnds(t *testing.T) {
	s := New([]string{"opensesame"})
	for name, text := range texts() {
		text = text[:256<<10]
		once := s.String(text)
		if s.Flags(once) {
			t.Errorf("%s: not done after one call", name)
		}
	}
	for _, part := range []string{"token=", "cookie=", "://a:", `password="`, `key\`, "@tcp(", "kind: Secret data: ", "-----BEGIN PRIVATE KEY-----", "%3a%2f%2f", "mysql ", "sk-", "\\", "eyJ.", "login x "} {
		s.String(strings.Repeat(part, (256<<10)/len(part)))
	}
}
