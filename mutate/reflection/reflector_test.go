package reflection

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// completion returns a chat completion with this text in the format of the protocol.
func completion(text, finish string) map[string]any {
	return map[string]any{
		"id": "c1", "object": "chat.completion", "created": 1700000000, "model": "small-1",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
	}
}

// reflector returns a reflector that reaches a server through the router that a night uses.
func reflector(t *testing.T, url string, client *http.Client) Reflector {
	t.Helper()
	router, err := provider.NewRouter(provider.Options{
		Endpoints: []provider.Endpoint{{Name: "local", Kind: provider.OpenAI, BaseURL: url, Key: "sk-local", HTTP: client}},
		Routes:    []provider.Route{{Name: "small", Provider: "local", Model: "small-1"}}, Default: "small",
		Prices: map[string]provider.Price{"small-1": {Input: 1, Output: 10}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(router.Close)
	return Reflector{Model: router, Route: "small"}
}

func TestDraftOverHTTP(t *testing.T) {
	for _, c := range []struct {
		name, text, finish string
		status             int
		reason             string // empty: a draft
		fails              bool
	}{
		{name: "a change", text: answered("prompt", "Be helpful. Count twice.", "counting was off"), finish: "stop"},
		{name: "nothing to offer", text: "unknown", finish: "stop", reason: "the model gave no answer"},
		{name: "cut off", text: answered("prompt", "Count twice.", "r")[:40], finish: "length", reason: "the answer was cut off"},
		{name: "hostile", text: answered("limits", "none", "r"), finish: "stop", reason: "the answer changes a component other than the one that was asked for"},
		{name: "a server that is down", status: http.StatusServiceUnavailable, fails: true},
		{name: "a server that refuses the key", status: http.StatusUnauthorized, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body json.RawMessage
				_ = json.NewDecoder(r.Body).Decode(&body)
				asked = r.URL.Path + string(body)
				w.Header().Set("Content-Type", "application/json")
				if c.status != 0 {
					w.WriteHeader(c.status)
					return
				}
				_ = json.NewEncoder(w).Encode(completion(c.text, c.finish))
			}))
			defer server.Close()
			m := testMaterial("prompt")
			got, err := reflector(t, server.URL, nil).Draft(t.Context(), m, 7)
			if (err != nil) != c.fails {
				t.Fatalf("error %v", err)
			}
			if !strings.HasPrefix(asked, "/chat/completions{") || !strings.Contains(asked, "How many apples?") {
				t.Errorf("asked was %.200s", asked)
			}
			if got.Reason != c.reason || (got.Draft != nil) != (c.reason == "" && !c.fails) {
				t.Errorf("reply %+v, want the reason %q", got, c.reason)
			}
			if !c.fails && got.Usage.CostUSD == 0 {
				t.Error("what was paid is not told")
			}
			if got.Draft != nil && got.Draft.Config.String("prompt") != "Be helpful. Count twice." {
				t.Errorf("the draft is %s", got.Draft.Config.Canonical())
			}
		})
	}
}

// TestDraftFromARecording checks that the recording of a server gives the same drafts
// without the server.
func TestDraftFromARecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reflection.yaml")
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text := answered("prompt", "Be helpful. Count twice.", "counting was off")
		if asked.Add(1) == 2 {
			text = answered("steps", 8, "the search stopped too early")
		}
		_ = json.NewEncoder(w).Encode(completion(text, "stop"))
	}))
	defer server.Close()
	draft := func(mode provider.Mode, url string) []Reply {
		rec, err := provider.NewRecorder(provider.RecorderOptions{Mode: mode, Path: path, Secrets: []string{"sk-local"}})
		if err != nil {
			t.Fatal(err)
		}
		r := reflector(t, url, rec.Client())
		var out []Reply
		for _, component := range []string{"prompt", "steps"} {
			reply, err := r.Draft(t.Context(), testMaterial(component), 7)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Draft == nil {
				t.Fatalf("no draft: %s", reply.Reason)
			}
			out = append(out, reply)
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	live := draft(provider.Record, server.URL)
	server.Close()
	replayed := draft(provider.Replay, "http://127.0.0.1:1")
	if d := cmp.Diff(live, replayed); d != "" {
		t.Error(d)
	}
}

// fixed is a model that always returns the same reply.
type fixed struct {
	reply model.Reply
	err   error
}

func (f fixed) Next(context.Context, *model.Request) (model.Reply, error) { return f.reply, f.err }

func TestRepliesThatAreNoAnswer(t *testing.T) {
	good := answered("prompt", "Count.", "r")
	for _, c := range []struct {
		name   string
		model  fixed
		reason string
		err    bool
	}{
		{"a refusal", fixed{reply: model.Reply{Stop: model.StopRefusal, Answer: good}}, "the model refused to answer", false},
		{"a call", fixed{reply: model.Reply{Answer: good, Calls: []model.Call{{Tool: "shell"}}}}, "the answer is a tool call", false},
		{"a spent budget", fixed{err: &model.Error{Outcome: agent.BudgetExceeded, Err: errors.New("spent")}}, "the provider's budget is spent, or the request is too long for the model", false},
		{"infrastructure", fixed{err: &model.Error{Outcome: agent.Infrastructure, Err: errors.New("down")}}, "", true},
	} {
		got, err := Reflector{Model: c.model}.Draft(t.Context(), testMaterial("prompt"), 1)
		if got.Draft != nil || got.Reason != c.reason || (err != nil) != c.err {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for _, component := range []string{"locked", "depth", "nowhere"} {
		got, err := Reflector{Model: fixed{err: errors.New("asked")}}.Draft(t.Context(), testMaterial(component), 1)
		if got.Draft != nil || got.Reason == "" || err != nil {
			t.Errorf("%s: %+v, %v", component, got, err)
		}
	}
}
