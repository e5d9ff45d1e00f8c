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

// keys are the secrets of a server. The token is in the printed address; a browser exchanges it for
// the session, which is in its cookie. The form token is in each form.
type keys struct {
	token, session, form string

	mu sync.Mutex
	// ticket is a token that is valid once: the address that is handed to another program is
	// visible to other users of the machine. Empty: there is none.
	ticket string
}

func newKeys() *keys { return &keys{token: secret(), session: secret(), form: secret()} }

// newTicket returns a token that is valid once.
func (k *keys) newTicket() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ticket = secret()
	return k.ticket
}

// admits reports whether a token is the printed one, or the ticket, which it uses up.
func (k *keys) admits(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ticket != "" && equal(token, k.ticket) {
		k.ticket = ""
		return true
	}
	return equal(token, k.token)
}

// loopback reports whether the Host header of a request names this machine. A page of another
// site whose name was made to resolve to 127.0.0.1 has that name in it.
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

// policy forbids everything but what this server itself serves.
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
