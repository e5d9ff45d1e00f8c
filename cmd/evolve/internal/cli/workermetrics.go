package cli

import (
	"net"
	"strings"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/metrics"
)

// serveMetrics starts serving the metrics of a worker; it returns nil if no address is
// given.
func serveMetrics(sh *shell, address string) (*metrics.Server, error) {
	if address == "" {
		return nil, nil
	}
	at := address
	if !strings.Contains(at, ":") {
		at = ":" + at
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil || port == "" {
		return nil, exit.Errorf(exit.Usage, "write it like 9464, 127.0.0.1:9464 or 0.0.0.0:9464", "--metrics %q is not an address", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var listen net.ListenConfig
	l, err := listen.Listen(sh.Ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "another process may be using the port", "--metrics: %w", err)
	}
	b := ownBuild()
	s := metrics.NewServer(l, b.Version, b.Go)
	if !sh.quiet {
		sh.eprintf("metrics at http://%s/metrics\n", l.Addr())
	}
	return s, nil
}
