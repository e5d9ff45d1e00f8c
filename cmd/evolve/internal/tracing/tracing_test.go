package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"evolve/runtime/telemetry"
)

// receiver is a trace collector for tests.
type receiver struct {
	t      *testing.T
	server *httptest.Server
	// answer returns true if it has answered the request itself.
	answer func(w http.ResponseWriter, r *http.Request, n int) bool

	mu       sync.Mutex
	requests int
	got      []*collector.ExportTraceServiceRequest
	headers  []http.Header
	paths    []string
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests++
	n := r.requests
	r.mu.Unlock()
	if r.answer != nil && r.answer(w, req, n) {
		return
	}
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(req.Body)
		if err != nil {
			r.t.Error(err)
			return
		}
		body = z
	}
	data, err := io.ReadAll(body)
	m := new(collector.ExportTraceServiceRequest)
	if err == nil {
		err = proto.Unmarshal(data, m)
	}
	if err != nil {
		r.t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got, r.headers, r.paths = append(r.got, m), append(r.headers, req.Header.Clone()), append(r.paths, req.URL.String())
}

func (r *receiver) spans() []*traces.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*traces.Span
	for _, m := range r.got {
		for _, of := range m.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				out = append(out, scope.GetSpans()...)
			}
		}
	}
	return out
}

// environment returns a lookup of variables that are given as NAME=value.
func environment(vars ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range vars {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

func atOnce(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// begin starts tracing with the given variables.
func begin(t *testing.T, vars ...string) *Tracing {
	t.Helper()
	lookup := environment(vars...)
	set, err := Read(lookup)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Start(t.Context(), set, lookup, "1.0", atOnce)
	if err != nil || tr == nil {
		t.Fatalf("it does not start: %v", err)
	}
	return tr
}

// work makes two spans, one nested in the other.
func work(ctx context.Context) {
	ctx, outer := telemetry.Start(ctx, "night")
	outer.Text(telemetry.Run, "1-abc")
	outer.Int(telemetry.Exit, 7)
	_, inner := telemetry.StartClient(ctx, "chat small")
	inner.Usage(12, 3, 0, .5)
	inner.Fail("rate_limited")
	inner.End()
	outer.End()
}

// TestSpansArrive checks the ids, parents, times, attributes, resource, headers and path
// that a collector receives.
func TestSpansArrive(t *testing.T) {
	r := newReceiver(t)
	tr := begin(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.server.URL+"/base", "OTEL_EXPORTER_OTLP_HEADERS=x-team=a%20b,authorization=Bearer%20s3cr3t", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
	work(tr.Context(t.Context()))
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	spans := r.spans()
	if len(spans) != 2 {
		t.Fatalf("there are %d spans", len(spans))
	}
	i := slices.IndexFunc(spans, func(s *traces.Span) bool { return s.GetName() == "night" })
	outer, inner := spans[i], spans[1-i]
	if len(outer.GetTraceId()) != 16 || !bytes.Equal(outer.GetTraceId(), inner.GetTraceId()) || !bytes.Equal(inner.GetParentSpanId(), outer.GetSpanId()) || len(outer.GetParentSpanId()) != 0 {
		t.Errorf("%s is below %s", hex.EncodeToString(inner.GetParentSpanId()), hex.EncodeToString(outer.GetSpanId()))
	}
	if outer.GetStartTimeUnixNano() == 0 || outer.GetEndTimeUnixNano() < inner.GetEndTimeUnixNano() || inner.GetKind() != traces.Span_SPAN_KIND_CLIENT || inner.GetStatus().GetCode() != traces.Status_STATUS_CODE_ERROR {
		t.Errorf("the spans are %v and %v", outer, inner)
	}
	values := map[string]string{}
	for _, s := range spans {
		for _, a := range s.GetAttributes() {
			values[a.GetKey()] = strings.Join(strings.Fields(a.GetValue().String()), "")
		}
	}
	for key, want := range map[string]string{
		telemetry.Run: `string_value:"1-abc"`, telemetry.Exit: "int_value:7", telemetry.InputTokens: "int_value:12", telemetry.Cost: "double_value:0.5", telemetry.ErrorType: `string_value:"rate_limited"`,
	} {
		if values[key] != want {
			t.Errorf("%s is %s, want %s", key, values[key], want)
		}
	}
	resource := r.got[0].GetResourceSpans()[0].GetResource().String()
	if !strings.Contains(resource, "service.name") || !strings.Contains(resource, `"evolve"`) {
		t.Errorf("the resource is %s", resource)
	}
	if r.paths[0] != "/base/v1/traces" || r.headers[0].Get("X-Team") != "a b" || r.headers[0].Get("Authorization") != "Bearer s3cr3t" || r.headers[0].Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("it posted to %s with %v", r.paths[0], r.headers[0])
	}
}

// TestCollectorFails tests collectors that answer late, refuse, reject a part, or redirect
// elsewhere.
func TestCollectorFails(t *testing.T) {
	fails := func(code int) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ int) bool { w.WriteHeader(code); return true }
	}
	elsewhere := newReceiver(t)
	for name, c := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request, int) bool
		requests int
		fault    string
	}{
		"it is busy at first": {func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n < 3 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n < 3
		}, 3, ""},
		"it stays busy": {fails(http.StatusTooManyRequests), mostAttempts, "traces: 2 of 2 spans did not reach http://HOST/v1/traces: it answers 429 Too Many Requests"},
		"it refuses":    {fails(http.StatusUnauthorized), 1, "traces: 2 of 2 spans did not reach http://HOST/v1/traces: it answers 401 Unauthorized"},
		"it leads to another": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			http.Redirect(w, r, elsewhere.server.URL, http.StatusTemporaryRedirect)
			return true
		}, 1, "it answers 307 Temporary Redirect"},
		"it rejects one of two": {func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			data, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "\x1b[2J"}})
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(data)
			return true
		}, 1, "traces: 1 of 2 spans did not reach http://HOST/v1/traces: it rejected some"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t)
			r.answer = c.answer
			host := strings.TrimPrefix(r.server.URL, "http://")
			tr := begin(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://someone:s3cr3t@"+host)
			work(tr.Context(t.Context()))
			err := tr.Close()
			words := ""
			if err != nil {
				words = strings.ReplaceAll(err.Error(), host, "HOST")
			}
			if (c.fault == "") != (err == nil) || !strings.Contains(words, c.fault) || strings.Contains(words, "s3cr3t") || r.requests != c.requests {
				t.Errorf("after %d requests: %s", r.requests, words)
			}
		})
	}
	if elsewhere.requests != 0 {
		t.Error("the headers went elsewhere")
	}
}

// TestNobodyListens checks that closing finishes and reports the lost spans once if the
// collector is absent or never answers.
func TestNobodyListens(t *testing.T) {
	gone := newReceiver(t)
	gone.server.Close()
	tr := begin(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+gone.server.URL+"/v1/traces?key=s3cr3t")
	for range 5000 {
		work(tr.Context(t.Context()))
	}
	if err := tr.Close(); err == nil || !strings.Contains(err.Error(), "traces: 10000 of 10000 spans did not reach ") || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("it ends with %v", err)
	}
	r, held := newReceiver(t), make(chan struct{})
	r.answer = func(_ http.ResponseWriter, req *http.Request, _ int) bool {
		_, _ = io.Copy(io.Discard, req.Body)
		select {
		case <-held:
		case <-req.Context().Done():
		}
		return true
	}
	tr = begin(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.server.URL)
	work(tr.Context(t.Context()))
	err := tr.Close()
	close(held)
	if err == nil || !strings.Contains(err.Error(), "2 of 2 spans") {
		t.Errorf("it ends with %v", err)
	}
}

// TestVariables checks the settings that follow from the variables of an environment.
func TestVariables(t *testing.T) {
	for _, c := range []struct {
		vars []string
		// want is the address, or "" for none; fault is a part of the error.
		want, fault string
	}{
		{nil, "", ""},
		{[]string{"OTEL_SERVICE_NAME=x"}, "", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_SDK_DISABLED=TRUE"}, "", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none"}, "", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=console"}, "", `OTEL_TRACES_EXPORTER is "console"`},
		{[]string{"OTEL_TRACES_EXPORTER=otlp"}, "http://localhost:4318/v1/traces", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c/otlp/"}, "https://c/otlp/v1/traces", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://d/x"}, "http://d/x", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=c:4317"}, "", "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https address"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "", `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but evolve sends only http/protobuf`},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"}, "http://c/v1/traces", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_HEADERS=s3cr3t"}, "", "OTEL_EXPORTER_OTLP_HEADERS: it is not a list"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_HEADERS=a=s3cr3t%0d%0ab: c"}, "", "it is not a list"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_TIMEOUT=soon"}, "", "OTEL_EXPORTER_OTLP_TIMEOUT is not a number"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_COMPRESSION=zstd"}, "", "it must be gzip or none"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_CERTIFICATE=none.pem"}, "", "the certificates of the collector: "},
	} {
		set, err := Read(environment(c.vars...))
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%v: %v, want %q", c.vars, err, c.fault)
			}
		case err != nil || (set == nil) != (c.want == "") || set != nil && set.URL.String() != c.want:
			t.Errorf("%v: %+v, %v", c.vars, set, err)
		}
	}
}

// TestOff tests that a process without settings makes no span.
func TestOff(t *testing.T) {
	tr, err := Start(t.Context(), nil, environment(), "1.0", atOnce)
	if tr != nil || err != nil {
		t.Fatalf("it starts: %v, %v", tr, err)
	}
	if _, s := telemetry.Start(tr.Context(t.Context()), "x"); s.On() || tr.Close() != nil {
		t.Error("it records")
	}
}
