package archive

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// dialPatience bounds the wait for a connection to a writer, and answerPatience the wait
// for one answer.
const (
	dialPatience   = 2 * time.Second
	answerPatience = 30 * time.Second
)

// errGone means that the process at the other end has closed or does not answer.
var errGone = errors.New("the process that holds the archive does not answer")

// remote is a read-only engine over a writer's socket. After any transport failure it
// stays unusable.
type remote struct {
	mu   sync.Mutex
	conn net.Conn
	gone error
}

func dialRemote(socket string) (*remote, error) {
	conn, err := net.DialTimeout("unix", socket, dialPatience)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	if err := greet(conn); err != nil {
		conn.Close()
		if errors.Is(err, errWire) {
			return nil, fmt.Errorf("%w: the archive is held by a different version of evolve", ErrNewer)
		}
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return &remote{conn: conn}, nil
}

// ask sends one request and returns the kind and body of the response.
func (r *remote) ask(ctx context.Context, question []byte) (kind byte, body []byte, err error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone != nil {
		return 0, nil, r.gone
	}
	// A context that ends during a response closes the connection: the next bytes could be
	// the rest of that response.
	stop := context.AfterFunc(ctx, func() { _ = r.conn.SetDeadline(time.Unix(1, 0)) })
	tell, err := r.exchange(ctx, question)
	stop()
	if err != nil {
		return 0, nil, r.lost(ctx, err)
	}
	if tell[0] == tellError {
		return 0, nil, toldError(tell[1:])
	}
	return tell[0], tell[1:], nil
}

// lost closes the connection after a transport failure, and returns the error for the
// caller.
func (r *remote) lost(ctx context.Context, err error) error {
	r.gone = fmt.Errorf("%w: %w", errGone, err)
	r.conn.Close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.gone
}

func toldError(text []byte) error {
	return fmt.Errorf("ask the process that holds the archive: %s", text)
}

// exchange sends a request, if there is one, and reads one frame of the response.
func (r *remote) exchange(ctx context.Context, question []byte) ([]byte, error) {
	if err := r.conn.SetDeadline(timeout(answerPatience)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // it may have ended before the deadline was set
		return nil, err
	}
	if question != nil {
		if err := writeFrame(r.conn, question); err != nil {
			return nil, err
		}
	}
	tell, err := readFrame(r.conn, maxTell+maxAsk)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("no answer in %s: %w", answerPatience, err)
	}
	return tell, err
}

// dump reads all pages of one response. A visit that fails closes the connection, because
// the rest of the response is still in transit.
func (r *remote) dump(ctx context.Context, visit func(key, value []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone != nil {
		return r.gone
	}
	stop := context.AfterFunc(ctx, func() { _ = r.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	for question := []byte{askDump}; ; question = nil {
		tell, err := r.exchange(ctx, question)
		if err != nil {
			return r.lost(ctx, err)
		}
		kind, body := tell[0], tell[1:]
		if kind == tellError {
			return toldError(body)
		}
		parts, err := takeAll(body)
		if err != nil || len(parts)%2 != 0 || kind != tellPage && kind != tellLast {
			return r.lost(ctx, errWire)
		}
		for i := 0; i < len(parts); i += 2 {
			if err := visit(parts[i], parts[i+1]); err != nil {
				_ = r.lost(ctx, err)
				return err
			}
		}
		if kind == tellLast {
			return nil
		}
	}
}

func (r *remote) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	question := []byte{askGet}
	for _, k := range keys {
		question = appendBytes(question, k)
	}
	kind, body, err := r.ask(ctx, question)
	if err != nil {
		return nil, err
	}
	if kind != tellValues {
		return nil, errWire
	}
	values := make([][]byte, len(keys))
	for i := range values {
		if len(body) == 0 {
			return nil, errWire
		}
		there := body[0]
		body = body[1:]
		if there == 0 {
			continue
		}
		if values[i], body, err = takeBytes(body); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (r *remote) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	for {
		kind, body, err := r.ask(ctx, appendBytes(appendBytes([]byte{askScan}, prefix), from))
		if err != nil {
			return err
		}
		parts, err := takeAll(body)
		if err != nil || len(parts)%2 != 0 || (kind != tellPage && kind != tellLast) || (kind == tellPage && len(parts) == 0) {
			return errWire
		}
		for i := 0; i < len(parts); i += 2 {
			if err := visit(parts[i], parts[i+1]); err != nil {
				if errors.Is(err, errStop) {
					return nil
				}
				return err
			}
			from = key(parts[i]).next()
		}
		if kind == tellLast {
			return nil
		}
	}
}

func (r *remote) write(*batch) error { return ErrReadOnly }

func (r *remote) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone != nil {
		return nil
	}
	r.gone = errClosed
	return r.conn.Close()
}
