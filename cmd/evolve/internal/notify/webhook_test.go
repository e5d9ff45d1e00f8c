package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func at() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// awaited returns a message about two proposals.
func awaited() Message {
	m := Message{Time: at(), Workspace: "/srv/ws", Host: "box", Run: "3-ab", Box: "ADOPT v2\n"}.with([]Event{
		{"awaits", "P1", "P1 awaits a decision: größer", []string{"evolve approve P1"}},
		{"awaits", "P2", "P2 awaits a decision", []string{}},
	})
	m.ID = "msg_1"
	return m
}

// waits records pauses instead of waiting.
type waits struct{ list []time.Duration }

func (w *waits) sleep(_ context.Context, d time.Duration) error {
	w.list = append(w.list, d)
	return nil
}

// TestWebhook posts to a real server and verifies the signature as `evolve help notify` describes.
func TestWebhook(t *testing.T) {
	const secret = "whsec_c2VjcmV0LWtleS1vZi0yMC1ieXRlcw=="
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	var got Message
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(r.Header.Get("webhook-id") + "." + r.Header.Get("webhook-timestamp") + "." + string(body)))
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if r.Method != http.MethodPost || r.Header.Get("webhook-signature") != want || r.Header.Get("webhook-timestamp") != "1772600767" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	hook := Webhook{URL: server.URL + "/hook", Secret: secret, Label: "x", Now: at, Sleep: new(waits).sleep, Roots: roots}
	if err := hook.Send(t.Context(), awaited()); err != nil {
		t.Fatal(err)
	}
	if got.Version != 1 || got.ID != "msg_1" || len(got.Events) != 2 || got.Title != "P1 awaits a decision: größer (and 1 more)" || !strings.Contains(got.Text, "ADOPT v2") {
		t.Errorf("the server got %+v", got)
	}
	hook.Secret = "another"
	if err := hook.Send(t.Context(), awaited()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a wrong key: %v", err)
	}
	hook.Secret = "whsec_%"
	if err := hook.Send(t.Context(), awaited()); err == nil || !strings.Contains(err.Error(), "base64") {
		t.Errorf("a key that is none: %v", err)
	}
	hook.Roots = nil
	if err := hook.Send(t.Context(), awaited()); err == nil {
		t.Error("an unknown authority was trusted")
	}
}

// TestWebhookTriesAgain checks which responses lead to another attempt, and how often.
func TestWebhookTriesAgain(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer elsewhere.Close()
	for _, c := range []struct {
		path  string
		asked int
		waits []time.Duration
		want  string
	}{
		{"/500", 3, []time.Duration{2 * time.Second, 8 * time.Second}, "it answered 500"},
		{"/429", 3, []time.Duration{5 * time.Second, 8 * time.Second}, "it answered 429"},
		{"/once", 2, []time.Duration{2 * time.Second}, ""},
		{"/404", 1, nil, "it answered 404 Not Found: no such hook"},
		{"/elsewhere", 1, nil, "redirects to a different host"},
		{"/get", 1, nil, "redirects to a different host, or changes the request method"},
		{"/same", 2, nil, ""},
		{"/circle", 4, nil, "redirects"},
	} {
		t.Run(c.path, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				switch r.URL.Path {
				case "/500":
					w.WriteHeader(http.StatusInternalServerError)
				case "/429":
					w.Header().Set("Retry-After", "5")
					w.WriteHeader(http.StatusTooManyRequests)
				case "/once":
					if asked == 1 {
						w.WriteHeader(http.StatusBadGateway)
					}
				case "/404":
					http.Error(w, "no such\n hook", http.StatusNotFound)
				case "/elsewhere":
					http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
				case "/get":
					http.Redirect(w, r, "/done", http.StatusFound)
				case "/same":
					http.Redirect(w, r, "/done", http.StatusPermanentRedirect)
				case "/circle":
					http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
				}
			}))
			defer server.Close()
			var paused waits
			err := Webhook{URL: server.URL + c.path, Now: at, Sleep: paused.sleep}.Send(t.Context(), awaited())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), server.URL) {
				t.Errorf("the error shows the address: %v", err)
			}
			if asked != c.asked || len(paused.list) != len(c.waits) {
				t.Fatalf("%d requests, pauses %v; want %d, %v", asked, paused.list, c.asked, c.waits)
			}
			for i, d := range c.waits {
				if paused.list[i] != d {
					t.Errorf("pauses %v, want %v", paused.list, c.waits)
				}
			}
		})
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var paused waits
	err := Webhook{URL: gone.URL + "/secret-path", Now: at, Sleep: paused.sleep}.Send(t.Context(), awaited())
	if err == nil || strings.Contains(err.Error(), "secret-path") || len(paused.list) != 2 {
		t.Errorf("no server: %v after %v", err, paused.list)
	}
}

// TestHeartbeat checks the addresses of the signals and that failures are errors.
func TestHeartbeat(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(body))
		if strings.HasPrefix(r.URL.Path, "/bad") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	for _, signal := range []string{Started, Succeeded, Failed} {
		if err := (Heartbeat{URL: server.URL + "/id"}).Beat(t.Context(), signal, "x"); err != nil {
			t.Error(err)
		}
	}
	if want := "POST /id/start x, POST /id x, POST /id/fail x"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if err := (Heartbeat{URL: server.URL + "/bad"}).Beat(t.Context(), Failed, ""); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing check: %v", err)
	}
	if err := (Heartbeat{}).Beat(t.Context(), Failed, ""); err != nil {
		t.Errorf("no heartbeat: %v", err)
	}
}
