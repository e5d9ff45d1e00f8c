package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"evolve/runtime/tempdir"
)

// maxReaders limits the number of readers at any time, acceptAnswer limits the time that a
// reader may take to accept an answer, and readerSilence limits the time that a reader may
// be idle.
const (
	maxReaders    = 64
	acceptAnswer  = 10 * time.Second
	readerSilence = 10 * time.Minute
)

// server answers the requests of reading processes with records from an engine.
type server struct {
	store    engine
	listener net.Listener
	folder   *tempdir.Folder // folder of the socket; nil if the socket is beside the archive

	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// serve listens beside the archive in dir. If the path is too long for a socket or the
// file system supports none, it listens in a private temporary folder.
func serve(store engine, dir string) (*server, error) {
	s := &server{store: store, conns: make(map[net.Conn]bool)}
	listener, err := listen(filepath.Join(dir, socketName))
	if err != nil {
		var err2 error
		if s.folder, err2 = tempdir.Make("socket"); err2 != nil {
			return nil, fmt.Errorf("serve readers: %w", errors.Join(err, err2))
		}
		if listener, err2 = listen(filepath.Join(s.folder.Path, socketName)); err2 != nil {
			return nil, fmt.Errorf("serve readers: %w", errors.Join(err, err2, s.folder.Remove()))
		}
	}
	s.listener = listener
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wait.Add(1)
	go s.accept()
	return s, nil
}

// listen opens a socket with mode 0600, replacing a socket that a dead process left behind.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (s *server) path() string { return s.listener.Addr().String() }

func (s *server) close() error {
	s.cancel()
	err := s.listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close() // a reader that loses its response reconnects
	}
	s.mu.Unlock()
	s.wait.Wait()
	if s.folder != nil {
		err = errors.Join(err, s.folder.Remove())
	}
	return err
}

func (s *server) accept() {
	defer s.wait.Done()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Accepting a connection usually fails because no file descriptors are left.
			// Readers then wait, and the writer continues.
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
				continue
			}
		}
		if !s.admit(conn) {
			conn.Close()
		}
	}
}

// admit starts answering a reader, unless there are too many or the server is closing.
func (s *server) admit(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || len(s.conns) >= maxReaders {
		return false
	}
	s.conns[conn] = true
	s.wait.Add(1)
	go func() {
		defer s.wait.Done()
		s.answerAll(conn)
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
		conn.Close()
	}()
	return true
}

// answerAll answers a reader until it disconnects, breaks the protocol or stalls.
func (s *server) answerAll(conn net.Conn) {
	if err := handshake(conn, acceptAnswer); err != nil {
		return
	}
	for {
		if err := conn.SetReadDeadline(timeout(readerSilence)); err != nil {
			return
		}
		request, err := readFrame(conn, maxRequest)
		if err != nil {
			return
		}
		response, err := s.answer(conn, request)
		if s.ctx.Err() != nil {
			return // do not send the error of closing: the reader continues elsewhere
		}
		if err != nil {
			response = append([]byte{responseError}, err.Error()...)
		}
		if err := sendFrame(conn, response); err != nil {
			return
		}
	}
}

// sendFrame sends an answer, with a deadline for the reader to accept it.
func sendFrame(conn net.Conn, response []byte) error {
	if err := conn.SetWriteDeadline(timeout(acceptAnswer)); err != nil {
		return err
	}
	return writeFrame(conn, response)
}

// handshake exchanges greetings, which are the same in both directions. It fails if they
// take longer than the constant most.
func handshake(conn net.Conn, most time.Duration) error {
	if err := conn.SetDeadline(timeout(most)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, greeting); err != nil {
		return err
	}
	got := make([]byte, len(greeting))
	if _, err := io.ReadFull(conn, got); err != nil {
		return err
	}
	if string(got) != greeting {
		return errWire
	}
	return conn.SetDeadline(time.Time{})
}

// answer handles a request. It sends every frame of the response but the last, which it
// returns.
func (s *server) answer(conn net.Conn, request []byte) ([]byte, error) {
	parts, err := cutAll(request[1:])
	if err != nil {
		return nil, err
	}
	switch {
	case request[0] == requestGet:
		return s.values(parts)
	case request[0] == requestScan && len(parts) == 2:
		return s.page(parts[0], parts[1])
	case request[0] == requestDump && len(parts) == 0:
		return s.dump(conn)
	}
	return nil, errWire
}

func (s *server) values(keys [][]byte) ([]byte, error) {
	values, err := s.store.get(s.ctx, keys...)
	if err != nil {
		return nil, err
	}
	response := []byte{responseValues}
	for _, v := range values {
		if v == nil {
			response = append(response, 0)
			continue
		}
		response = appendBytes(append(response, 1), v)
		if len(response) > maxResponse {
			return nil, errors.New("the answer is too large")
		}
	}
	return response, nil
}

func (s *server) page(prefix, from []byte) ([]byte, error) {
	response := make([]byte, 1, pageBytes+pageBytes/8)
	response[0] = responseLast
	err := s.store.scan(s.ctx, prefix, from, func(k, v []byte) error {
		if len(response) > pageBytes {
			response[0] = responsePage
			return errStop
		}
		response = appendBytes(appendBytes(response, k), v)
		return nil
	})
	return response, err
}

// dump sends every page but the last, which it returns.
func (s *server) dump(conn net.Conn) ([]byte, error) {
	response := append(make([]byte, 0, pageBytes+pageBytes/8), responsePage)
	err := s.store.dump(s.ctx, func(k, v []byte) error {
		if len(response) > pageBytes {
			if err := sendFrame(conn, response); err != nil {
				return err
			}
			response = response[:1]
		}
		response = appendBytes(appendBytes(response, k), v)
		return nil
	})
	response[0] = responseLast
	return response, err
}
