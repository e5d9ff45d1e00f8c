package provider_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

// patient is a guard that makes three attempts.
type patient struct{}

func (patient) Do(ctx context.Context, _ policy.Call, run func(context.Context, int) (policy.Spent, error)) (policy.Applied, error) {
	for n := 1; ; n++ {
		_, err := run(ctx, n)
		var f *policy.Failure
		if !errors.As(err, &f) || !f.Retry || n == 3 {
			return policy.Applied{Attempts: n}, err
		}
	}
}

// leaks returns forms in which a server might return a secret, and the traces that would
// reveal it.
func leaks(secret string) (leaks, traces []string) {
	for _, f := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), fmt.Sprintf("%x", secret), strings.ReplaceAll(secret, "/", `\/`)} {
		leaks, traces = append(leaks, f), append(traces, f)
	}
	for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			text := coding.EncodeToString([]byte(strings.Repeat("-", shift) + secret + " and so on"))
			leaks, traces = append(leaks, text), append(traces, text[4:len(secret)])
		}
	}
	return leaks, traces
}

// escapes returns a secret with every character escaped for JSON.
func escapes(secret string) string {
	var out strings.Builder
	for _, r := range secret {
		fmt.Fprintf(&out, `\u%04X`, r)
	}
	return out.String()
}

func newRecorder(t *testing.T, o provider.RecorderOptions) *provider.Recorder {
	t.Helper()
	r, err := provider.NewRecorder(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestRecording records exchanges with a server that fails and returns the API key in every
// way it can, and replays them without the server.
func TestRecording(t *testing.T) {
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			shown, traces := leaks(secret)
			hidden := escapes(secret)
			traces = append(traces, hidden, hidden[6:20])
			leak := func(status int, body string) http.HandlerFunc {
				return with("Openai-Organization", secret, with("X-Request-Id", secret, with("Retry-After", "7", answering(status, body))))
			}
			s := serve(
				t, kind,
				leak(429, `{"error":{"message":"`+secret+`"}}`),
				cut,
				leak(200, saying(kind, "The key: "+strings.Join(shown, " "))),
				leak(200, strings.Replace(saying(kind, "HIDDEN 6379"), "HIDDEN", hidden, 1)),
				leak(401, "no JSON: "+hidden+strings.ReplaceAll(hidden, `\u`, `\u005cu`)),
				leak(200, saying(kind, "the second time")),
			)
			path := filepath.Join(t.TempDir(), "recordings", "night.yaml")
			// The API key is also in the path of the base URL.
			e := s.endpoint()
			e.BaseURL = strings.Replace(e.BaseURL, s.URL, s.URL+"/"+url.PathEscape(secret), 1)
			requests := []*model.Request{asked(), steps(), {Goal: "my key is " + secret, Remaining: 2}, asked()}
			run := func(mode provider.Mode) []string {
				rec := newRecorder(t, provider.RecorderOptions{Mode: mode, Path: path, Secrets: []string{secret}})
				e.HTTP = rec.Client()
				var out []string
				for _, req := range requests {
					r := router(t, e, func(o *provider.Options) { o.Guard = patient{} })
					reply, err := r.Next(context.Background(), req)
					text, _ := json.Marshal(reply)
					out = append(out, fmt.Sprintf("%s %v", text, err))
				}
				if err := rec.Close(); err != nil {
					t.Fatal(err)
				}
				return out
			}
			recorded := run(provider.Record)
			s.Close()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, trace := range traces {
				if strings.Contains(string(text), trace) {
					t.Errorf("the recording has %s", trace)
				}
			}
			for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "Organization", "Request-Id", "127.0.0.1"} {
				if strings.Contains(strings.ToLower(string(text)), strings.ToLower(name)) {
					t.Errorf("the recording has %s", name)
				}
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if diff := cmp.Diff(recorded, run(provider.Replay)); diff != "" {
				t.Errorf("replayed otherwise (-recorded +replayed):\n%s", diff)
			}
			for i, want := range []string{`"Attempts":3`, "[redacted] 6379", "REMOTE_KEY", "the second time"} {
				if !strings.Contains(strings.ReplaceAll(recorded[i], `"attempts"`, `"Attempts"`), want) {
					t.Errorf("%d: %s", i, recorded[i])
				}
			}
		})
	}
}

// TestReplayUnknown requests exchanges that were not recorded.
func TestReplayUnknown(t *testing.T) {
	s := serve(t, provider.OpenAI, answering(200, saying(provider.OpenAI, "6379")))
	path := filepath.Join(t.TempDir(), "night.yaml")
	e := s.endpoint()
	rec := newRecorder(t, provider.RecorderOptions{Mode: provider.Record, Path: path, Secrets: []string{secret}})
	e.HTTP = rec.Client()
	if _, err := ask(t, router(t, e, nil), asked()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rec.Close(), rec.Close()); err != nil {
		t.Fatal(err)
	}
	replay := newRecorder(t, provider.RecorderOptions{Mode: provider.Replay, Path: path})
	e.HTTP = replay.Client()
	other := asked()
	other.Goal, other.Sampling.Seed = "Which port does the queue use?", 7
	for _, test := range []struct {
		req  *model.Request
		want string
	}{
		{other, "the recording contains no POST /v1/chat/completions with this body; the nearest one differs in messages[1].content, seed"},
		{asked(), ""},
		{asked(), "made more often than it was recorded"},
	} {
		_, err := ask(t, router(t, e, nil), test.req)
		var f *provider.Fault
		if test.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &f) || f.Trouble != provider.Unrecorded || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	e.Kind = provider.Anthropic
	if _, err := ask(t, router(t, e, nil), asked()); err == nil || !strings.HasSuffix(err.Error(), "no POST /v1/messages") {
		t.Error(err)
	}
}

func TestRecorderOptions(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("version: 2\ninteractions:\n- null\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []provider.RecorderOptions{
		{Mode: provider.Record}, {Mode: "both", Path: broken}, {Mode: provider.Replay, Path: filepath.Join(dir, "none.yaml")}, {Mode: provider.Replay, Path: broken},
	} {
		if _, err := provider.NewRecorder(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// FuzzRecording records any body with any status and replays the same body and status.
func FuzzRecording(f *testing.F) {
	f.Add([]byte(`{"a": 1}`), []byte("{\"b\":\"\u2028\"}"), 200)
	f.Add([]byte("\xff\x00"), []byte("\ufeff- \r\n \t\x85\x7f: #\n\n"), 429)
	f.Add([]byte("---\n"), []byte(`\u005a\u0071`+base64.StdEncoding.EncodeToString([]byte(secret))), 500)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, question, reply []byte, status int) {
		status = 200 + (status%300+300)%300
		server := roundTrip(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {string(reply)}}, Body: io.NopCloser(strings.NewReader(string(reply)))}
		})
		path := filepath.Join(dir, "night.yaml")
		ask := func(mode provider.Mode) string {
			rec := newRecorder(t, provider.RecorderOptions{Mode: mode, Path: path, Transport: server, Secrets: []string{secret}})
			req := httptest.NewRequest(http.MethodPost, "http://remote/v1", strings.NewReader(string(question)))
			resp, err := rec.RoundTrip(req)
			if err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || rec.Close() != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d %q %q", resp.StatusCode, resp.Header["Retry-After"], body)
		}
		recorded := ask(provider.Record)
		if diff := cmp.Diff(recorded, ask(provider.Replay)); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(recorded, secret) {
			t.Errorf("the key: %s", recorded)
		}
	})
}

type roundTrip func(*http.Request) *http.Response

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req), nil }

// TestRecordingGoesOn tests that a second recorder appends to the file of the first, as two
// agents in one night do, and does not change a file that is not a recording.
func TestRecordingGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.yaml")
	s := serve(t, provider.OpenAI, answering(200, saying(provider.OpenAI, "one")), answering(200, saying(provider.OpenAI, "two")))
	say := func(mode provider.Mode, goal string) string {
		t.Helper()
		r := newRecorder(t, provider.RecorderOptions{Mode: mode, Path: path, Secrets: []string{secret}})
		e := s.endpoint()
		e.HTTP = r.Client()
		reply, err := ask(t, router(t, e, nil), &model.Request{Goal: goal, Remaining: 3})
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		return reply.Answer
	}
	say(provider.Record, "first")
	say(provider.Record, "second")
	if one, two := say(provider.Replay, "first"), say(provider.Replay, "second"); one != "one" || two != "two" {
		t.Errorf("%q and %q", one, two)
	}
	if err := os.WriteFile(path, []byte("a: list\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.NewRecorder(provider.RecorderOptions{Mode: provider.Record, Path: path}); err == nil {
		t.Error("another file was taken for a recording")
	}
}
