package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The limits of requests: the time that one request may take, the longest pause between two
// requests that the remote service may demand, and the number of bytes of a response that
// are read.
const (
	requestTime = 15 * time.Second
	longestWait = 30 * time.Second
	mostAnswer  = 4 << 10
)

// pauses are the waits before the second and the third attempt at a request.
var pauses = [...]time.Duration{2 * time.Second, 8 * time.Second}

// Webhook posts a message as JSON. Its signature has the format of Standard Webhooks
// (standardwebhooks.com).
type Webhook struct {
	// URL uses https, or http in a private network. It may be a secret.
	URL string
	// Secret is the key for the signature; if it is empty, messages are not signed.
	Secret string
	// Label names the address without its secret, such as its host.
	Label string
	Now   func() time.Time
	// Sleep waits between two attempts.
	Sleep func(context.Context, time.Duration) error
	// Roots are the certificate authorities; nil means the system's.
	Roots *x509.CertPool
	// Fault is the reason why no message can be sent; it is empty if messages can be sent.
	Fault string
}

// ID is [Channel.ID].
func (w Webhook) ID() string {
	sum := sha256.Sum256([]byte(w.URL))
	return "webhook " + w.Label + " " + hex.EncodeToString(sum[:8])
}

func (w Webhook) String() string { return "webhook " + w.Label }

// Send posts the message. It tries again after a failed connection and after the statuses
// 429 and 5xx, at most three times in all.
func (w Webhook) Send(ctx context.Context, m Message) error {
	if w.Fault != "" {
		return errors.New(w.Fault)
	}
	body, err := m.body()
	if err != nil {
		return err
	}
	client := client(w.Roots)
	defer client.CloseIdleConnections()
	for _, pause := range append(pauses[:], -1) {
		wait, err := w.post(ctx, client, m.ID, body)
		if err == nil || wait < 0 || pause < 0 {
			return err
		}
		if err := w.Sleep(ctx, min(max(wait, pause), longestWait)); err != nil {
			return err
		}
	}
	return nil
}

// post makes one request. If there is an error, wait is the pause that the remote service
// requests, or negative if another attempt would be useless.
func (w Webhook) post(ctx context.Context, client *http.Client, id string, body []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return -1, errors.New("its address is not a URL")
	}
	at := strconv.FormatInt(w.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "evolve")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	if w.Secret != "" {
		signature, err := Sign(w.Secret, id, at, body)
		if err != nil {
			return -1, err
		}
		req.Header.Set("Webhook-Signature", signature)
	}
	res, err := client.Do(req)
	if err != nil {
		return again(err)
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	return statusOf(res, said)
}

// Sign returns the signature header for a body: "v1," followed by the base64 of the
// HMAC-SHA256 over id, timestamp (seconds since 1970) and body, joined by full stops. If
// the key begins with whsec_, the rest is decoded as base64; any other key is used as it
// is.
func Sign(secret, id, timestamp string, body []byte) (string, error) {
	key := []byte(secret)
	if encoded, is := strings.CutPrefix(secret, "whsec_"); is {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return "", errors.New("its key begins with whsec_, but the rest is not base64")
		}
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

var errElsewhere = errors.New("it redirects to a different host, or changes the request method")

// client returns a client that does not follow redirects to other hosts.
func client(roots *x509.CertPool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			first := via[0]
			if req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme || req.Method != first.Method || len(via) > 3 {
				return errElsewhere
			}
			return nil
		},
	}
}

// again decides about another attempt after a request that got no answer. It returns the
// pause before that attempt, or a negative pause if another attempt would be useless. The
// returned error names no address, because an address may be a secret.
func again(err error) (time.Duration, error) {
	if errors.Is(err, errElsewhere) {
		return -1, errElsewhere
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, fmt.Errorf("no answer within %s", requestTime)
	}
	return 0, err
}

// statusOf judges an answer.
func statusOf(res *http.Response, said []byte) (time.Duration, error) {
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return 0, nil
	}
	err := fmt.Errorf("it answered %s", res.Status)
	if words := strings.Join(strings.Fields(strings.ToValidUTF8(string(said), "")), " "); words != "" {
		err = fmt.Errorf("%w: %s", err, clip(words, 200))
	}
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode < 500 {
		return -1, err
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return time.Duration(max(0, min(seconds, 3600))) * time.Second, err
}
