//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// steady is a model whose reply depends only on the request and whose response time is
// drawn at random. It records the requests.
type steady struct {
	*httptest.Server
	// fickle makes the reply depend on chance, as it does on a server that computes several
	// requests together.
	fickle bool

	mu    sync.Mutex
	rng   *rand.Rand
	asked []string
}

func newSteady(t *testing.T, seed uint64) *steady {
	t.Helper()
	s := &steady{rng: rand.New(rand.NewPCG(seed, 1))}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *steady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, string(body))
	wait, chance := time.Duration(s.rng.IntN(12))*time.Millisecond, uint32(s.rng.IntN(4))
	s.mu.Unlock()
	if !s.fickle {
		chance = 0
	}
	time.Sleep(wait)
	sum := fnv.New32a()
	_, _ = sum.Write(body)
	reply := []string{"good", "bad", "Answer: good", `{"answer": "bad"}`}[(sum.Sum32()+chance)%4]
	if bytes.Contains(body, []byte("You improve the configuration")) {
		reply = fmt.Sprintf(`{"component":"strategy","value":"Rule %d: answer with one word.","rationale":"It is short."}`, sum.Sum32())
	}
	raw, _ := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply}}},
		"usage":   map[string]int{"prompt_tokens": 10, "completion_tokens": 2},
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

const steadyAgent = `id: clerk
adapter: {kind: builtin, model: default}
deterministic: true
uses_seed: false
suites: [inside]
space:
`

// requests returns the requests in alphabetical order.
func (s *steady) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.asked))
}

// TestSearchIsBlindToTiming checks that with the same seed, a model that gives equal
// replies to equal requests gets the same requests, whatever the concurrency and the
// response times.
func TestSearchIsBlindToTiming(t *testing.T) {
	for name, c := range map[string]struct{ space, settings string }{
		"numbers":        {"  answer.form: {}\n  answer.retries: {}\n  temperature.research: {}\n", ""},
		"demonstrations": {"  answer.form: {}\n  demonstrations: {}\n", ""},
		"drafts":         {"  answer.form: {}\n  strategy: {}\n", "search: {reflect: {routes: [default], every: 6}}\n"},
		"all":            {"  answer.form: {}\n  answer.retries: {}\n  strategy: {}\n  demonstrations: {}\n", "search: {reflect: {routes: [default], every: 6}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var first []string
			for i, concurrency := range []int{1, 4, 4} {
				s := newSteady(t, uint64(i))
				p := reviews(t).workspace(t, served(s.URL+"/v1")+c.settings)
				p.write("agents/clerk/agent.yaml", steadyAgent+c.space)
				p.do(0, "run", "--workspace", p.root, "--json", "--seed", "1", "--stages", "search", "--budget-evals", "120", "--concurrency", fmt.Sprint(concurrency))
				asked := s.requests()
				if first == nil {
					first = asked
				}
				if !slices.Equal(first, asked) {
					t.Errorf("concurrency %d: other requests: %s", concurrency, cmp.Diff(first, asked))
				}
			}
		})
	}
}

// TestReplayedSearch checks that the recording of a search has every exchange that a search
// with the same seed asks for, at any concurrency, although the recorded server gives
// different replies to equal requests.
func TestReplayedSearch(t *testing.T) {
	s := newSteady(t, 9)
	s.fickle = true
	// Variants that differ in the number of retries ask equal questions.
	const space = "  answer.form: {}\n  answer.retries: {}\n"
	const settings = `routes:
  default: {provider: local, model: smollm2, temperature: 0, context: 2048}
guards: {cost: off, latency: off}
providers:
  local: `
	tape := ""
	search := func(provider string, concurrency int) outcome {
		p := reviews(t).workspace(t, settings+provider+"\n")
		p.write("agents/clerk/agent.yaml", steadyAgent+space)
		if tape != "" {
			p.write("recording.yaml", tape)
		}
		r := p.do(0, "run", "--workspace", p.root, "--json", "--seed", "1", "--stages", "search", "--budget-evals", "120", "--concurrency", fmt.Sprint(concurrency))
		raw, err := os.ReadFile(filepath.Join(p.root, "recording.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		tape = string(raw)
		return decodeOutcome(t, r)
	}
	recorded := search("{kind: openai, base_url: "+s.URL+"/v1, record: recording.yaml}", 4)
	for _, concurrency := range []int{1, 4} {
		replayed := search("{kind: replay, of: openai, recording: recording.yaml}", concurrency)
		if d := cmp.Diff(recorded.Agents[0].Search, replayed.Agents[0].Search); d != "" {
			t.Errorf("concurrency %d: %s", concurrency, d)
		}
	}
}
