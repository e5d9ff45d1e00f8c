package metrics

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"evolve/cmd/evolve/internal/hub"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// TestServer scrapes a worker before and after it has a state.
func TestServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(l, "1.0", "go1.26")
	defer s.Close()
	scrape := func(path string) (int, []byte) {
		t.Helper()
		resp, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, body
	}
	if code, body := scrape("/metrics"); code != http.StatusOK || !strings.Contains(string(body), "\nevolve_worker_connected 0\n") {
		t.Errorf("without a worker it answers %d: %s", code, body)
	}
	s.Of(func() hub.WorkerState {
		return hub.WorkerState{Slots: 8, Busy: 3, Connected: true, Reconnects: 2, Served: 1, Refused: 4}
	})
	s.Answered(agent.OK, 20*time.Millisecond)
	s.Answered("forged\"} 1\n", time.Second)
	s.Unanswered(hub.Withdrawn)
	s.Leased(policy.Provider, 1500*time.Millisecond, false)
	code, body := scrape("/metrics")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if code != http.StatusOK || err != nil {
		t.Fatalf("it answers %d: %v\n%s", code, err, body)
	}
	for _, d := range WorkerDefinitions() {
		if families[d.Name].GetHelp() != d.Help {
			t.Errorf("%s is not there, or has another help", d.Name)
		}
	}
	for _, want := range []string{
		"evolve_worker_slots 8", "evolve_worker_busy_slots 3", "evolve_worker_connected 1", "evolve_worker_reconnects_total 2",
		`evolve_worker_offers{state="refused"} 4`, `evolve_worker_tasks_total{outcome="ok"} 1`, `evolve_worker_tasks_total{outcome="unknown"} 1`,
		`evolve_worker_tasks_unanswered_total{reason="withdrawn"} 1`, `evolve_worker_lease_wait_seconds_total{kind="provider"} 1.5`,
		`evolve_worker_task_duration_seconds_bucket{le="0.03"} 1`, `evolve_build_info{goversion="go1.26",version="1.0"} 1`, "go_goroutines ", "process_open_fds ",
	} {
		if !strings.Contains(string(body), "\n"+want) {
			t.Errorf("it lacks %s", want)
		}
	}
	if problems, err := promlint.New(bytes.NewReader(body)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("by the conventions of Prometheus: %v, %v", problems, err)
	}
	if code, _ := scrape("/"); code != http.StatusNotFound {
		t.Errorf("another path answers %d", code)
	}
	s.Close()
	if resp, err := http.Get("http://" + l.Addr().String() + "/metrics"); err == nil {
		_ = resp.Body.Close()
		t.Error("a closed server answers")
	}
	(*Server)(nil).Close()
}
