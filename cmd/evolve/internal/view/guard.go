package view

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"strings"
	"sync"
)

// secret returns 128 random bits in 22 characters that need no escapes in a URL.
func secret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// keys holds the secrets of a server. The token is in the printed address. A browser
// exchanges the token for the session, which is stored in the browser's cookie. The form
// token is in each form.
type keys struct {
	token, session, form string

	mu sync.Mutex
	// ticket is a token that is valid only once, because other users of the machine can see
	// an address that is passed to another program. It is empty if there is none.
	ticket string
}

func newKeys() *keys { return &keys{token: secret(), session: secret(), form: secret()} }

// newTicket returns a token that is valid only once.
func (k *keys) newTicket() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ticket = secret()
	return k.ticket
}

// admits reports whether a token is the printed token or the ticket. A ticket that is
// admitted becomes invalid.
func (k *keys) admits(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ticket != "" && equal(token, k.ticket) {
		k.ticket = ""
		return true
	}
	return equal(token, k.token)
}

// loopback reports whether a request's Host header names this machine. If another site's
// page makes its own name resolve to 127.0.0.1, its requests have that name in the header.
func loopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	return name == "127.0.0.1" || strings.EqualFold(name, "localhost") || name == "[::1]" || name == "::1"
}

// fromHere reports whether a request that changes something came from a page of this server.
func fromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	return r.Header.Get("Origin") == "http://"+r.Host
}

// policy forbids everything except what this server itself serves.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func setHeaders(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	} {
		h.Set(name, value)
	}
}
