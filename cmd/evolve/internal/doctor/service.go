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

// dialTime bounds an attempt to connect to a service on this machine.
const dialTime = 2 * time.Second

// Dial is the Dial probe of this machine.
func Dial(ctx context.Context, address string) error {
	d := net.Dialer{Timeout: dialTime}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// serviceProblem connects to the service of an agent, if it is on this machine, and returns the
// check that fails because it takes no connections; nil if it takes one, or is elsewhere.
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
	words := "does not take connections: " + p.brief(err.Error())
	if errors.Is(err, syscall.ECONNREFUSED) {
		words = "refuses connections: no program serves that address"
	}
	check := fail(name, hint, "the service at %s %s", address, words)
	check.Err = &bench.NoServerError{Address: address, Attempts: 1}
	return &check
}

// ownAddress returns the host and the port of an address on this machine, "" for any other.
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
