package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"evolve/runtime/provider"
)

// TestAgentsShareARecording checks that the recording of a provider has the exchanges of
// two agents that are open at once, whichever is closed first, and that the recording can
// be opened again after both are closed.
func TestAgentsShareARecording(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, `{"said":%q}`, body)
	}))
	defer s.Close()
	var all recordings
	o := provider.RecorderOptions{Mode: provider.Record, Path: filepath.Join(t.TempDir(), "recording.yaml"), Transport: http.DefaultTransport}
	ask := func(r *provider.Recorder, words string) error {
		resp, err := r.Client().Post(s.URL+"/v1", "application/json", strings.NewReader(`{"prompt":"`+words+`"}`))
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	record := func(words ...string) {
		t.Helper()
		var done []func() error
		for _, w := range words {
			r, end, err := all.use(o)
			if err == nil {
				err = ask(r, w)
			}
			if err != nil {
				t.Fatal(err)
			}
			done = append(done, end)
		}
		for _, end := range done {
			if err := end(); err != nil {
				t.Fatal(err)
			}
		}
	}
	record("one", "two")
	record("three")
	replay, err := provider.NewRecorder(provider.RecorderOptions{Mode: provider.Replay, Path: o.Path})
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"one", "two", "three"} {
		if err := ask(replay, words); err != nil {
			t.Errorf("the request of %s is not recorded: %v", words, err)
		}
	}
}
