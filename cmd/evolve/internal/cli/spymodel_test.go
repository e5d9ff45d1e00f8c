package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// spyModel is both a provider of a language model and the server of the tool that the model
// calls for every task. Both record everything that they see.
type spyModel struct {
	model, tool sights

	mu       sync.Mutex
	sessions map[string]map[string]bool // the splits that each session of the tool server served, keyed by session
	opened   []string                   // requests that open a session, without the session's id
}

// spyGoal matches the goal of a task in [spyWorkspace].
var spyGoal = regexp.MustCompile(`is \d+ so\? [sh]\b`)

// message is the part of a conversation's message that the spy reads.
type message struct {
	Role    string
	Content any
}

// ServeHTTP answers as a chat model. It enables its tool, calls the tool with the goal, and
// answers better the lower the temperature is.
func (s *spyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q struct {
		Temperature float64
		Messages    []message
	}
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	goal, rounds := "", 0
	for _, m := range q.Messages {
		text := fmt.Sprint(m.Content)
		if m.Role == "user" && goal == "" {
			goal = spyGoal.FindString(text) // the surrounding lines describe tools
		}
		if m.Role == "assistant" {
			rounds++
		}
	}
	if err == nil {
		err = s.see(&s.model, goal, body, r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply, finish := map[string]any{"role": "assistant", "content": spyRequest{
		Task: struct{ Goal string }{goal}, Config: struct{ Level float64 }{2 * (1 - q.Temperature)},
	}.answer()}, "stop"
	call := func(name, arguments string) {
		reply["content"], finish = nil, "tool_calls"
		reply["tool_calls"] = []any{map[string]any{
			"id": "call_1" + fmt.Sprint(rounds), "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}
	}
	switch rounds {
	case 0:
		call("enable_tool", `{"name":"spy__lookup"}`)
	case 1:
		call("spy__lookup", fmt.Sprintf(`{"word":%q}`, goal))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "spy",
		"choices": []any{map[string]any{"index": 0, "message": reply, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
	})
}

// see records a request with the requests about goals of the same split. The goal itself
// does not count as an observation.
func (s *spyModel) see(into *sights, goal string, body []byte, r *http.Request) error {
	var content map[string]any
	dec := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(body, []byte(goal), []byte("GOAL"))))
	dec.UseNumber()
	if err := dec.Decode(&content); err != nil {
		return err
	}
	headers := map[string]any{}
	for name, values := range r.Header {
		if name != "Content-Length" && name != "Mcp-Session-Id" {
			headers[name] = strings.Join(values, ",")
		}
	}
	return into.add(map[string]any{
		"request": map[string]any{"task": map[string]any{"goal": goal}}, "body": content,
		"headers": headers, "uri": r.RequestURI, "proto": r.Proto, "host": r.Host, "close": r.Close, "encoding": fmt.Sprint(r.TransferEncoding),
	})
}

// tools records the requests to a tool server before the server answers them.
func (s *spyModel) tools(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var q struct {
			Method string
			Params struct{ Arguments struct{ Word string } }
		}
		if err == nil && len(body) > 0 {
			err = json.Unmarshal(body, &q)
		}
		switch {
		case err != nil:
		case q.Method == "tools/call":
			word := q.Params.Arguments.Word
			if err = s.see(&s.tool, word, body, r); err == nil {
				s.mu.Lock()
				id := r.Header.Get("Mcp-Session-Id")
				if s.sessions[id] == nil {
					s.sessions[id] = map[string]bool{}
				}
				s.sessions[id][word[strings.LastIndex(word, " ")+1:]] = true
				s.mu.Unlock()
			}
		case q.Method == "initialize":
			s.mu.Lock()
			s.opened = append(s.opened, fmt.Sprint(string(body), r.Header))
			s.mu.Unlock()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// spyTools returns a server with one tool, whose look-ups find nothing.
func spyTools() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		server := mcp.NewServer(&mcp.Implementation{Name: "spy", Version: "1"}, nil)
		mcp.AddTool(server, &mcp.Tool{Name: "lookup", Description: "looks a word up"},
			func(context.Context, *mcp.CallToolRequest, struct {
				Word string `json:"word"`
			},
			) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "nothing known"}}}, nil, nil
			})
		return server
	}, nil)
}

// TestSpyModel does the same as TestSpyProgram with an agent that uses a language model:
// neither the model's provider nor a server of the agent's tools can distinguish the search
// from the confirmation.
func TestSpyModel(t *testing.T) {
	if testing.Short() {
		t.Skip("a night of conversations takes its time")
	}
	spy := &spyModel{sessions: map[string]map[string]bool{}}
	mux := http.NewServeMux()
	mux.Handle("/v1/chat/completions", spy)
	mux.Handle("/mcp", spy.tools(spyTools()))
	server := httptest.NewServer(mux)
	defer server.Close()
	t.Setenv("SPY_KEY", "Zq7-vT2xw9LmPd4sKe8R")
	dir := spyWorkspace(t, "{kind: builtin, model: default}\nmcp: [spy]")
	for name, text := range map[string]string{
		"evolve.yaml": "search: {concurrency: 2}\nconfirm: {finalists: 1}\n" +
			"providers: {spy: {kind: openai, base_url: \"" + server.URL + "/v1\", key_env: SPY_KEY}}\n" +
			"routes: {default: {provider: spy, model: spy}}\nprices: {spy: {input: 1, output: 1}}\n" +
			"mcp: {spy: {url: \"" + server.URL + "/mcp\", tools: {lookup: read}}}\n" +
			"policies: {tools: {spy__lookup: {rate: {calls: 1000, per: 1s, wait: 5s}}}}\n",
		"agents/spy/agent.yaml": "id: spy\nadapter: {kind: builtin, model: default}\nmcp: [spy]\ndeterministic: false\nuses_seed: true\nsuites: [tasks]\n" +
			"space:\n  temperature.operations: {}\n",
		"agents/spy/config.yaml": "temperature.operations: 0.9\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	evolve(t, dir, "run", "--budget-evals", "360", "--seed", "3", "--quiet")
	spy.model.judge(t, "body.temperature")
	spy.tool.judge(t, "body.id")
	for id, sides := range spy.sessions {
		if len(sides) != 1 {
			t.Errorf("the session %s served %v", id, sides)
		}
	}
	if len(spy.sessions) < 2 || len(slices.Compact(slices.Sorted(slices.Values(spy.opened)))) != 1 {
		t.Errorf("%d sessions, opened as %v", len(spy.sessions), spy.opened)
	}
}
