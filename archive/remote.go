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

// dialPatience limits the wait for a connection to a writer, and answerPatience limits the
// wait for one answer.
const (
	dialPatience   = 2 * time.Second
	answerPatience = 30 * time.Second
)

// errDisconnected means that the process at the other end has closed or does not answer.
var errDisconnected = errors.New("the process that has the archive open does not answer")

// remote is a read-only engine over a writer's socket. After any transport failure it
// stays unusable.
type remote struct {
	mu   sync.Mutex
	conn net.Conn
	err  error
}

// dialRemote connects to the writer's socket. It waits for the first answer for at most
// the given duration (most).
func dialRemote(socket string, most time.Duration) (*remote, error) {
	conn, err := net.DialTimeout("unix", socket, min(dialPatience, most))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDisconnected, err)
	}
	if err := handshake(conn, most); err != nil {
		conn.Close()
		if errors.Is(err, errWire) {
			return nil, fmt.Errorf("%w: a process of a different version of evolve has the archive open", ErrNewer)
		}
		return nil, fmt.Errorf("%w: %w", errDisconnected, err)
	}
	return &remote{conn: conn}, nil
}

// request sends one request and returns the kind and body of the response.
func (r *remote) request(ctx context.Context, request []byte) (kind byte, body []byte, err error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, nil, r.err
	}
	// If ctx ends during a response, the connection is closed, because the next bytes on it
	// could be the rest of that response.
	stop := context.AfterFunc(ctx, func() { _ = r.conn.SetDeadline(time.Unix(1, 0)) })
	response, err := r.exchange(ctx, request)
	stop()
	if err != nil {
		return 0, nil, r.disconnect(ctx, err)
	}
	if response[0] == responseError {
		return 0, nil, remoteError(response[1:])
	}
	return response[0], response[1:], nil
}

// disconnect closes the connection after a transport failure, and returns the error for the
// caller.
func (r *remote) disconnect(ctx context.Context, err error) error {
	r.err = fmt.Errorf("%w: %w", errDisconnected, err)
	r.conn.Close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.err
}

func remoteError(text []byte) error {
	return fmt.Errorf("the process that has the archive open returned an error: %s", text)
}

// exchange sends a request, if one is given, and reads one frame of the response.
func (r *remote) exchange(ctx context.Context, request []byte) ([]byte, error) {
	if err := r.conn.SetDeadline(timeout(answerPatience)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // the context may have ended before the deadline was set
		return nil, err
	}
	if request != nil {
		if err := writeFrame(r.conn, request); err != nil {
			return nil, err
		}
	}
	response, err := readFrame(r.conn, maxResponse+maxRequest)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("no answer within %s: %w", answerPatience, err)
	}
	return response, err
}

// dump reads all pages of one response. A visit that fails closes the connection, because
// the rest of the response is still in transit.
func (r *remote) dump(ctx context.Context, visit func(key, value []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	stop := context.AfterFunc(ctx, func() { _ = r.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	for request := []byte{requestDump}; ; request = nil {
		response, err := r.exchange(ctx, request)
		if err != nil {
			return r.disconnect(ctx, err)
		}
		kind, body := response[0], response[1:]
		if kind == responseError {
			return remoteError(body)
		}
		parts, err := cutAll(body)
		if err != nil || len(parts)%2 != 0 || kind != responsePage && kind != responseLast {
			return r.disconnect(ctx, errWire)
		}
		for i := 0; i < len(parts); i += 2 {
			if err := visit(parts[i], parts[i+1]); err != nil {
				_ = r.disconnect(ctx, err)
				return err
			}
		}
		if kind == responseLast {
			return nil
		}
	}
}

func (r *remote) get(ctx context.Context, keys ...[]byte) ([][]byte, error) {
	request := []byte{requestGet}
	for _, k := range keys {
		request = appendBytes(request, k)
	}
	kind, body, err := r.request(ctx, request)
	if err != nil {
		return nil, err
	}
	if kind != responseValues {
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
		if values[i], body, err = cutBytes(body); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (r *remote) scan(ctx context.Context, prefix, from []byte, visit func(key, value []byte) error) error {
	for {
		kind, body, err := r.request(ctx, appendBytes(appendBytes([]byte{requestScan}, prefix), from))
		if err != nil {
			return err
		}
		parts, err := cutAll(body)
		if err != nil || len(parts)%2 != 0 || (kind != responsePage && kind != responseLast) || (kind == responsePage && len(parts) == 0) {
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
		if kind == responseLast {
			return nil
		}
	}
}

func (r *remote) write(*batch) error { return ErrReadOnly }

func (r *remote) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil
	}
	r.err = errClosed
	return r.conn.Close()
}
