package clitest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	values "go.opentelemetry.io/proto/slim/otlp/common/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collectorKey is the secret that each request to a collector must carry.
const collectorKey = "vK3-wP9xr2NqTd7sYe5H+bL8"

// fakeCollector receives traces as OTLP over http.
type fakeCollector struct {
	mu    sync.Mutex
	raw   []byte
	wrong []string
	spans []received
}

// received is a span together with the name of its service.
type received struct {
	*traces.Span
	service string
}

func (f *fakeCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	var m collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(data, &m)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost || r.Header.Get("X-Key") != collectorKey {
		f.wrong = append(f.wrong, fmt.Sprint(r.Method, " ", r.URL, " ", err))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.raw = append(f.raw, data...)
	for _, of := range m.GetResourceSpans() {
		service := ""
		for _, a := range of.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				f.spans = append(f.spans, received{s, service})
			}
		}
	}
}

// lines returns one line for each span: the names of the spans from the root to this span,
// its service and its attributes.
func (f *fakeCollector) lines() []string {
	byID := map[string]received{}
	for _, s := range f.spans {
		byID[hex.EncodeToString(s.GetSpanId())] = s
	}
	var out []string
	for _, s := range f.spans {
		path, at := s.GetName(), s
		for len(at.GetParentSpanId()) > 0 {
			parent, ok := byID[hex.EncodeToString(at.GetParentSpanId())]
			if !ok || string(parent.GetTraceId()) != string(s.GetTraceId()) {
				path = "? > " + path
				break
			}
			path, at = parent.GetName()+" > "+path, parent
		}
		line := path + " [" + s.service + "]"
		for _, a := range slices.SortedFunc(slices.Values(s.GetAttributes()), func(a, b *values.KeyValue) int { return strings.Compare(a.GetKey(), b.GetKey()) }) {
			line += " " + a.GetKey() + "=" + worded(a.GetValue())
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func worded(v *values.AnyValue) string {
	switch of := v.GetValue().(type) {
	case *values.AnyValue_StringValue:
		return of.StringValue
	case *values.AnyValue_IntValue:
		return fmt.Sprint(of.IntValue)
	case *values.AnyValue_DoubleValue:
		return fmt.Sprint(of.DoubleValue)
	case *values.AnyValue_BoolValue:
		return fmt.Sprint(of.BoolValue)
	}
	return "?"
}

// scriptCollector starts a trace collector and sets the variable NAME to its address.
func scriptCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: collector NAME")
	}
	f := &fakeCollector{}
	server := httptest.NewServer(f)
	ts.Defer(server.Close)
	startedBy(ts).collectors[args[0]] = f
	ts.Setenv(args[0], server.URL)
}

// scriptSpans writes what a collector has received since the last call: to FILE the spans,
// one per line, and to FILE.raw all the data.
func scriptSpans(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || startedBy(ts).collectors[args[0]] == nil {
		ts.Fatalf("usage: spans NAME FILE")
	}
	f := startedBy(ts).collectors[args[0]]
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wrong) > 0 {
		ts.Fatalf("the collector received an invalid request: %v", f.wrong)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(f.lines(), "\n")+"\n"), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]+".raw"), f.raw, 0o600))
	f.spans, f.raw = nil, nil
}
