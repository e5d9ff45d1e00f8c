package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// secret is the API key of every test server.
const secret = "Zq7-vT2xw9LmPd4sKe8R/bN+3yHc=="

// server checks a protocol strictly and answers from a script with one entry per request.
type server struct {
	*httptest.Server
	kind provider.Kind

	mu     sync.Mutex
	script []http.HandlerFunc
	bodies [][]byte
}

// serve starts a server. The test fails if the server gets a request that violates the
// protocol, or more requests than the script has entries.
func serve(t testing.TB, kind provider.Kind, script ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{kind: kind, script: script}
	s.Server = httptest.NewServer(s.handler(t))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handler(t testing.TB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = s.check(r, body)
		}
		s.mu.Lock()
		s.bodies = append(s.bodies, body)
		var next http.HandlerFunc
		if len(s.script) > 0 {
			next, s.script = s.script[0], s.script[1:]
		}
		s.mu.Unlock()
		if err == nil && next == nil {
			err = fmt.Errorf("one request too many")
		}
		if err != nil {
			t.Errorf("the server received an invalid request: %v\n%.300s … %s", err, body, body[max(0, len(body)-300):])
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "session="+secret)
		next(w, r)
	}
}

func (s *server) check(r *http.Request, body []byte) error {
	for name := range r.Header {
		switch name {
		case "Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "User-Agent", "Authorization", "X-Api-Key", "Anthropic-Version":
		default:
			return fmt.Errorf("header %s tells more than it needs", name)
		}
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("%s of %q", r.Method, r.Header.Get("Content-Type"))
	}
	path, key, auth := "/v1/chat/completions", "Bearer "+secret, r.Header.Get("Authorization")
	check := checkOpenAI
	if s.kind == provider.Anthropic {
		path, key, auth = "/v1/messages", secret, r.Header.Get("X-Api-Key")
		check = checkAnthropic
		if r.Header.Get("Anthropic-Version") != "2023-06-01" {
			return fmt.Errorf("no version")
		}
	}
	if !strings.HasSuffix(r.URL.Path, path) || auth != key {
		return fmt.Errorf("path %s, key %q", r.URL.Path, auth)
	}
	return check(body)
}

// asked returns the bodies of the requests received so far.
func (s *server) asked() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies
}

// endpoint returns the server as an endpoint of a provider named remote.
func (s *server) endpoint() provider.Endpoint {
	e := provider.Endpoint{Name: "remote", Kind: s.kind, BaseURL: s.URL, Key: secret, KeyEnv: "REMOTE_KEY"}
	if s.kind == provider.OpenAI {
		e.BaseURL += "/v1"
	}
	return e
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// with adds a header to an answer.
func with(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h(w, r)
	}
}

// completion returns an OpenAI protocol response with a message.
func completion(message, finish, usage string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"small-2025","system_fingerprint":null,` +
		`"service_tier":"default","choices":[{"index":0,"message":` + message + `,"logprobs":null,"finish_reason":"` + finish + `"}],` +
		`"usage":` + usage + `}`
}

// message returns an Anthropic protocol response with content.
func message(content, stop, usage string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"small-2025","content":` + content +
		`,"stop_reason":"` + stop + `","stop_sequence":null,"usage":` + usage + `}`
}

const (
	openaiUsage    = `{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200,"prompt_tokens_details":{"cached_tokens":400,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`
	anthropicUsage = `{"input_tokens":100,"output_tokens":200,"cache_creation_input_tokens":500,"cache_read_input_tokens":400,"service_tier":"standard"}`
)

// saying returns a plain answer in either protocol.
func saying(kind provider.Kind, text string) string {
	quoted, _ := json.Marshal(text)
	if kind == provider.Anthropic {
		return message(`[{"type":"text","text":`+string(quoted)+`}]`, "end_turn", anthropicUsage)
	}
	return completion(`{"role":"assistant","content":`+string(quoted)+`,"refusal":null,"annotations":[]}`, "stop", openaiUsage)
}

var kinds = []provider.Kind{provider.OpenAI, provider.Anthropic}

// router returns a router with one route to one provider.
func router(t testing.TB, e provider.Endpoint, change func(*provider.Options)) *provider.Router {
	t.Helper()
	o := provider.Options{
		Endpoints: []provider.Endpoint{e},
		Routes:    []provider.Route{{Name: "main", Provider: e.Name, Model: "small"}},
		Default:   "main",
		Prices:    map[string]provider.Price{"small": {Input: 2, Output: 10, Cached: .5}},
	}
	if change != nil {
		change(&o)
	}
	r, err := provider.NewRouter(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// ask sends a request to a model. The default request is a short question.
func ask(t testing.TB, m model.Model, req *model.Request) (model.Reply, error) {
	t.Helper()
	if req == nil {
		req = &model.Request{Goal: "Which port does the cache use?", Remaining: 3}
	}
	return m.Next(context.Background(), req)
}

// pipes connects a client with a server inside a synctest bubble.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }
