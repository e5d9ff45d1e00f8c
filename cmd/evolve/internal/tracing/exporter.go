package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"evolve/runtime/text"
)

// exporter posts batches of spans. It returns no errors, because the SDK would print each
// of them. Instead it counts the errors and retains the first.
type exporter struct {
	set    *Settings
	client *http.Client
	// All requests end with ctx, which stop cancels. Another context, called ending, is
	// cancelled when the process is about to end; from then on, no further attempts are
	// made to reach an unreachable collector.
	ctx, ending context.Context
	stop, end   context.CancelFunc
	// sleep waits before another attempt.
	sleep func(context.Context, time.Duration) error

	mu    sync.Mutex
	sent  int
	fault error
}

// The pauses before further attempts; each pause is twice as long as the one before.
const (
	firstPause   = 500 * time.Millisecond
	mostAttempts = 5
	// mostAnswer limits the number of bytes of a response that are read.
	mostAnswer = 64 << 10
)

func newExporter(set *Settings, sleep func(context.Context, time.Duration) error) *exporter {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig, t.MaxIdleConnsPerHost = set.TLS, 2
	e := &exporter{set: set, sleep: sleep, client: &http.Client{
		Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers must be sent only to this collector
	}}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.ending, e.end = context.WithCancel(e.ctx)
	return e
}

// ExportSpans implements [sdktrace.SpanExporter].
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, done := context.WithTimeout(ctx, e.set.Timeout)
	defer done()
	defer context.AfterFunc(e.ctx, done)()
	accepted := e.send(ctx, spans)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent += accepted
	return nil
}

// note retains the first fault.
func (e *exporter) note(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault == nil {
		e.fault = err
	}
}

// Shutdown implements [sdktrace.SpanExporter].
func (e *exporter) Shutdown(context.Context) error { return nil }

// close ends the requests under way. It returns the number of spans that the collector
// accepted, and the first fault.
func (e *exporter) close() (sent int, fault error) {
	e.stop()
	e.client.CloseIdleConnections()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sent, e.fault
}

// send posts a batch until it is accepted or refused for good, or until the time is up, and
// returns the number of accepted spans.
func (e *exporter) send(ctx context.Context, spans []sdktrace.ReadOnlySpan) (accepted int) {
	body, err := proto.Marshal(requestOf(spans))
	if err == nil && e.set.Gzip {
		body, err = zip(body)
	}
	if err != nil {
		e.note(fmt.Errorf("writing spans: %w", err))
		return 0
	}
	pause := firstPause
	for try := 1; ; try++ {
		rejected, after, err := e.post(ctx, body)
		var again *againError
		switch {
		case err == nil && rejected > 0:
			e.note(errors.New("it rejected some spans"))
			return max(0, len(spans)-int(min(rejected, int64(len(spans)))))
		case err == nil:
			return len(spans)
		}
		e.note(err)
		ending := e.ending.Err() != nil
		if !errors.As(err, &again) || try == mostAttempts || ctx.Err() != nil || ending && !again.answered {
			return 0
		}
		e.pause(ctx, max(pause, after), ending)
		pause *= 2
	}
}

// pause waits before another attempt. If the process is not ending yet, the wait is cut
// short when the process begins to end.
func (e *exporter) pause(ctx context.Context, d time.Duration, ending bool) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	if !ending {
		defer context.AfterFunc(e.ending, done)()
	}
	_ = e.sleep(ctx, d)
}

// againError is a failure after which the same batch may be sent again. answered reports
// whether the collector itself requested another attempt.
type againError struct {
	error
	answered bool
}

// post makes one request. It returns the number of spans that the collector rejected, or
// the pause that the collector requests before another attempt.
func (e *exporter) post(ctx context.Context, body []byte) (rejected int64, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.set.URL.String(), bytes.NewReader(body))
	if err != nil {
		return 0, 0, fmt.Errorf("creating the request to the collector: %w", err)
	}
	req.Header = e.set.Header.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if e.set.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return 0, 0, &againError{e.clean(err), false}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return 0, 0, &againError{e.clean(err), false}
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
			after = time.Duration(min(s, 3600)) * time.Second
		}
		return 0, after, &againError{fmt.Errorf("it answers %s", status(resp)), true}
	}
	if resp.StatusCode/100 != 2 {
		return 0, 0, fmt.Errorf("it answers %s", status(resp))
	}
	var told collector.ExportTraceServiceResponse
	if proto.Unmarshal(answer, &told) == nil {
		rejected = told.GetPartialSuccess().GetRejectedSpans()
	}
	return rejected, 0, nil
}

// status returns the status of a response, with the standard text instead of the sender's
// text.
func status(r *http.Response) string {
	return strings.TrimSpace(strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode))
}

// clean removes the address and secrets from the error of a request.
func (e *exporter) clean(err error) error {
	var whole *url.Error // with the whole address
	if errors.As(err, &whole) {
		err = whole.Err
	}
	words := err.Error()
	for _, secret := range e.set.secrets() {
		if secret != "" {
			words = strings.ReplaceAll(words, secret, "[redacted]")
		}
	}
	return errors.New(text.Clip(text.Visible(words), 300))
}

func zip(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
