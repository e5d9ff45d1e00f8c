package doctor

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// dialTime is the time limit for an attempt to connect to a service on this machine.
const dialTime = 2 * time.Second

// Dial implements [Probes.Dial] with a TCP connection.
func Dial(ctx context.Context, address string) error {
	d := net.Dialer{Timeout: dialTime}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// serviceProblem connects to an agent's service if the service is on this machine. It
// returns a failed check if the service does not accept the connection, and nil if the
// service accepts it or is elsewhere.
func (p Probes) serviceProblem(ctx context.Context, name string, a *workspace.Agent) *Check {
	address := ownAddress(a.Adapter.URL)
	if p.Dial == nil || address == "" {
		return nil
	}
	err := p.Dial(ctx, address)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	const hint = "start the service, or correct the url in agent.yaml"
	words := "does not accept connections: " + p.brief(err.Error())
	if errors.Is(err, syscall.ECONNREFUSED) {
		words = "refuses connections: no program is listening at that address"
	}
	check := fail(name, hint, "the service at %s %s", address, words)
	check.Err = &bench.NoServerError{Address: address, Attempts: 1}
	return &check
}

// ownAddress returns the host and port of a URL that refers to this machine, or "" for any
// other URL.
func ownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	ip, err := netip.ParseAddr(host)
	own := err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
	if !own && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(host, port)
}
