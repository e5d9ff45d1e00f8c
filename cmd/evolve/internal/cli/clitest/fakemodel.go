package clitest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeModel is a local provider for one of the two protocols. It answers every protocol
// violation with 400 and records it.
type fakeModel struct {
	*httptest.Server
	kind, key string
	dir       string // folder for the bodies of the requests, NNNN.json and last.json
	count     atomic.Int64
	// now holds the number of requests under way, and most holds the largest such number
	// so far.
	now, most atomic.Int64

	mu    sync.Mutex
	seen  map[string]int // requests for each model
	wrong []string       // descriptions of the protocol violations
}

// scriptFakeModel starts a provider and sets the variable NAME to its address, or stops it
// so that its address refuses connections.
func scriptFakeModel(ts *testscript.TestScript, neg bool, args []string) {
	all := startedBy(ts).models
	switch {
	case !neg && len(args) == 3 && (args[1] == "openai" || args[1] == "anthropic"):
		f := &fakeModel{kind: args[1], key: args[2], dir: filepath.Join(ts.Getenv("WORK"), args[0]), seen: map[string]int{}}
		ts.Check(os.MkdirAll(f.dir, 0o755))
		f.Server = httptest.NewServer(f)
		ts.Defer(f.Close)
		all[args[0]] = f
		ts.Setenv(args[0], f.URL)
	case !neg && len(args) == 2 && args[0] == "stop" && all[args[1]] != nil:
		all[args[1]].CloseClientConnections()
		all[args[1]].Close()
	default:
		ts.Fatalf("usage: fakemodel NAME openai|anthropic KEY, or fakemodel stop NAME")
	}
}

// scriptAsked checks the number of requests to a provider, and that all of them were valid.
func scriptAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && len(args) != 3 || startedBy(ts).models[args[0]] == nil {
		ts.Fatalf("usage: asked NAME N [MOST]")
	}
	f := startedBy(ts).models[args[0]]
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wrong) > 0 {
		ts.Fatalf("%s received an invalid request: %s", args[0], strings.Join(f.wrong, "\n"))
	}
	if got := fmt.Sprint(f.count.Load()); got != args[1] && !(args[1] == "some" && got != "0") {
		ts.Fatalf("%s was asked %s times, not %s", args[0], got, args[1])
	}
	if most := fmt.Sprint(f.most.Load()); len(args) == 3 && most != args[2] {
		ts.Fatalf("%s had up to %s requests at once, not %s", args[0], most, args[2])
	}
}

// ServeHTTP implements [http.Handler].
func (f *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	n := f.count.Add(1)
	now := f.now.Add(1)
	defer f.now.Add(-1)
	for most := f.most.Load(); now > most && !f.most.CompareAndSwap(most, now); most = f.most.Load() {
	}
	if err == nil {
		err = errors.Join(
			os.WriteFile(filepath.Join(f.dir, fmt.Sprintf("%04d.json", n)), body, 0o600),
			os.WriteFile(filepath.Join(f.dir, "last.json"), body, 0o600))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Set-Cookie", "session="+f.key)
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	path, read := "/v1/chat/completions", readOpenAI
	if f.kind == "anthropic" {
		key, path, read = r.Header.Get("X-Api-Key"), "/v1/messages", readAnthropic
	}
	if key != f.key {
		f.complain(w, http.StatusUnauthorized, "authentication_error", "invalid_api_key", "Incorrect API key provided: "+key)
		return
	}
	var q fakeQuestion
	if err == nil {
		q, err = read(body)
	}
	if err == nil && r.URL.Path != path {
		err = fmt.Errorf("the path is %s", r.URL.Path)
	}
	behave, known := fakeBehaviours[q.model]
	if err == nil && !known {
		f.complain(w, http.StatusNotFound, "not_found_error", "model_not_found", "there is no model "+q.model)
		return
	}
	if err != nil {
		f.mu.Lock()
		f.wrong = append(f.wrong, err.Error())
		f.mu.Unlock()
		f.complain(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	f.mu.Lock()
	f.seen[q.model]++
	q.nth, q.key = f.seen[q.model], key
	f.mu.Unlock()
	a := behave(q)
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	switch {
	case a.status != 0:
		f.complain(w, a.status, a.kind, a.kind, a.text)
	case a.raw != "":
		_, _ = io.WriteString(w, a.raw)
	default:
		_ = json.NewEncoder(w).Encode(f.wire(q, a))
	}
}

// complain writes an error in the format of the protocol.
func (f *fakeModel) complain(w http.ResponseWriter, status int, kind, code, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]any{"type": kind, "code": code, "message": text, "param": nil},
	})
}

// fakeAnswer is a behaviour's answer to a request. If status is set, the answer is an error
// with that status and with text as its message.
type fakeAnswer struct {
	text    string
	calls   []fakeCall
	refuses bool

	status int
	kind   string
	header map[string]string
	raw    string // sent unchanged instead of an answer in the protocol
}

type fakeCall struct {
	tool, args string
}

// wire encodes the answer in the protocol. The ids of calls depend only on the request, so
// that recordings are repeatable.
func (f *fakeModel) wire(q fakeQuestion, a fakeAnswer) any {
	id := func(i int) string {
		return fmt.Sprintf("call_%x_%d", sha256.Sum256([]byte(q.goal)), i)[:24] + fmt.Sprint(i)
	}
	in, out := 400+10*q.rounds, 20
	if f.kind == "anthropic" {
		content, stop := []any{}, "end_turn"
		if a.text != "" {
			content = append(content, map[string]any{"type": "text", "text": a.text})
		}
		for i, c := range a.calls {
			stop = "tool_use"
			content = append(content, map[string]any{"type": "tool_use", "id": id(i), "name": c.tool, "input": json.RawMessage(c.args)})
		}
		if a.refuses {
			stop = "refusal"
		}
		return map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": q.model, "content": content, "stop_reason": stop, "stop_sequence": nil,
			"usage": map[string]any{"input_tokens": in - 300, "output_tokens": out, "cache_read_input_tokens": 300, "cache_creation_input_tokens": 0},
		}
	}
	message, finish := map[string]any{"role": "assistant", "content": a.text, "refusal": nil}, "stop"
	if a.refuses {
		message["content"], message["refusal"] = nil, a.text
	}
	var calls []any
	for i, c := range a.calls {
		finish = "tool_calls"
		calls = append(calls, map[string]any{"id": id(i), "type": "function", "function": map[string]any{"name": c.tool, "arguments": c.args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": q.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage": map[string]any{
			"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out, "prompt_tokens_details": map[string]any{"cached_tokens": 300},
		},
	}
}
