//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// stockroom is the world of an agent: a model that decides what to call, and a server with
// two tools that count the items in stock. It records each request.
type stockroom struct {
	*httptest.Server

	mu sync.Mutex
	// best is the temperature at which the model reads tool answers best. The model's
	// share of right answers falls from .95 by slope for each unit of temperature away
	// from best.
	best, slope float64
	// degraded makes the tool named count fail for all nuts and for a tenth of the bolts.
	// If it failed for all bolts, its breaker would open, and a night would wait for the
	// breaker.
	degraded bool
	asked    []question
	called   []toolCall
}

// question is a request to the model with its reply.
type question struct {
	item        string
	temperature float64
	// offered lists the tools in the request.
	offered []string
	// tool is the tool that the reply calls, or "" for an answer.
	tool   string
	answer string
	// begins reports whether the request is the first about its item.
	begins bool
	// fails reports whether the tool is about to fail.
	fails  bool
	tokens int
	seed   int64
}

// stockReply is the length of each of the model's replies, in tokens.
const stockReply = 5

// toolCall is a call to a tool.
type toolCall struct {
	tool, item string
	ok         bool
}

func newStockroom(t *testing.T) *stockroom {
	t.Helper()
	s := &stockroom{slope: 1.2}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// left returns how many of an item are in stock.
func left(item string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(item))
	return fmt.Sprint(10 + sum.Sum32()%90)
}

// set changes the world between two commands.
func (s *stockroom) set(change func(*stockroom)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// noted returns the requests and calls so far.
func (s *stockroom) noted() (asked []question, called []toolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[:len(s.asked):len(s.asked)], s.called[:len(s.called):len(s.called)]
}

func (s *stockroom) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var reply any
	switch r.URL.Path {
	case "/v1/chat/completions":
		reply, err = s.complete(body)
	case "/mcp":
		if reply, err = s.tools(body); reply == nil && err == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}

var aboutItem = regexp.MustCompile(`item ([a-z]+[0-9]+)`)

// complete is the model. It calls the first of the desk's tools that it has not yet called
// for the question, reads the tool's answer, and calls the next tool if that one fails.
func (s *stockroom) complete(body []byte) (any, error) {
	var in struct {
		Messages []struct {
			Role, Content string
			Calls         []struct{ Function struct{ Name string } } `json:"tool_calls"`
		}
		Tools       []struct{ Function struct{ Name string } }
		Temperature float64
		Seed        int64
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q := question{temperature: in.Temperature, tokens: len(body) / 4, seed: in.Seed}
	for _, t := range in.Tools {
		q.offered = append(q.offered, t.Function.Name)
	}
	read, thanked, called := "", false, map[string]bool{}
	q.begins = len(in.Messages) > 0 && in.Messages[len(in.Messages)-1].Role == "user"
	for _, m := range in.Messages {
		switch m.Role {
		case "user":
			if found := aboutItem.FindAllStringSubmatch(m.Content, -1); found != nil {
				q.item = found[len(found)-1][1]
			}
			read, thanked, called = "", strings.Contains(m.Content, "Thanks"), map[string]bool{}
		case "assistant":
			for _, c := range m.Calls {
				called[c.Function.Name] = true
			}
		case "tool":
			read = m.Content
		}
	}
	message, reason := map[string]any{"role": "assistant"}, "stop"
	right := strings.Contains(read, "item "+q.item)
	for _, tool := range []string{"desk__count", "desk__ledger"} {
		if q.tool == "" && !right && !thanked && !called[tool] && slices.Contains(q.offered, tool) {
			q.tool = tool
		}
	}
	switch {
	case q.tool != "":
		q.fails = s.fails(strings.TrimPrefix(q.tool, "desk__"), q.item)
		arguments, _ := json.Marshal(map[string]string{"item": q.item})
		message["tool_calls"] = []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": q.tool, "arguments": string(arguments)}}}
		reason = "tool_calls"
	case thanked:
		q.answer = "You are welcome."
	case !right:
		q.answer = "I do not know."
	case s.draw(q.item, in.Seed) > .95-s.slope*max(in.Temperature-s.best, s.best-in.Temperature):
		q.answer = "about 5"
	default:
		q.answer = left(q.item)
	}
	message["content"] = q.answer
	s.asked = append(s.asked, q)
	return map[string]any{
		"choices": []any{map[string]any{"finish_reason": reason, "message": message}},
		"usage":   map[string]int{"prompt_tokens": q.tokens, "completion_tokens": stockReply},
	}, nil
}

// draw returns a number from 0 to 1 that is determined by item and seed.
func (s *stockroom) draw(item string, seed int64) float64 {
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, item, "/", seed)
	return float64(sum.Sum64()>>11) / (1 << 53)
}

// fails reports whether a call to a tool fails.
func (s *stockroom) fails(tool, item string) bool {
	return s.degraded && tool == "count" && (strings.HasPrefix(item, "nut") || strings.HasSuffix(item, "3"))
}

// tools is the tool server (MCP over HTTP). It returns nil if there is no reply.
func (s *stockroom) tools(body []byte) (any, error) {
	var in struct {
		ID     *int64
		Method string
		Params struct {
			Name      string
			Arguments struct{ Item string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil || in.ID == nil {
		return nil, err
	}
	result := map[string]any{}
	switch in.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]string{"name": "desk", "version": "1"}}
	case "tools/list":
		schema := map[string]any{"type": "object", "properties": map[string]any{"item": map[string]string{"type": "string"}}, "required": []string{"item"}}
		result["tools"] = []any{
			map[string]any{"name": "count", "description": "counts how many of an item are left in the stock", "inputSchema": schema},
			map[string]any{"name": "ledger", "description": "reads from the books how many of an item are left in the stock", "inputSchema": schema},
		}
	case "tools/call":
		c := toolCall{in.Params.Name, in.Params.Arguments.Item, !s.fails(in.Params.Name, in.Params.Arguments.Item)}
		s.called = append(s.called, c)
		text := "item " + c.item + ": " + left(c.item) + " left"
		if !c.ok {
			text = "the " + c.tool + " is offline"
		}
		result = map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": !c.ok}
	}
	return map[string]any{"jsonrpc": "2.0", "id": *in.ID, "result": result}, nil
}
