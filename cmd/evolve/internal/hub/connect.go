package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names of evolve's objects on a server.
const (
	workStream    = "EVOLVE_WORK"
	answerStream  = "EVOLVE_ANSWERS"
	workSubject   = "evolve.work."
	answerSubject = "evolve.answer."
	cancelSubject = "evolve.cancel."
	offerBucket   = "evolve_offers"
	workerBucket  = "evolve_workers"
	bundleStore   = "evolve_bundles"
	partStore     = "evolve_parts"
)

// The ages at which a server drops leftover objects.
const (
	// resendAge is how long a server remembers published messages. A message whose receipt
	// is lost is published again within the time of a request, and the server does not
	// store it twice. The server keeps the name of each message for that long: with two
	// minutes, it used 130 MB at 400 tasks a second.
	resendAge = 2 * requestTime
	workAge   = 6 * time.Hour
	answerAge = 24 * time.Hour
	bundleAge = 7 * 24 * time.Hour
	// offerAge is how long an offer lasts unless its run renews it.
	offerAge = 5 * time.Minute
	// presenceAge is how long after its last heartbeat a worker counts as present.
	presenceAge = 30 * time.Second
)

// reconnectWait is the pause between two attempts to reach a server that is gone.
const reconnectWait = 500 * time.Millisecond

// requestTime limits one request to the server.
const requestTime = 10 * time.Second

// Options configure the connection to a server.
type Options struct {
	// URL is one or more addresses such as nats://host:4222, separated by commas.
	URL string
	// Name is shown in the server's monitoring.
	Name string
	// Inbox is the prefix of the subjects on which replies arrive: RunInbox or
	// WorkerInbox.
	Inbox string
	// Creds is the content of a credentials file, which has a JWT and a seed, or only a
	// seed. It is nil if there are no credentials.
	Creds []byte
	// TLS is used if the address begins with tls:// or the server demands it; nil means the
	// system's roots.
	TLS *tls.Config
	// Patience is how long a server may be gone before callers stop waiting for it; 0 means
	// that they wait for ever.
	Patience time.Duration
	Log      *slog.Logger
	Now      func() time.Time
}

// RunInbox and WorkerInbox are different, because jobs and answers are delivered to
// inboxes, and a worker's credentials must not allow it to read the inboxes of a run.
const (
	RunInbox    = "evolve.inbox.run"
	WorkerInbox = "evolve.inbox.worker"
)

// ErrUnreachable marks errors about a server that cannot be reached or that refuses the
// connection.
var ErrUnreachable = errors.New("the hub cannot be used")

// Hub is a connection to a server. It is safe for concurrent use.
type Hub struct {
	o  Options
	nc *nats.Conn
	js jetstream.JetStream

	mu sync.Mutex
	// since is when the connection was lost; it is the zero time while there is a
	// connection.
	since time.Time
	// up is closed while there is a connection.
	up chan struct{}
	// gone is closed while there is no connection.
	gone chan struct{}
	// out is a channel that is closed while the server has been gone for longer than
	// o.Patience.
	out     chan struct{}
	overdue *time.Timer
	// closed is closed when the connection has ended for good; why is the reason.
	closed chan struct{}
	why    error
	// denied is the reason why the server ended a connection that it had accepted. When
	// later attempts to reconnect are refused, the server gives no reason.
	denied error
	// again contains the functions to call after each reconnection.
	again []func()
}

// Connect connects to a server, and restores lost connections automatically. Its error
// wraps ErrUnreachable.
func Connect(ctx context.Context, o Options) (*Hub, error) {
	h := &Hub{o: o, up: make(chan struct{}), gone: make(chan struct{}), out: make(chan struct{}), closed: make(chan struct{})}
	close(h.up)
	opts := []nats.Option{
		nats.Name(o.Name), nats.CustomInboxPrefix(o.Inbox), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.Timeout(requestTime),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { h.lost(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { h.back() }),
		nats.ClosedHandler(func(c *nats.Conn) { h.ended(c.LastError()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			h.deny(err)
			o.Log.Warn("the hub reports an error", "error", err.Error())
		}),
	}
	if len(o.Creds) > 0 {
		identity, err := identify(o.Creds)
		if err != nil {
			return nil, err
		}
		opts = append(opts, identity)
	}
	if o.TLS != nil {
		opts = append(opts, nats.Secure(o.TLS))
	}
	type dialled struct {
		nc  *nats.Conn
		err error
	}
	made := make(chan dialled, 1)
	go func() {
		nc, err := nats.Connect(o.URL, opts...)
		made <- dialled{nc, err}
	}()
	var d dialled
	select {
	case d = <-made:
	case <-ctx.Done():
		go func() {
			if late := <-made; late.nc != nil {
				late.nc.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
	if d.err != nil {
		return nil, unreachable(d.err)
	}
	h.nc = d.nc
	js, err := jetstream.New(d.nc)
	if err != nil {
		d.nc.Close()
		return nil, unreachable(err)
	}
	h.js = js
	return h, nil
}

// unreachable returns the error for a connection that cannot be made or has ended. It does
// not wrap the cause, so that a broken pipe on the connection is not mistaken for a broken
// pipe on the standard output.
func unreachable(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) {
		// A server that requires a client certificate and receives none ends the connection
		// after the client's handshake, and its reason may be lost.
		return fmt.Errorf("%w: the server closed the connection; it may require a client certificate", ErrUnreachable)
	}
	return fmt.Errorf("%w: %s", ErrUnreachable, err.Error())
}

// deny records the reason why the server ends the connection.
func (h *Hub) deny(err error) {
	for _, end := range []error{nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, end) {
			h.mu.Lock()
			h.denied = end
			h.mu.Unlock()
		}
	}
}

// Close ends the connection. Messages published before the call are on the server.
func (h *Hub) Close() { h.nc.Close() }

func (h *Hub) lost(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.since.IsZero() {
		return
	}
	h.since, h.up = h.o.Now(), make(chan struct{})
	close(h.gone)
	if h.o.Patience > 0 {
		out := h.out
		h.overdue = time.AfterFunc(h.o.Patience, func() { close(out) })
	}
	if err != nil && !h.nc.IsClosed() {
		h.o.Log.Warn("the connection to the hub is lost; evolve reconnects when the hub answers", "error", err.Error())
	}
}

func (h *Hub) back() {
	h.mu.Lock()
	away := h.o.Now().Sub(h.since)
	if !h.since.IsZero() {
		h.since, h.gone, h.denied = time.Time{}, make(chan struct{}), nil
		close(h.up)
		if h.overdue != nil && !h.overdue.Stop() {
			h.out = make(chan struct{})
		}
	}
	again := h.again
	h.mu.Unlock()
	h.o.Log.Info("the connection to the hub is restored", "after", away.Round(time.Millisecond).String())
	for _, f := range again {
		go f()
	}
}

func (h *Hub) ended(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(h.denied, nats.ErrAuthExpired):
		err = errors.New("the credentials have expired")
	case h.denied != nil:
		err = h.denied
	case err == nil:
		err = nats.ErrConnectionClosed
	}
	select {
	case <-h.closed:
	default:
		h.why = unreachable(err)
		close(h.closed)
	}
}

// whenBack registers a function that is called after each reconnection.
func (h *Hub) whenBack(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.again = append(h.again, f)
}

// Failed returns a channel that is closed when the connection has ended for good. [Hub.Err]
// then returns the reason.
func (h *Hub) Failed() <-chan struct{} { return h.closed }

// Err returns the reason why the connection has ended, or nil while it has not ended.
func (h *Hub) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.why
}

// down returns a channel that is closed when the connection is lost.
func (h *Hub) down() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone
}

// Overdue returns a channel that is closed when the server has been gone for longer than
// [Options.Patience].
func (h *Hub) Overdue() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.out
}

// errOverdue returns the error for callers that gave up waiting for the server.
func (h *Hub) errOverdue() error {
	return fmt.Errorf("%w: the server has been unreachable for %s", ErrUnreachable, h.o.Patience)
}

// wait waits until there is a connection. It returns an error if ctx or the connection
// ends, or if the server was gone for longer than o.Patience.
func (h *Hub) wait(ctx context.Context) error {
	h.mu.Lock()
	up, out := h.up, h.out
	h.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-up:
		return nil
	default:
	}
	select {
	case <-up:
		return nil
	case <-h.closed:
		return h.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-out:
		return h.errOverdue()
	}
}

// persist calls f until it succeeds or ctx ends. If the server is gone, persist waits for
// it between the calls. While there is a connection, persist returns f's error after
// persistAttempts attempts.
func (h *Hub) persist(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		if err := h.wait(ctx); err != nil {
			return err
		}
		err := f()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if h.connected() {
			if try >= persistAttempts {
				return err
			}
		} else {
			try = 0
		}
		pause := time.NewTimer(reconnectWait)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
	}
}

// persistAttempts limits the attempts at a request while there is a connection. A server
// that has just come back refuses some requests until its streams are ready.
const persistAttempts = 20

// connected reports whether there is a connection.
func (h *Hub) connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since.IsZero()
}

// Setup creates or adjusts the streams, buckets and stores. This requires the credentials
// of a coordinator.
func (h *Hub) Setup(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 3*requestTime)
	defer stop()
	for _, s := range []jetstream.StreamConfig{
		{Name: workStream, Description: "evolve jobs", Subjects: []string{workSubject + "*"}, Retention: jetstream.WorkQueuePolicy, MaxAge: workAge, Duplicates: resendAge},
		{Name: answerStream, Description: "answers for evolve", Subjects: []string{answerSubject + "*"}, Retention: jetstream.WorkQueuePolicy, MaxAge: answerAge, Duplicates: resendAge},
	} {
		if _, err := h.js.CreateOrUpdateStream(ctx, s); err != nil {
			return refused("the stream "+s.Name, err)
		}
	}
	for _, b := range []jetstream.KeyValueConfig{
		{Bucket: offerBucket, Description: "agents of evolve runs in progress", TTL: offerAge},
		{Bucket: workerBucket, Description: "workers of evolve", TTL: presenceAge},
	} {
		if _, err := h.js.CreateOrUpdateKeyValue(ctx, b); err != nil {
			return refused("the bucket "+b.Bucket, err)
		}
	}
	for _, o := range []jetstream.ObjectStoreConfig{
		{Bucket: bundleStore, Description: "evolve folders and jobs", TTL: bundleAge},
		{Bucket: partStore, Description: "large answers for evolve", TTL: answerAge},
	} {
		if _, err := h.js.CreateOrUpdateObjectStore(ctx, o); err != nil {
			return refused("the object store "+o.Bucket, err)
		}
	}
	return nil
}

// refused returns an error that explains why a request about an object on the server
// failed.
func refused(what string, err error) error {
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: JetStream is not enabled on the server or for this account", ErrUnreachable)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: the request about %s timed out; perhaps these credentials do not allow it", ErrUnreachable, what)
	}
	return fmt.Errorf("%w: %s: %w", ErrUnreachable, what, err)
}
