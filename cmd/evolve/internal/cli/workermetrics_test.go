package cli

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/cmd/evolve/internal/metrics/metricstest"
)

// scrape reads the metrics of a worker at the address that the worker prints.
func scrape(t *testing.T, worker *commandRun) map[string]*dto.MetricFamily {
	t.Helper()
	address := regexp.MustCompile(`metrics at (http://127\.0\.0\.1:\d+/metrics)\n`)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if m := address.FindStringSubmatch(worker.stderr.String()); m != nil {
			resp, err := http.Get(m[1])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			families, err := metricstest.Parse(body)
			if err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			return families
		}
		if time.Now().After(deadline) {
			t.Fatalf("the worker tells no address: %s", worker.stderr.String())
		}
	}
}

// TestWorkerMetrics scrapes a worker before and after a run.
func TestWorkerMetrics(t *testing.T) {
	srv, err := hubtest.Start(hubtest.Options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hubtest.Stop(srv) })
	dir := hubPlace(t, "{hub: \""+srv.ClientURL()+"\"}")
	worker := begin(t, t.TempDir(), nil, "worker", "--hub", srv.ClientURL(), "--slots", "3", "--metrics", "0")
	before := scrape(t, worker)
	if got := metricstest.Values(before, "evolve_worker_tasks_total{outcome=ok}"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("before the run it has answered %v", got)
	}
	begin(t, dir, nil, "run", "--quiet").expect(t, 0, "")
	after := scrape(t, worker)
	for name, want := range map[string]string{
		"evolve_worker_slots": `^3$`, "evolve_worker_connected": `^1$`, "evolve_worker_tasks_total{outcome=ok}": `^[1-9]\d*$`,
		"evolve_worker_task_duration_seconds": `^[1-9]\d*$`, "evolve_worker_reconnects_total": `^0$`, "evolve_build_info": `^1$`,
	} {
		if got := metricstest.Values(after, name); len(got) != 1 || !regexp.MustCompile(want).MatchString(got[0]) {
			t.Errorf("%s is %v", name, got)
		}
	}
	begin(t, t.TempDir(), nil, "worker", "--hub", srv.ClientURL(), "--metrics", "nonsense:").expect(t, 2, `--metrics "nonsense:" is not an address`)
	taken := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(worker.stderr.String())
	begin(t, t.TempDir(), nil, "worker", "--hub", srv.ClientURL(), "--metrics", taken).expect(t, 2, "address already in use")
}
