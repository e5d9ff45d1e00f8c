package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/scrub"
)

// newHTTPAgent returns an agent for a handler. The agent is closed at the end of the test.
func newHTTPAgent(t testing.TB, h http.HandlerFunc, change func(*HTTPOptions)) *HTTPAgent {
	t.Helper()
	server := httptest.NewServer(h)
	o := HTTPOptions{URL: server.URL, Header: map[string]string{"Authorization": "Bearer opensesame"}, Scrub: scrub.New([]string{"opensesame"}).String}
	if change != nil {
		change(&o)
	}
	a, err := NewHTTP(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
	})
	return a
}

// asked returns the request as a server reads it.
func asked(t testing.TB, r *http.Request) request {
	t.Helper()
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		t.Errorf("request: %v", err)
	}
	return req
}

func TestHTTP(t *testing.T) {
	a := newHTTPAgent(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer opensesame" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		req := asked(t, r)
		if req.Limits.TimeoutS != 20 || string(req.Config) != `{"case":"upper"}` || req.Workdir != "/w" {
			t.Errorf("%+v", req)
		}
		_, _ = fmt.Fprintf(w, "{\"id\":%q,\"answer\":%q,\"usage\":{\"cost_usd\":0.5},\"transcript\":{\"key\":\"opensesame\"},\"artifacts\":[\"x\"]}\n", req.ID, strings.ToUpper(req.Task.Goal))
	}, nil)
	req := ask("e1", "shout")
	req.Workdir = "/w"
	answer := "SHOUT"
	want := agent.Result{
		Answer: &answer, Outcome: agent.OK, Usage: agent.Usage{CostUSD: .5}, Artifacts: json.RawMessage(`["x"]`),
		Transcript: agent.Transcript{Events: []agent.Event{{Kind: agent.EventForeign, Data: json.RawMessage(`{"key":"[redacted]"}`)}}},
	}
	if diff := cmp.Diff(want, a.Run(t.Context(), req)); diff != "" {
		t.Error(diff)
	}
}

// TestHTTPElsewhere tests that a path on this machine is not sent to another machine.
func TestHTTPElsewhere(t *testing.T) {
	var seen request
	a := newHTTPAgent(t, func(w http.ResponseWriter, r *http.Request) {
		seen = asked(t, r)
		_, _ = io.WriteString(w, `{"id":"e","answer":"fine"}`)
	}, func(o *HTTPOptions) {
		host := strings.TrimPrefix(o.URL, "http://")
		o.URL = "http://agents.example/ask"
		o.Client = &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, host)
			},
		}}
	})
	req := ask("e", "")
	req.Workdir, req.Task.Files = "/home/somebody/secret", []string{"a.txt"}
	if res := a.Run(t.Context(), req); answerOf(res) != "fine" {
		t.Errorf("%+v", res)
	}
	if seen.Workdir != "" || !cmp.Equal(seen.Task.Files, []string{"a.txt"}) {
		t.Errorf("told %+v", seen)
	}
}

// TestHTTPHostile sends two tasks to every kind of hostile server. The second task must
// work.
func TestHTTPHostile(t *testing.T) {
	type want struct {
		outcome agent.Outcome
		text    string // in the answer or the error
	}
	violation := func(text string) want { return want{agent.ContractViolation, text} }
	down := func(text string) want { return want{agent.Infrastructure, text} }
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "no\nopensesame")
		}
	}
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", asked(t, r).ID))
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked with %v", r.Header)
	}))
	defer other.Close()
	redirect := func(to string, code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/moved" {
				say(`{"id":"ID","answer":"fine"}`)(w, r)
				return
			}
			http.Redirect(w, r, to, code)
		}
	}
	for name, c := range map[string]struct {
		server http.HandlerFunc
		want   want
	}{
		"fine":                   {say(`{"id":"ID","answer":"fine"}`), want{agent.OK, "fine"}},
		"score":                  {say(`{"id":"ID","score":0.5}`), want{agent.OK, "score 0.5"}},
		"infrastructure":         {say(`{"id":"ID","outcome":"infrastructure","error":"no opensesame"}`), down("no [redacted]")},
		"execution":              {say(`{"id":"ID","outcome":"execution"}`), want{agent.Execution, "the agent reported execution"}},
		"too expensive":          {say(`{"id":"ID","answer":"x","usage":{"cost_usd":2}}`), want{agent.BudgetExceeded, "2 USD"}},
		"400":                    {status(400), want{agent.Execution, "status 400"}},
		"401":                    {status(401), want{agent.Execution, "status 401"}},
		"404":                    {status(404), want{agent.Execution, "status 404"}},
		"408":                    {status(408), down("status 408")},
		"429":                    {status(429), want{agent.RateLimited, `status 429 (Retry-After: "7"): no [redacted]`}},
		"500":                    {status(500), down("status 500")},
		"502":                    {status(502), down("status 502")},
		"503":                    {status(503), down("status 503")},
		"504":                    {status(504), down("status 504")},
		"201":                    {status(201), violation("status 201")},
		"204":                    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, violation("status 204")},
		"304":                    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, violation("status 304")},
		"another host":           {redirect(other.URL, 307), violation("a different host")},
		"the same host":          {redirect("/moved", 307), want{agent.OK, "fine"}},
		"the same host as a GET": {redirect("/moved", 302), violation("redirects")},
		"circles":                {redirect("/again", 308), violation("redirects more than 3 times")},
		"hang":                   {func(_ http.ResponseWriter, r *http.Request) { asked(t, r); <-r.Context().Done() }, want{agent.Timeout, "no response within"}},
		"hang in the answer": {func(w http.ResponseWriter, r *http.Request) {
			asked(t, r)
			_, _ = io.WriteString(w, `{"id":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, want{agent.Timeout, "no response within"}},
		"hang up": {func(w http.ResponseWriter, _ *http.Request) { hangUp(w) }, down("calling the agent")},
		"hang up in the answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"id":"e1","answer":"fine"}`)
		}, want{agent.Execution, "was cut off"}},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-opensesame\r\n\r\n")
				_ = conn.Close()
			}
		}, down("calling the agent")},
		"a body without end": {func(w http.ResponseWriter, _ *http.Request) {
			for block := strings.Repeat("x", 1<<16); ; {
				if _, err := io.WriteString(w, block); err != nil {
					return
				}
			}
		}, violation("more than 1048576 bytes")},
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		}, down("calling the agent")},
		"empty":         {say(""), violation("not a JSON object")},
		"garbage":       {say("opensesame"), violation("[redacted]")},
		"two objects":   {say(`{"id":"ID","answer":"a"}` + "\n" + `{"id":"ID","answer":"b"}`), violation("not a JSON object")},
		"wrong id":      {say(`{"id":"another","answer":"a"}`), violation("another")},
		"NaN":           {say(`{"id":"ID","score":NaN}`), violation("not a JSON object")},
		"score of 2":    {say(`{"id":"ID","score":2}`), violation("score")},
		"huge score":    {say(`{"id":"ID","score":1e999}`), violation("score")},
		"no answer":     {say(`{"id":"ID"}`), violation("neither answer nor score")},
		"false outcome": {say(`{"id":"ID","answer":"a","outcome":"timeout"}`), violation("which an agent may not report")},
	} {
		t.Run(name, func(t *testing.T) {
			a := newHTTPAgent(t, c.server, nil)
			for _, id := range []string{"e1", "e2"} {
				req := ask(id, "")
				req.Limits.MaxCostUSD = 1
				if c.want.outcome == agent.Timeout {
					req.Limits.Timeout = 100 * time.Millisecond
				}
				res := a.Run(t.Context(), req)
				text := res.Error
				switch {
				case res.Answer != nil:
					text = *res.Answer
				case res.Score != nil:
					text = fmt.Sprint("score ", *res.Score)
				}
				if res.Outcome != c.want.outcome || !strings.Contains(text, c.want.text) || strings.Contains(text, "opensesame") {
					t.Errorf("%s: %s with %q, want %+v", id, res.Outcome, text, c.want)
				}
			}
		})
	}
}

func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// TestHTTPUnreachable tests that an unreachable server does not affect a score.
func TestHTTPUnreachable(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	a := newHTTPAgent(t, nil, func(o *HTTPOptions) { o.URL = gone.URL })
	if res := a.Run(t.Context(), ask("e", "")); res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "refused") || "http://"+res.Refusing != gone.URL {
		t.Errorf("refused: %+v", res)
	}
	a = newHTTPAgent(t, nil, func(o *HTTPOptions) {
		o.URL = "http://agents.example/"
		o.Client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "agents.example", IsNotFound: true}
		}}}
	})
	if res := a.Run(t.Context(), ask("e", "")); res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "no such host") || res.Refusing != "" {
		t.Errorf("unknown: %+v", res)
	}
}

// TestHTTPParallel tests the limit on simultaneous requests.
func TestHTTPParallel(t *testing.T) {
	var now, most atomic.Int32
	a := newHTTPAgent(t, func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		req := asked(t, r)
		now.Add(-1)
		_, _ = fmt.Fprintf(w, `{"id":%q,"answer":%q}`, req.ID, req.Task.Goal)
	}, func(o *HTTPOptions) { o.Parallel = 3 })
	var tasks sync.WaitGroup
	for i := range 60 {
		tasks.Go(func() {
			goal := fmt.Sprint("goal ", i)
			if res := a.Run(t.Context(), ask(fmt.Sprint("e", i), goal)); answerOf(res) != goal {
				t.Errorf("%d: %s", i, answerOf(res))
			}
		})
	}
	tasks.Wait()
	if most.Load() > 3 {
		t.Errorf("%d at once", most.Load())
	}
}

// TestHTTPEnds cancels a task, closes the agent during another task, and tests that the
// server notices both.
func TestHTTPEnds(t *testing.T) {
	heard, left := make(chan struct{}), make(chan struct{})
	a := newHTTPAgent(t, func(_ http.ResponseWriter, r *http.Request) {
		asked(t, r)
		heard <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	}, nil)
	results := make(chan agent.Result)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { results <- a.Run(ctx, ask("e1", "")) }()
	<-heard
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if res := a.Run(waiting, ask("e2", "")); res.Outcome != agent.Cancelled {
		t.Errorf("cancelled before its turn: %+v", res)
	}
	cancel(errors.New("enough"))
	if res := <-results; res.Outcome != agent.Cancelled || res.Error != "enough" {
		t.Errorf("cancelled: %+v", res)
	}
	<-left
	go func() { results <- a.Run(t.Context(), ask("e3", "")) }()
	<-heard
	closed := make(chan error)
	go func() { closed <- a.Close() }()
	if res := <-results; res.Outcome != agent.Cancelled || res.Error != errClosed.Error() {
		t.Errorf("closed: %+v", res)
	}
	<-left
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if res := a.Run(t.Context(), ask("e4", "")); res.Outcome != agent.Cancelled || res.Error != errClosed.Error() {
		t.Errorf("afterwards: %+v", res)
	}
}

func TestNewHTTP(t *testing.T) {
	good := HTTPOptions{URL: "https://example.org/ask", Scrub: func(s string) string { return s }}
	for name, change := range map[string]func(*HTTPOptions){
		"no URL":           func(o *HTTPOptions) { o.URL = "" },
		"other scheme":     func(o *HTTPOptions) { o.URL = "file:///etc/passwd" },
		"no host":          func(o *HTTPOptions) { o.URL = "http:///x" },
		"credentials":      func(o *HTTPOptions) { o.URL = "https://a:b@example.org" },
		"no URL at all":    func(o *HTTPOptions) { o.URL = "http://[" },
		"header name":      func(o *HTTPOptions) { o.Header = map[string]string{"a b": ""} },
		"header value":     func(o *HTTPOptions) { o.Header = map[string]string{"a": "b\r\nc: d"} },
		"negative timeout": func(o *HTTPOptions) { o.Timeout = -1 },
		"no scrubber":      func(o *HTTPOptions) { o.Scrub = nil },
	} {
		o := good
		change(&o)
		if _, err := NewHTTP(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if a, err := NewHTTP(good); err != nil || a.Close() != nil {
		t.Error(err)
	}
}
