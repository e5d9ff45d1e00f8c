package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"evolve/runtime/text"
)

// Options are the options of a Server. Source is required.
type Options struct {
	Source Source
	// Decider records decisions; if it is nil, the pages are read-only.
	Decider Decider
	// Name is the workspace's name on the pages.
	Name string
	// Log receives errors that a page cannot show in full; if it is nil, they are not
	// logged.
	Log *slog.Logger
}

// Server serves the pages to a browser that has exchanged the server's token for a cookie.
type Server struct {
	Options
	keys  *keys
	port  int
	pages *pages
	mux   *http.ServeMux
}

// New returns a server for a port. The port distinguishes the server's cookie from those of
// other servers on this machine.
func New(port int, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p, err := newPages()
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, keys: newKeys(), port: port, pages: p, mux: http.NewServeMux()}
	for path, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}": s.nights, "GET /night": s.night, "GET /progress": s.progress, "GET /progress.json": s.progressData,
		"GET /matrix": s.matrix, "GET /window.json": s.window, "GET /variant": s.variant, "GET /compare": s.compare,
		"GET /cell": s.cell, "GET /evaluation": s.evaluation, "GET /proposals": s.proposals, "GET /proposal": s.proposal,
		"GET /style.css": s.asset("text/css; charset=utf-8", p.style), "GET /view.js": s.asset("text/javascript; charset=utf-8", p.script),
		"GET /icon.svg": s.asset("image/svg+xml", p.icon),
	} {
		s.mux.HandleFunc(path, s.handle(serve))
	}
	if o.Decider != nil {
		s.mux.HandleFunc("GET /decide", s.handle(s.question))
		s.mux.HandleFunc("POST /decide", s.handle(s.decide))
	}
	s.mux.HandleFunc("/", s.handle(func(http.ResponseWriter, *http.Request) error { return ErrNotFound }))
	return s, nil
}

// Address returns the address to open, with the token.
func (s *Server) Address() string { return s.address(s.keys.token) }

// Ticket returns an address that can be opened only once. It replaces the previous ticket.
func (s *Server) Ticket() string { return s.address(s.keys.newTicket()) }

func (s *Server) address(token string) string {
	return fmt.Sprintf("http://127.0.0.1:%d/?token=%s", s.port, token)
}

func (s *Server) cookie() string { return fmt.Sprintf("evolve-view-%d", s.port) }

// The maximum sizes of a request's body, header and query, in bytes.
const (
	mostBody   = 64 << 10
	mostHeader = 16 << 10
	mostQuery  = 8 << 10
)

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	switch {
	case !loopback(r.Host):
		s.refuse(w, r, http.StatusMisdirectedRequest, "This server answers only requests to 127.0.0.1 and localhost.")
		return
	case len(r.URL.RawQuery) > mostQuery:
		s.refuse(w, r, http.StatusRequestURITooLong, "The address is too long.")
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead && (s.Decider == nil || r.Method != http.MethodPost):
		w.Header().Set("Allow", "GET, HEAD")
		s.refuse(w, r, http.StatusMethodNotAllowed, "These pages are read-only; to make decisions, start the server with `evolve view --decide`.")
		return
	}
	if token := r.URL.Query().Get("token"); token != "" && r.Method == http.MethodGet {
		s.exchange(w, r, token)
		return
	}
	if c, err := r.Cookie(s.cookie()); err != nil || !equal(c.Value, s.keys.session) {
		s.refuse(w, r, http.StatusUnauthorized, "Open the address that `evolve view` has printed: its token gives this browser access.")
		return
	}
	if r.Method == http.MethodPost && !fromHere(r) {
		s.refuse(w, r, http.StatusForbidden, "The request did not come from a page of this server.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	s.mux.ServeHTTP(w, r)
}

// exchange gives a browser the cookie in exchange for the token, and removes the token from
// the browser's address.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request, token string) {
	if !s.keys.admits(token) {
		s.refuse(w, r, http.StatusUnauthorized, "The token is not valid: open the address that `evolve view` has printed.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.keys.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	left := url.Values{}
	for name, values := range r.URL.Query() {
		if name != "token" {
			left[name] = values
		}
	}
	to := url.URL{Path: "/", RawQuery: left.Encode()}
	if _, pattern := s.mux.Handler(r); pattern != "/" && pattern != "" {
		to.Path = r.URL.Path
	}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// refuse responds with a plain explanation, without showing anything from the archive.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, words string) {
	s.pages.write(w, r, status, "refused", refusedPage{Title: http.StatusText(status), Words: words, Retry: status == http.StatusUnauthorized})
}

// handle returns a handler that serves a page. If that fails, the handler responds with an
// error page.
func (s *Server) handle(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		s.fail(w, r, err)
	}
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, title := http.StatusInternalServerError, "The page could not be created"
	var bad *badRequest
	switch {
	case errors.As(err, &bad):
		status, title = http.StatusBadRequest, "The address is not valid"
	case errors.Is(err, ErrNotFound):
		status, title = http.StatusNotFound, "There is no such page"
	default:
		s.Log.Warn("a page could not be created", "path", r.URL.Path, "error", err)
	}
	s.show(w, r, status, "failed", frame{Title: title}, failedPage{Words: text.Visible(text.Clip(err.Error(), 2000))})
}

// badRequest is the error for an invalid parameter.
type badRequest struct{ words string }

func (e *badRequest) Error() string { return e.words }

func (s *Server) asset(kind string, body []byte) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", kind)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		return nil
	}
}

// Listen listens only on the loopback address; port 0 selects a free port.
func Listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening on the loopback address: %w", err)
	}
	return l, nil
}

// The maximum times for reading a request, for writing the response, for an idle
// connection, and for the last responses when the server ends.
const (
	askTime    = 10 * time.Second
	answerTime = time.Minute
	idleTime   = 2 * time.Minute
	endTime    = 5 * time.Second
)

// Serve answers requests until the context is done. It lets responses that are under way
// finish, and returns the cause of the context.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: askTime, ReadTimeout: askTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: mostHeader, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving the pages: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		_ = server.Close()
	}
	return context.Cause(ctx)
}

// Port returns the port of a listener.
func Port(l net.Listener) (int, error) {
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("%s has no port", l.Addr())
	}
	return at.Port, nil
}
