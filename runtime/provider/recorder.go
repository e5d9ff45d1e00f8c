package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"

	"evolve/runtime/memory"
)

// Mode is the mode of a Recorder.
type Mode string

// The modes.
const (
	Record Mode = "record" // sends requests and appends the exchanges to the file
	Replay Mode = "replay" // answers from the file, without a network
)

// RecorderOptions make a Recorder.
type RecorderOptions struct {
	Mode Mode
	// Path is the recording, a cassette of go-vcr in YAML.
	Path string
	// Transport makes the exchanges that are recorded; nil means one without proxies.
	Transport http.RoundTripper
	// Secrets are values that are removed from recordings, beside text with the shape
	// of a credential and what Scrub removes.
	Secrets []string
	Scrub   func(string) string
}

// Recorder is the transport of endpoints whose exchanges are recorded or replayed. It
// is safe for concurrent use.
//
// A recording contains only the headers of an allow-list, and no host, query, duration
// or credential. While recording, callers get the responses as recorded, so that a
// replay gives the same bytes; broken connections are recorded, too.
//
// In a replay an exchange is found by method, path and body. Equal requests are
// answered in the order in which they were recorded, each response once.
type Recorder struct {
	mode      Mode
	path      string
	transport http.RoundTripper
	redactor  redactor

	mu     sync.Mutex
	tape   *cassette.Cassette
	index  map[string][]int // requestKey → the exchanges left
	closed bool
}

// NewRecorder opens a recording and reads its existing contents.
func NewRecorder(o RecorderOptions) (*Recorder, error) {
	r := &Recorder{
		mode: o.Mode, path: o.Path, transport: o.Transport, tape: blank(),
		redactor: redactor{scrubber(o.Secrets, o.Scrub)},
	}
	switch {
	case o.Path == "":
		return nil, errors.New("a recording has no path")
	case o.Mode == Record:
		if r.transport == nil {
			r.transport = transport()
		}
		switch tape, err := load(o.Path); {
		case err == nil:
			r.tape = tape
		case !errors.Is(err, fs.ErrNotExist): // a file that is no recording must not be replaced
			return nil, fmt.Errorf("reading the recording that is to go on: %w", err)
		}
	case o.Mode == Replay:
		tape, err := load(o.Path)
		if err != nil {
			return nil, fmt.Errorf("reading the recording: %w", err)
		}
		r.tape, r.index = tape, map[string][]int{}
		for i, x := range tape.Interactions {
			k := requestKey(x.Request.Method, x.Request.URL, x.Request.Body)
			r.index[k] = append(r.index[k], i)
		}
	default:
		return nil, fmt.Errorf("mode %q is neither %s nor %s", o.Mode, Record, Replay)
	}
	return r, nil
}

// Client returns a client for [Endpoint].HTTP.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// Close writes the recording atomically.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode != Record || r.closed {
		return nil
	}
	r.closed = true
	if c, ok := r.transport.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
	if err := r.tape.SaveWithFS(file(r.path)); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	asked := cassette.Request{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Method: req.Method, URL: r.redactor.text(req.URL.Path), Body: r.redactor.body(canonical(body)),
		Headers: r.redactor.headers(req.Header, "Content-Type"),
	}
	asked.ContentLength = int64(len(asked.Body))
	if r.mode == Replay {
		return r.replay(req, asked)
	}
	answered, err := r.exchange(req, body)
	if req.Context().Err() != nil { // a cancelled exchange depends on timing
		return nil, req.Context().Err()
	}
	x := &cassette.Interaction{Request: asked, Response: answered}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("the recording is closed")
	}
	r.tape.AddInteraction(x)
	if err != nil {
		return nil, err
	}
	return response(req, &x.Response)
}

// exchange sends a request. Without a complete response it returns one without a code,
// to be recorded, and the error.
func (r *Recorder) exchange(req *http.Request, body []byte) (cassette.Response, error) {
	broken := func(err error) (cassette.Response, error) {
		lost := &lostResponse{memory.Cut(r.redactor.text(err.Error()), maxQuoted)}
		return cassette.Response{Status: lost.text}, lost
	}
	out := req.Clone(req.Context())
	if out.Body = http.NoBody; len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := r.transport.RoundTrip(out)
	if err != nil {
		return broken(err)
	}
	defer resp.Body.Close()
	got, err := readBounded(resp.Body)
	if err == nil && resp.Header.Get("Content-Encoding") != "" {
		err = errors.New("the response is encoded in a way that was not asked for")
	}
	if err != nil {
		return broken(err)
	}
	text := r.redactor.body(string(got))
	kept := []string{"Content-Type", "Retry-After", "Retry-After-Ms"}
	if resp.Header.Get("Retry-After") != "" {
		kept = append(kept, "Date") // the reference for a Retry-After date
	}
	return cassette.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Code: resp.StatusCode, Status: fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)),
		Headers:       r.redactor.headers(resp.Header, kept...),
		Body:          text,
		ContentLength: int64(len(text)),
	}, nil
}

func (r *Recorder) replay(req *http.Request, asked cassette.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	k := requestKey(asked.Method, asked.URL, asked.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.index[k]
	if len(left) == 0 {
		return nil, r.unknown(asked)
	}
	r.index[k] = left[1:]
	return response(req, &r.tape.Interactions[left[0]].Response)
}

// response converts a recorded response into an HTTP response or error.
func response(req *http.Request, x *cassette.Response) (*http.Response, error) {
	if x.Code == 0 {
		return nil, &lostResponse{x.Status}
	}
	headers := x.Headers.Clone()
	if headers == nil {
		headers = http.Header{}
	}
	return &http.Response{
		Status: x.Status, StatusCode: x.Code, Proto: x.Proto, ProtoMajor: x.ProtoMajor, ProtoMinor: x.ProtoMinor,
		Header: headers, Body: io.NopCloser(strings.NewReader(x.Body)), ContentLength: int64(len(x.Body)), Request: req,
	}, nil
}

// lostResponse is the error of a connection without a complete response.
type lostResponse struct{ text string }

func (e *lostResponse) Error() string { return e.text }
