package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// blockingModel answers every question with BO, except questions that contain "forever", at
// which it blocks.
type blockingModel struct {
	seen    []string
	arrived chan struct{}
}

func (m *blockingModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), "forever") {
		close(m.arrived)
		<-r.Context().Done()
		return
	}
	m.seen = append(m.seen, string(body))
	_ = json.NewEncoder(w).Encode(map[string]any{
		"model":   "m",
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "BO"}, "finish_reason": "stop"}},
	})
}

// TestSessionOfTwoProcesses checks that a second process is refused while another takes a
// turn of the same session, and that the conversation continues after the first process was
// killed.
func TestSessionOfTwoProcesses(t *testing.T) {
	m := &blockingModel{arrived: make(chan struct{})}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	t.Setenv("LM_KEY", "Zq7-vT2xw9LmPd4sKe8R")
	p := &place{t, t.TempDir()}
	for name, text := range map[string]string{
		"evolve.yaml":             "providers:\n  lm: {kind: openai, base_url: \"" + server.URL + "/v1\", key_env: LM_KEY}\nroutes:\n  default: {provider: lm, model: m}\n",
		"agents/clerk/agent.yaml": "id: clerk\nadapter: {kind: builtin, model: default}\nsuites: [words]\n",
		"suites/words.jsonl":      `{"id": "w1", "goal": "Write", "answer": "A", "split": "search"}` + "\n",
	} {
		path := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.run(0, "agent", "run", "--session", "s", "Who runs the Oslo depot?")
	first := p.command("agent", "run", "--session", "s", "Wait forever")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-m.arrived
	if _, stderr := p.run(5, "agent", "run", "--session", "s", "And Riga?"); !strings.Contains(stderr, "another process is running a turn of session") {
		t.Error(stderr)
	}
	p.run(0, "agent", "run", "--session", "another", "And Riga?")
	_ = first.Process.Kill()
	_ = first.Wait()
	p.run(0, "agent", "run", "--session", "s", "And Lisbon?")
	last := m.seen[len(m.seen)-1]
	for text, sent := range map[string]bool{"Who runs the Oslo depot?": true, `"BO"`: true, "And Lisbon?": true, "forever": false, "And Riga?": false} {
		if strings.Contains(last, text) != sent {
			t.Errorf("the model was sent %q: %v; %s", text, !sent, last)
		}
	}
}
