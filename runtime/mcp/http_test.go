package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// overHTTP returns the declaration of a server that uses HTTP.
func overHTTP(url string) Server {
	return Server{Name: "s", URL: url, Effects: map[string]tool.Effect{"t": tool.Read}, Header: map[string]string{"Authorization": "Bearer opensesame"}}
}

// endpointOf serves a handler until the end of the test.
func endpointOf(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func TestHonestOverHTTP(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{
		"streams": nil, "JSON": {JSONResponse: true}, "stateless": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			seen := map[string]int{}
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServerOf("") }, options)
			s := overHTTP(endpointOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen[fmt.Sprint(r.Method, " ", r.Header.Get("Authorization"), " ", r.Header.Get("Mcp-Protocol-Version"))]++
				mu.Unlock()
				handler.ServeHTTP(w, r)
			})).URL)
			s.Effects = map[string]tool.Effect{"echo": tool.Read, "fail": tool.Read, "long": tool.Read}
			c := open(t, s)
			if res := ask(t, t.Context(), c, "echo", `{"text":"hello"}`); res.Output != "hello" {
				t.Errorf("%+v", res)
			}
			if diff := cmp.Diff(tool.Failed(agent.Execution, "no such page"), ask(t, t.Context(), c, "fail", "{}")); diff != "" {
				t.Error(diff)
			}
			if res := ask(t, t.Context(), c, "long", "{}"); res.Outcome != agent.OK || len(res.Output) > tool.MaxOutput+10 {
				t.Errorf("%s with %d bytes", res.Outcome, len(res.Output))
			}
			_ = c.Close()
			mu.Lock()
			defer mu.Unlock()
			want := map[string]int{"POST Bearer opensesame ": 1, "POST Bearer opensesame 2025-11-25": 5, "DELETE Bearer opensesame 2025-11-25": 1}
			if name == "stateless" {
				delete(want, "DELETE Bearer opensesame 2025-11-25")
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// stranger is a hostile HTTP server.
type stranger struct {
	manner string
	// heard receives a value when the server begins to hang.
	heard chan struct{}
	// answers are the client's answers to the server's requests.
	answers chan message
	calls   atomic.Int32
	other   string // another host
}

func (s *stranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hang := func() {
		s.heard <- struct{}{}
		<-r.Context().Done()
	}
	if r.Method == http.MethodDelete {
		if s.manner == "hang at the end" {
			<-r.Context().Done()
		}
		return
	}
	if r.URL.Path == "/circle" {
		http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
		return
	}
	var m message
	text, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(text, &m) != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if m.Method == "" || m.ID == nil {
		switch m.Method {
		case "":
			s.answers <- m
		case "notifications/cancelled":
			<-r.Context().Done() // the client must not wait for this
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := func(text string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, *m.ID, text) }
	fine := result(`{"content":[{"type":"text","text":"fine"}]}`)
	say := func(text string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
	stream := func(events ...string) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			_, _ = io.WriteString(w, e+"\n\n")
		}
		_ = http.NewResponseController(w).Flush()
	}
	switch m.Method {
	case "initialize":
		switch s.manner {
		case "a session id with spaces":
			w.Header().Set("Mcp-Session-Id", "a b")
		case "a long session id":
			w.Header().Set("Mcp-Session-Id", strings.Repeat("a", 300))
		case "two session ids":
			w.Header()["Mcp-Session-Id"] = []string{"a", "b"}
		case "hang at the start":
			hang()
			return
		case "401 at the start":
			w.WriteHeader(http.StatusUnauthorized)
			return
		default:
			w.Header().Set("Mcp-Session-Id", "s1")
		}
		say(result(greeting))
		return
	case "tools/list":
		say(result(listing("does t")))
		return
	}
	call := s.calls.Add(1)
	switch s.manner {
	case "another host":
		http.Redirect(w, r, s.other, http.StatusTemporaryRedirect)
	case "circles":
		http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
	case "the same host":
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
			return
		}
		say(fine)
	case "a body without end":
		w.Header().Set("Content-Type", "application/json")
		for block := strings.Repeat(" ", 1<<16); ; {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	case "an event without end":
		w.Header().Set("Content-Type", "text/event-stream")
		for block := "data: " + strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	case "a flood of events":
		for r.Context().Err() == nil {
			stream(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		}
	case "a stream without an answer":
		stream(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		hang()
	case "a stream that goes on":
		stream("data: " + fine)
		<-r.Context().Done()
	case "a stream that ends":
		stream(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	case "a stream to be resumed":
		if call == 1 {
			stream("id: 7\ndata:", "retry: 3600000")
			return
		}
		say(fine)
	case "a stream of nonsense":
		stream("no colon here")
	case "an event that is no message":
		stream("data: [1,2]")
	case "its own requests":
		stream(`data: {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`)
		answer := <-s.answers
		stream(fmt.Sprintf("data: "+result(`{"content":[{"type":"text","text":"%d"}]}`), answer.Error.Code))
	case "401", "403", "404", "500", "503", "408":
		w.Header().Set("Retry-After", "3")
		var status int
		_, _ = fmt.Sscan(s.manner, &status)
		w.WriteHeader(status)
	case "429":
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	case "forgotten":
		if call == 1 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		say(fine)
	case "400 with an error":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"bad opensesame"}}`, *m.ID)
	case "400 with a page":
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "<html>")
	case "a page":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>")
	case "accepted":
		w.WriteHeader(http.StatusAccepted)
	case "garbage":
		say("opensesame")
	case "half an answer":
		w.Header().Set("Content-Length", "1000")
		say(fine)
	case "an answer to another":
		say(`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`)
		s.heard <- struct{}{}
	case "another session":
		w.Header().Set("Mcp-Session-Id", "s2")
		say(fine)
	case "hang up":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	case "hang":
		hang()
	default:
		say(fine)
	}
}

// TestHostileOverHTTP calls a tool twice on every kind of hostile HTTP server.
func TestHostileOverHTTP(t *testing.T) {
	fine := want{agent.OK, "fine", false}
	violation := func(text string) [2]want {
		return [2]want{{agent.ContractViolation, text, false}, {agent.ContractViolation, text, false}}
	}
	crash := func(text string, retry bool) [2]want {
		return [2]want{{agent.Execution, text, retry}, {agent.Execution, text, retry}}
	}
	late := [2]want{{agent.Timeout, "in time", false}, {agent.Timeout, "in time", false}}
	for manner, wants := range map[string][2]want{
		"honest":                      {fine, fine},
		"the same host":               {fine, fine},
		"another host":                violation("redirects to another host"),
		"circles":                     violation("redirects too many times"),
		"a body without end":          violation("a response of more than"),
		"an event without end":        violation("the server sent"),
		"a flood of events":           violation("unsolicited messages"),
		"a stream without an answer":  late,
		"a stream that goes on":       {fine, fine},
		"a stream that ends":          crash("was cut off", true),
		"a stream to be resumed":      {{agent.Execution, "stream ended before", true}, fine},
		"a stream of nonsense":        violation("not a JSON-RPC"),
		"an event that is no message": violation("not a JSON-RPC"),
		"its own requests":            {{agent.OK, "-32601", false}, {agent.OK, "-32601", false}},
		"401":                         crash("status 401", false),
		"403":                         crash("status 403", false),
		"404":                         crash("no longer knows the session", true),
		"408":                         crash("status 408", true),
		"429":                         {{agent.RateLimited, "status 429", true}, {agent.RateLimited, "status 429", true}},
		"500":                         crash("status 500", true),
		"503":                         crash("status 503", true),
		"forgotten":                   {{agent.Execution, "no longer knows the session", true}, fine},
		"400 with an error":           crash("error -32602: bad [redacted]", false),
		"400 with a page":             crash("status 400", false),
		"a page":                      violation(`content type "text/html"`),
		"accepted":                    violation("cannot be read"),
		"garbage":                     violation("not a JSON-RPC"),
		"half an answer":              crash("was cut off", true),
		"an answer to another":        late,
		"another session":             violation("cannot be read"),
		"hang up":                     crash("cannot be reached", true),
		"hang":                        late,
		"hang at the end":             {fine, fine},
	} {
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			s := &stranger{manner: manner, heard: make(chan struct{}), answers: make(chan message, 1)}
			other := endpointOf(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				t.Errorf("another host was asked with %v", r.Header)
			}))
			s.other = other.URL
			c := open(t, overHTTP(endpointOf(t, s).URL))
			defer c.Close()
			for i, want := range wants {
				ctx := newExpiring(t)
				if want.outcome == agent.Timeout {
					go func() {
						<-s.heard
						ctx.expire()
					}()
				}
				res := ask(t, ctx, c, "t", "{}")
				retry := res.Fault != nil && res.Fault.Retry
				if res.Outcome != want.outcome || !strings.Contains(res.Output, want.text) || retry != want.retry {
					t.Errorf("call %d: %s (retry %v) with %.200q, want %+v", i+1, res.Outcome, retry, res.Output, want)
				}
				if after := map[string]time.Duration{"429": 7 * time.Second, "503": 3 * time.Second}[manner]; after > 0 && res.Fault != nil && res.Fault.RetryAfter != after {
					t.Errorf("call %d: to be repeated after %s", i+1, res.Fault.RetryAfter)
				}
			}
		})
	}
}

func TestHostileStartOverHTTP(t *testing.T) {
	for manner, want := range map[string]want{
		"a session id with spaces": {agent.ContractViolation, "session id", false},
		"a long session id":        {agent.ContractViolation, "session id", false},
		"two session ids":          {agent.ContractViolation, "session id", false},
		"401 at the start":         {agent.Execution, "status 401", false},
		"hang at the start":        {agent.Timeout, "in time", false},
		"gone":                     {agent.Execution, "cannot be reached", true},
	} {
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			s := &stranger{manner: manner, heard: make(chan struct{})}
			server := endpointOf(t, s)
			if manner == "gone" {
				server.Close()
			}
			ctx := newExpiring(t)
			if want.outcome == agent.Timeout {
				go func() {
					<-s.heard
					ctx.expire()
				}()
			}
			_, err := Open(ctx, Options{Servers: []Server{overHTTP(server.URL)}, Scrub: scrubber})
			var f *fault
			if !errors.As(err, &f) {
				t.Fatalf("%v, want %+v", err, want)
			}
			if f.outcome != want.outcome || f.retry != want.retry || !strings.Contains(f.text, want.text) {
				t.Errorf("%s (retry %v): %v, want %+v", f.outcome, f.retry, err, want)
			}
		})
	}
}

// TestCloseUnderWayOverHTTP closes the clients during a hanging call.
func TestCloseUnderWayOverHTTP(t *testing.T) {
	s := &stranger{manner: "hang", heard: make(chan struct{})}
	c := open(t, overHTTP(endpointOf(t, s).URL))
	results := make(chan tool.Result)
	go func() {
		res, _ := find(t, c, "t").Call(context.Background(), nil, nil)
		results <- res
	}()
	<-s.heard
	_ = c.Close()
	if res := <-results; res.Outcome != agent.Cancelled {
		t.Errorf("%+v", res)
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-1": 0, "x": 0, "99999999999": maxWait, "999999999999999999999": 0, "Wed, 21 Oct 2015 07:28:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
