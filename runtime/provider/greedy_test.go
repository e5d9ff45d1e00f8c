package provider_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"evolve/runtime/provider"
)

// TestGreedyRequestsHaveOneResponse checks that a server that gives different responses to
// equal requests is asked once for all equal greedy requests, and that the replay gives
// that response to all of them. Each request with a temperature has its own response.
func TestGreedyRequestsHaveOneResponse(t *testing.T) {
	for name, c := range map[string]struct {
		temperature float64
		distinct    int
	}{"greedy": {0, 1}, "sampled": {.7, 6}} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int64
			count := func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprint(w, saying(provider.OpenAI, fmt.Sprintf("reply %d", n.Add(1))))
			}
			script := []http.HandlerFunc{answering(503, `{"error":{"message":"busy"}}`)}
			for range 6 {
				script = append(script, count)
			}
			s := serve(t, provider.OpenAI, script...)
			path := filepath.Join(t.TempDir(), "recording.yaml")
			replies := func(mode provider.Mode) map[string]bool {
				rec, err := provider.NewRecorder(provider.RecorderOptions{Mode: mode, Path: path})
				if err != nil {
					t.Fatal(err)
				}
				e := s.endpoint()
				e.HTTP = rec.Client()
				r := router(t, e, func(o *provider.Options) { o.Guard, o.Routes[0].Temperature = patient{}, &c.temperature })
				var mu sync.Mutex
				var all sync.WaitGroup
				seen := map[string]bool{}
				for range 6 {
					all.Go(func() {
						reply, err := ask(t, r, nil)
						mu.Lock()
						defer mu.Unlock()
						if err != nil || !strings.HasPrefix(reply.Answer, "reply ") {
							t.Errorf("%+v, %v", reply, err)
						}
						seen[reply.Answer] = true
					})
				}
				all.Wait()
				if err := rec.Close(); err != nil {
					t.Fatal(err)
				}
				return seen
			}
			if seen := replies(provider.Record); len(seen) != c.distinct || n.Load() != int64(c.distinct) {
				t.Errorf("%d responses to %v", n.Load(), seen)
			}
			if seen := replies(provider.Replay); len(seen) != c.distinct {
				t.Errorf("the replay has %v", seen)
			}
		})
	}
}
