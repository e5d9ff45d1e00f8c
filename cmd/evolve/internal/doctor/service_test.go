package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"evolve/cmd/evolve/internal/workspace"
)

// TestService checks the results for services that accept connections and for those that do
// not, and that only services on this machine are tried.
func TestService(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		url, dialled string
		err          error
		text         string
	}{
		{"http://127.0.0.1:8077/run", "127.0.0.1:8077", nil, ""},
		{"http://127.0.0.1:8077/run", "127.0.0.1:8077", refused, "the service at 127.0.0.1:8077 refuses connections: no program is listening at that address"},
		{"http://localhost/run", "localhost:80", refused, "the service at localhost:80 refuses connections: no program is listening at that address"},
		{"https://[::1]/run", "[::1]:443", errors.New("i/o timeout"), "the service at [::1]:443 does not accept connections: i/o timeout"},
		{"http://10.0.0.7:8077/run", "", refused, ""},
		{"https://agents.example.org/run", "", refused, ""},
		{"http://agent/run", "", refused, ""},
	} {
		dialled := ""
		p := Probes{Dial: func(_ context.Context, address string) error { dialled = address; return c.err }}
		got := p.serviceProblem(t.Context(), "agent router", &workspace.Agent{Adapter: workspace.Adapter{Kind: workspace.KindHTTP, URL: c.url}})
		if dialled != c.dialled {
			t.Errorf("%s: %q was dialled, want %q", c.url, dialled, c.dialled)
		}
		if got != nil && (got.Status != StatusFail || got.Hint == "" || got.Err == nil || got.Text != c.text) || got == nil && c.text != "" {
			t.Errorf("%s: %+v, want %q", c.url, got, c.text)
		}
	}
}

// TestDial checks Dial with and without a service at the address.
func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := Dial(t.Context(), address); err != nil {
		t.Errorf("a service: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Dial(t.Context(), address); !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), address) {
		t.Errorf("none: %v", err)
	}
}
