package turn

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	counter "sync/atomic"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/provider"
)

// TestModelThatRefusesTheTemperature tests a model that takes no temperature although its
// name does not show this. The model is asked once more without a temperature, and never
// again with one. The transcript names the parameters that have no effect, unless another
// route may take them.
func TestModelThatRefusesTheTemperature(t *testing.T) {
	for kind, reply := range map[provider.Kind]string{
		provider.OpenAI:    `{"choices":[{"message":{"role":"assistant","content":"red"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
		provider.Anthropic: `{"content":[{"type":"text","text":"red"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":1}}`,
	} {
		t.Run(string(kind), func(t *testing.T) {
			var refused, answered counter.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/json")
				if strings.Contains(string(body), `"temperature"`) {
					refused.Add(1)
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, `{"error":{"message":"Unsupported value: temperature is fixed for this model"}}`)
					return
				}
				answered.Add(1)
				_, _ = io.WriteString(w, reply)
			}))
			defer server.Close()
			router, err := provider.NewRouter(provider.Options{
				Endpoints: []provider.Endpoint{{Name: "lm", Kind: kind, BaseURL: server.URL}},
				Routes:    []provider.Route{{Name: "default", Provider: "lm", Model: "plain"}, {Name: "code", Provider: "lm", Model: "plain"}}, Default: "default",
			})
			if err != nil {
				t.Fatal(err)
			}
			defer router.Close()
			for n, routes := range [][]string{{"default"}, {"default", "code"}} {
				a, err := New(Options{ID: "clerk", Language: true, Model: router, Routes: routes, Domains: map[string][]string{"sea": {"harbour"}}})
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Name a colour."}, Config: a.Space().Default()})
					var inert []string
					for _, e := range res.Transcript.Events {
						if e.Kind == agent.EventInert {
							inert = append(inert, e.Name+" "+string(e.Data))
						}
					}
					want := []string{`plain ["temperature.sea","temperature"]`}
					if n > 0 {
						want = nil
					}
					if res.Outcome != agent.OK || !slices.Equal(inert, want) {
						t.Errorf("%v: %s, %q", routes, res.Outcome, inert)
					}
				}
			}
			if refused.Load() != 1 || answered.Load() != 4 {
				t.Errorf("%d requests were refused and %d answered", refused.Load(), answered.Load())
			}
		})
	}
}
