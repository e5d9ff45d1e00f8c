package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

// once is a guard that makes one attempt and stores its result.
type once struct {
	call  policy.Call
	err   error
	spent policy.Spent
}

func (g *once) Do(ctx context.Context, c policy.Call, run func(context.Context, int) (policy.Spent, error)) (policy.Applied, error) {
	g.call = c
	g.spent, g.err = run(ctx, 1)
	return policy.Applied{Version: "v1", Attempts: 1}, g.err
}

// cut announces a body and closes the connection before the body ends.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.WriteHeader(200)
	_, _ = w.Write([]byte(`{"id":`))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestFaults(t *testing.T) {
	date := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	echo := `{"type":"error","error":{"type":"authentication_error","message":"Incorrect API key provided: ` + secret + `.","code":"invalid_api_key"}}`
	said := func(text string) string {
		return `{"type":"error","error":{"message":"` + text + `","type":"invalid_request_error","param":null,"code":null}}`
	}
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		trouble provider.Trouble
		retry   agent.Outcome // outcome of the failure if policies may retry it; otherwise empty
		outcome agent.Outcome
		after   time.Duration
		text    string
	}{
		{"429", with("Retry-After", "7", answering(429, said("slow down"))), provider.Limited, agent.RateLimited, agent.RateLimited, 7 * time.Second, "slow down"},
		{"429 in milliseconds", with("Retry-After-Ms", "250.5", with("Retry-After", "1", answering(429, ""))), provider.Limited, agent.RateLimited, agent.RateLimited, 250500 * time.Microsecond, "too many requests"},
		{"429 with a date", with("Date", date.Format(http.TimeFormat), with("Retry-After", date.Add(90*time.Second).Format(http.TimeFormat), answering(429, "{}"))), provider.Limited, agent.RateLimited, agent.RateLimited, 90 * time.Second, "it gives no reason"},
		{"429 with nonsense", with("Retry-After", "-1e999", answering(429, "[]")), provider.Limited, agent.RateLimited, agent.RateLimited, 0, ""},
		{"429 for years", with("Retry-After", "1e300", answering(429, "[]")), provider.Limited, agent.RateLimited, agent.RateLimited, 24 * time.Hour, ""},
		{"429 without credit", answering(429, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`), provider.NoCredit, "", agent.Infrastructure, 0, "quota"},
		{"500", answering(500, "oops"), provider.Unwell, agent.Execution, agent.Infrastructure, 0, "oops"},
		{"502", answering(502, "<html>"), provider.Unwell, agent.Execution, agent.Infrastructure, 0, "502"},
		{"503", with("Retry-After", "3", answering(503, said("loading"))), provider.Unwell, agent.Execution, agent.Infrastructure, 3 * time.Second, "loading"},
		{"529", answering(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), provider.Unwell, agent.Execution, agent.Infrastructure, 0, "Overloaded"},
		{"cut", cut, provider.Cut, agent.Execution, agent.Infrastructure, 0, "cut"},
		{"no headers", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, provider.Cut, agent.Execution, agent.Infrastructure, 0, "no complete reply"},
		{"garbage", answering(200, "\x00\xff{{{"), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "protocol"},
		{"page", with("Content-Type", "text/html", answering(200, "<html>hello</html>")), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "protocol"},
		{"empty body", answering(200, ""), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "protocol"},
		{"empty object", answering(200, "{}"), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "protocol"},
		{"an error as a 200", answering(200, `{"error":{"message":"Rate limit exceeded upstream","code":429}}`), provider.Limited, agent.RateLimited, agent.RateLimited, 0, "too many requests (429): Rate limit exceeded upstream"},
		{"an error of its own as a 200", answering(200, `{"type":"error","error":{"type":"api_error","message":"upstream is gone"}}`), provider.Unwell, agent.Execution, agent.Infrastructure, 0, "failed (200): upstream is gone"},
		{"too long as a 200", answering(200, `{"error":{"message":"This endpoint's maximum context length is 8192 tokens.","code":400}}`), provider.TooLong, "", agent.BudgetExceeded, 0, "8192"},
		{"broken off", answering(200, completion(`{"role":"assistant","content":"Port 63"}`, "error", openaiUsage)), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "protocol"},
		{"flood", answering(200, `{"id":"`+strings.Repeat("x", 9<<20)), provider.Garbled, agent.Execution, agent.Infrastructure, 0, "larger than 8 MiB"},
		{"401", answering(401, echo), provider.BadKey, "", agent.Infrastructure, 0, "refuses the key in the environment variable REMOTE_KEY (401): Incorrect API key provided: [redacted]"},
		{"403", answering(403, said("not in your country")), provider.BadKey, "", agent.Infrastructure, 0, "REMOTE_KEY"},
		{"404", answering(404, said("no such model")), provider.NotFound, "", agent.Infrastructure, 0, "no such model"},
		{"400", answering(400, said("messages: too few")), provider.Rejected, "", agent.Infrastructure, 0, "messages: too few"},
		{"redirect", with("Location", "https://example.com/", answering(308, "")), provider.Moved, "", agent.Infrastructure, 0, "redirect (308)"},
		{"too long for openai", answering(400, `{"error":{"message":"Your input of 8193 tokens is over the window of 8192.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`), provider.TooLong, "", agent.BudgetExceeded, 0, "8192"},
		{"too long for vllm", answering(400, `{"object":"error","message":"This model's maximum context length is 8192 tokens.","type":"BadRequestError","code":400}`), provider.TooLong, "", agent.BudgetExceeded, 0, "8192"},
		{"too long for anthropic", answering(400, said("prompt is too long: 210000 tokens > 200000 maximum")), provider.TooLong, "", agent.BudgetExceeded, 0, "210000"},
		{"too long for max_tokens", answering(400, said("input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000")), provider.TooLong, "", agent.BudgetExceeded, 0, "199000"},
		{"too long for a local server", answering(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), provider.TooLong, "", agent.BudgetExceeded, 0, "context"},
		{"413", answering(413, ""), provider.TooLong, "", agent.BudgetExceeded, 0, "context"},
	}
	for _, test := range tests {
		for _, kind := range kinds {
			t.Run(test.name+"/"+string(kind), func(t *testing.T) {
				s := serve(t, kind, test.answer)
				s.Config.ErrorLog = nil
				var g once
				r := router(t, s.endpoint(), func(o *provider.Options) { o.Guard, o.Agent = &g, "scribe" })
				reply, err := ask(t, r, nil)
				var e *model.Error
				var f *provider.Fault
				if !errors.As(err, &e) || !errors.As(err, &f) {
					t.Fatalf("%T: %v", err, err)
				}
				if f.Trouble != test.trouble || e.Outcome != test.outcome || f.RetryAfter != test.after || !strings.Contains(err.Error(), test.text) {
					t.Errorf("%s, %s after %s: %v", f.Trouble, e.Outcome, f.RetryAfter, err)
				}
				var failure *policy.Failure
				retry := errors.As(g.err, &failure) && failure.Retry
				if retry != (test.retry != "") || retry && (failure.Outcome != test.retry || failure.RetryAfter != test.after) {
					t.Errorf("for the policies: %+v", g.err)
				}
				if strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\n\r\x00") || len(err.Error()) > 400 {
					t.Errorf("an error for people: %q", err)
				}
				if billed := g.spent.Tokens > 0; billed != (test.trouble == provider.Cut || test.trouble == provider.Garbled) {
					t.Errorf("spent %+v", g.spent)
				}
				if len(reply.Applied) != 1 || reply.Applied[0].Version != "v1" || reply.Provider != "remote" {
					t.Errorf("the policies are lost: %+v", reply)
				}
				if g.call.Kind != policy.Provider || g.call.Name != "remote" || g.call.Agent != "scribe" || !g.call.Repeatable || g.call.ID == "" || g.call.Estimate.Tokens < 100 {
					t.Errorf("guarded as %+v", g.call)
				}
			})
		}
	}
}

// TestNoConnection uses an address without a server, and missing API keys.
func TestNoConnection(t *testing.T) {
	for _, kind := range kinds {
		_, err := ask(t, router(t, provider.Endpoint{Name: "gone", Kind: kind, BaseURL: "http://127.0.0.1:1"}, nil), nil)
		var f *provider.Fault
		if !errors.As(err, &f) || f.Trouble != provider.Unreachable {
			t.Errorf("%s: %v", kind, err)
		}
		closed := httptest.NewServer(answering(401, `{"error":{"message":"who are you?"}}`))
		for env, want := range map[string]string{"": "none is configured", "REMOTE_KEY": "REMOTE_KEY is empty"} {
			e := provider.Endpoint{Name: "closed", Kind: kind, BaseURL: closed.URL, KeyEnv: env}
			if _, err := ask(t, router(t, e, nil), nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %q: %v", kind, env, err)
			}
		}
		closed.Close()
	}
}

// TestRedirect tests that a key is not sent along with a redirect, whichever client is
// used.
func TestRedirect(t *testing.T) {
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the thief was asked, with %v", r.Header)
	}))
	defer thief.Close()
	for _, kind := range kinds {
		for _, client := range []*http.Client{nil, {Transport: &http.Transport{DisableKeepAlives: true}}} {
			s := serve(t, kind, with("Location", thief.URL, answering(307, "")))
			e := s.endpoint()
			e.HTTP = client
			if _, err := ask(t, router(t, e, nil), nil); err == nil || strings.Contains(err.Error(), thief.URL) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// TestCancelled cancels the caller's context.
func TestCancelled(t *testing.T) {
	for _, kind := range kinds {
		ctx, cancel := context.WithCancel(context.Background())
		s := serve(t, kind, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		_, err := router(t, s.endpoint(), nil).Next(ctx, &model.Request{Goal: "?", Remaining: 2})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
		cancel()
	}
}
