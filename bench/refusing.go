package bench

import (
	"fmt"
	"sync"
)

// NoServerError is an outage caused by an address on this machine at which no program
// accepts connections. It wraps ErrOutage.
type NoServerError struct {
	// Address is the host and the port.
	Address string
	// Attempts is the number of refused connections.
	Attempts int
}

func (e *NoServerError) Error() string {
	return fmt.Sprintf("connection refused by %s: no program listens on that address; each of the first %d attempts was refused", e.Address, e.Attempts)
}

// Unwrap returns the outage.
func (e *NoServerError) Unwrap() error { return ErrOutage }

// refusals counts the connections that a server on this machine refused before anything was
// scored. It is safe for concurrent use.
type refusals struct {
	mu     sync.Mutex
	inARow int
	worked bool
}

// starting reports whether nothing has been scored yet.
func (r *refusals) starting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.worked
}

// note counts an attempt; address is the address that refused the attempt's connection,
// or "" if the connection was not refused. If no attempt has scored yet, it returns an
// outage once the number of consecutive refusals reaches the given limit, so a server
// that is still starting has the time of that many attempts.
func (r *refusals) note(address string, scored bool, most int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worked = r.worked || scored; r.worked || address == "" {
		r.inARow = 0
		return nil
	}
	if r.inARow++; r.inARow < most {
		return nil
	}
	return &NoServerError{Address: address, Attempts: r.inARow}
}
