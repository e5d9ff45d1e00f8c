package tracing

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings configures the destination and the form of spans.
type Settings struct {
	// URL is the full address to which batches are posted.
	URL *url.URL
	// Header is added to each request. Its values are secrets.
	Header  http.Header
	Timeout time.Duration
	Gzip    bool
	TLS     *tls.Config
}

// The defaults that the OpenTelemetry standard defines.
const (
	defaultURL     = "http://localhost:4318"
	tracePath      = "v1/traces"
	defaultTimeout = 10 * time.Second
)

// Read returns the settings that environment variables specify; it returns nil if tracing
// is not requested. An error means that the variables request a feature that evolve does
// not support.
func Read(lookup func(string) (string, bool)) (*Settings, error) {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	// of returns the value and the name of the variable for traces. If that variable is
	// not set, it returns those of the variable for all signals.
	of := func(name string) (value, from string) {
		from = "OTEL_EXPORTER_OTLP_TRACES_" + name
		if value = get(from); value == "" {
			from = "OTEL_EXPORTER_OTLP_" + name
			value = get(from)
		}
		return value, from
	}
	endpoint, _ := of("ENDPOINT")
	exporter := get("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(get("OTEL_SDK_DISABLED"), "true"), exporter == "none", endpoint == "" && exporter == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q, but evolve supports only otlp", exporter)
	}
	if p, from := of("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, fmt.Errorf("%s is %q, but evolve sends only http/protobuf, which collectors accept on port 4318", from, p)
	}
	s := &Settings{Header: http.Header{}, Timeout: defaultTimeout}
	var err error
	if s.URL, err = address(get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), get("OTEL_EXPORTER_OTLP_ENDPOINT")); err != nil {
		return nil, err
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		if err := addHeaders(s.Header, get(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if v, from := of("TIMEOUT"); v != "" {
		ms, err := strconv.Atoi(v)
		if err != nil || ms < 1 || ms > 600_000 {
			return nil, fmt.Errorf("%s is not a number of milliseconds up to 600000", from)
		}
		s.Timeout = time.Duration(ms) * time.Millisecond
	}
	switch v, from := of("COMPRESSION"); v {
	case "", "none":
	case "gzip":
		s.Gzip = true
	default:
		return nil, fmt.Errorf("%s is %q; it must be gzip or none", from, v)
	}
	ca, _ := of("CERTIFICATE")
	cert, _ := of("CLIENT_CERTIFICATE")
	key, _ := of("CLIENT_KEY")
	if s.TLS, err = certificates(ca, cert, key); err != nil {
		return nil, err
	}
	return s, nil
}

// address returns the address for traces. This is the address that is set for traces,
// unchanged, or else the address that is set for all signals, with the path for traces
// added.
func address(traces, all string) (*url.URL, error) {
	name, value := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", traces
	if traces == "" {
		name, value = "OTEL_EXPORTER_OTLP_ENDPOINT", all
	}
	if value == "" {
		value = defaultURL
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is not an http or https address, such as http://localhost:4318", name)
	}
	if traces == "" {
		u = u.JoinPath(tracePath)
	}
	return u, nil
}

// addHeaders adds the headers in a list such as a=b,c=d, in which values are
// percent-encoded. Its errors contain no values.
func addHeaders(to http.Header, list string) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) ||
			strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return errors.New("it is not a list of headers such as name=value,name2=value2")
		}
		to.Set(name, value)
	}
	return nil
}

// certificates returns a TLS configuration with the given files. It returns nil, which
// stands for the default configuration, if no files are given.
func certificates(ca, cert, key string) (*tls.Config, error) {
	if ca == "" && cert == "" && key == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(filepath.Clean(ca))
		if err != nil {
			return nil, fmt.Errorf("the certificates of the collector: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE names a file without a certificate")
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("the certificate for the collector: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Target returns the address of the collector without the secrets that an address can hold.
func (s *Settings) Target() string {
	u := *s.URL
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// secrets lists the values that no message may contain.
func (s *Settings) secrets() []string {
	list := slices.Concat(slices.Collect(maps.Values(s.Header))...)
	if p, ok := s.URL.User.Password(); ok {
		list = append(list, p)
	}
	return append(list, s.URL.RawQuery)
}
