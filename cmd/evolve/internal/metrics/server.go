package metrics

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"evolve/cmd/evolve/internal/hub"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Server serves the metrics of a worker over http until it is closed. It implements
// [hub.Meter]. Closing a nil Server has no effect.
type Server struct {
	http    *http.Server
	version string
	golang  string

	mu         sync.Mutex
	state      func() hub.WorkerState
	answered   map[agent.Outcome]int
	unanswered map[hub.Unanswered]int
	latency    Distribution
	leases     map[lease]int
	waited     map[policy.Kind]time.Duration
}

// lease identifies a counter of calls by their kind and result.
type lease struct {
	kind   policy.Kind
	result string
}

// The time limits of a connection.
const (
	headerTime = 5 * time.Second
	answerTime = 30 * time.Second
)

// NewServer begins to serve on a listener. Closing the server closes the listener.
func NewServer(l net.Listener, version, golang string) *Server {
	s := &Server{
		version: version, golang: golang, answered: map[agent.Outcome]int{}, unanswered: map[hub.Unanswered]int{},
		leases: map[lease]int{}, waited: map[policy.Kind]time.Duration{},
	}
	r := prometheus.NewRegistry()
	r.MustRegister(s, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: answerTime}))
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: 2 * answerTime, IdleTimeout: answerTime,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = s.http.Serve(l) }() // until Close
	return s
}

// Of sets the source of the worker's state.
func (s *Server) Of(state func() hub.WorkerState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

// Close ends all connections.
func (s *Server) Close() {
	if s != nil {
		_ = s.http.Close()
	}
}

// Answered implements [hub.Meter].
func (s *Server) Answered(o agent.Outcome, took time.Duration) {
	if !o.Valid() {
		o = "unknown"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered[o]++
	s.latency.Add(took.Seconds())
}

// Unanswered implements [hub.Meter].
func (s *Server) Unanswered(why hub.Unanswered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unanswered[why]++
}

// Leased implements [hub.Meter].
func (s *Server) Leased(kind policy.Kind, waited time.Duration, failed bool) {
	result := "done"
	if failed {
		result = "failed"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[lease{kind, result}]++
	s.waited[kind] += waited
}

// Describe implements [prometheus.Collector].
func (s *Server) Describe(to chan<- *prometheus.Desc) {
	newSheet(WorkerDefinitions(), nil).Describe(to)
}

// Collect implements [prometheus.Collector].
func (s *Server) Collect(to chan<- prometheus.Metric) { s.sheet().Collect(to) }

// sheet returns the current values of the metrics.
func (s *Server) sheet() *sheet {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	var now hub.WorkerState
	if state != nil {
		now = state()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := newSheet(WorkerDefinitions(), nil)
	out.set("evolve_build_info", 1, s.version, s.golang)
	out.set("evolve_worker_slots", float64(now.Slots))
	out.set("evolve_worker_busy_slots", float64(now.Busy))
	out.flag("evolve_worker_connected", now.Connected)
	out.count("evolve_worker_reconnects_total", float64(now.Reconnects))
	out.set("evolve_worker_offers", float64(now.Served), "served")
	out.set("evolve_worker_offers", float64(now.Refused), "refused")
	for _, o := range agent.Outcomes() {
		out.count("evolve_worker_tasks_total", float64(s.answered[o]), string(o))
	}
	if n := s.answered["unknown"]; n > 0 {
		out.count("evolve_worker_tasks_total", float64(n), "unknown")
	}
	for _, why := range []hub.Unanswered{hub.Withdrawn, hub.GivenBack, hub.Unreadable, hub.Unstored} {
		out.count("evolve_worker_tasks_unanswered_total", float64(s.unanswered[why]), string(why))
	}
	out.distribution("evolve_worker_task_duration_seconds", &s.latency)
	for _, kind := range []policy.Kind{policy.Tool, policy.Provider, policy.Agent} {
		for _, result := range []string{"done", "failed"} {
			out.count("evolve_worker_leases_total", float64(s.leases[lease{kind, result}]), string(kind), result)
		}
		out.count("evolve_worker_lease_wait_seconds_total", s.waited[kind].Seconds(), string(kind))
	}
	return out
}
