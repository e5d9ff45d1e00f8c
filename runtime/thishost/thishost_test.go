package thishost

import (
	"errors"
	"fmt"
	"net"
	"testing"
)

// TestIs checks which hosts are this machine.
func TestIs(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true, "10.0.0.1": false, "localhost.example": false, "0.0.0.0": false, "": false} {
		if Is(host) != want {
			t.Errorf("Is(%q) is not %v", host, want)
		}
	}
}

// TestRefusing checks that only a refused connection names its address.
func TestRefusing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, refused := net.Dial("tcp", address)
	if got := Refusing(fmt.Errorf("asking: %w", refused)); got != address {
		t.Errorf("%v: the address is %q, want %q", refused, got, address)
	}
	for _, err := range []error{nil, errors.New("connection refused"), &net.OpError{Op: "dial", Err: errors.New("no route")}} {
		if got := Refusing(err); got != "" {
			t.Errorf("%v: the address is %q, want none", err, got)
		}
	}
}
