// Package thishost recognises addresses of the machine that evolve runs on, and connections
// that such an address refused because no program listens there.
package thishost

import (
	"errors"
	"net"
	"syscall"
)

// Is reports whether a host name refers to this machine.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Refusing returns the address on this machine that refused the connection, or "" if err
// is not about a refused connection to this machine.
func Refusing(err error) string {
	var dial *net.OpError
	if !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &dial) || dial.Op != "dial" || dial.Addr == nil {
		return ""
	}
	if host, _, err := net.SplitHostPort(dial.Addr.String()); err != nil || !Is(host) {
		return ""
	}
	return dial.Addr.String()
}
