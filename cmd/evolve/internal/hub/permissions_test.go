package hub

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// restricted is a server with the users that the manual describes.
type restricted struct {
	url         string
	run, worker []byte // seeds
}

// newRestricted starts a server with the configuration that the manual shows.
func newRestricted(t *testing.T) *restricted {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "cli", "help", "workers.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n    jetstream {")
	if !found {
		t.Fatal("the manual shows no configuration of the server")
	}
	fragment, _, _ := strings.Cut("jetstream {"+rest, "\n\n")
	g := new(restricted)
	replace := []string{"/var/lib/nats", t.TempDir()}
	for name, seed := range map[string]*[]byte{"PUBLIC_KEY_OF_RUNS": &g.run, "PUBLIC_KEY_OF_WORKERS": &g.worker} {
		key, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		public, err := key.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		if *seed, err = key.Seed(); err != nil {
			t.Fatal(err)
		}
		if strings.Count(fragment, name) != 1 {
			t.Fatalf("the manual's configuration has not one %s:\n%s", name, fragment)
		}
		replace = append(replace, name, public)
	}
	conf := filepath.Join(t.TempDir(), "nats.conf")
	write(t, conf, "listen: \"127.0.0.1:-1\"\n"+strings.NewReplacer(replace...).Replace(fragment))
	opts, err := server.ProcessConfigFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := hubtest.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hubtest.Stop(srv) })
	g.url = fmt.Sprintf("nats://127.0.0.1:%d", srv.Addr().(*net.TCPAddr).Port)
	return g
}

// connect connects a run or a worker. What the server refuses is sent on the channel.
func (g *restricted) connect(t *testing.T, inbox string, seed []byte) (*Hub, <-chan string) {
	t.Helper()
	refused := make(refusals, 1000)
	h, err := Connect(t.Context(), Options{
		URL: g.url, Name: inbox, Inbox: inbox, Creds: seed, Patience: time.Minute, Now: time.Now, Log: slog.New(refused),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h, refused
}

// refusals are the additional errors that a connection reports.
type refusals chan string

func (refusals) Enabled(context.Context, slog.Level) bool { return true }
func (r refusals) WithAttrs([]slog.Attr) slog.Handler     { return r }
func (r refusals) WithGroup(string) slog.Handler          { return r }

func (r refusals) Handle(_ context.Context, rec slog.Record) error {
	rec.Attrs(func(a slog.Attr) bool {
		if strings.Contains(a.Value.String(), "ermission") {
			r <- a.Value.String()
		}
		return true
	})
	return nil
}

// calm checks that the server refuses nothing to any side.
func calm(t *testing.T, sides ...<-chan string) {
	t.Helper()
	for _, refused := range sides {
		for len(refused) > 0 {
			t.Error(<-refused)
		}
	}
}

// The content that a worker must not be able to find by reading the store with its
// credentials.
const (
	secretFixture = "the fixture of a task"
	secretBundle  = "the folder of an agent"
)

// tree packs a folder that contains one file.
func tree(t *testing.T, content string) []byte {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), content)
	data, err := Pack(dir)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// copying returns an agent that copies a file in its folder, calls a provider and answers
// with the task's goal.
func copying(t *testing.T, book policy.Book) func(context.Context, agent.Request) agent.Result {
	call := calling(t, book, func(context.Context, int) (policy.Spent, error) { return policy.Spent{Tokens: 1}, nil })
	return func(ctx context.Context, req agent.Request) agent.Result {
		if req.Workdir != "" {
			in, err := os.ReadFile(filepath.Join(req.Workdir, "in.txt"))
			if err != nil {
				return agent.Result{Outcome: agent.Execution, Error: err.Error()}
			}
			if err := os.WriteFile(filepath.Join(req.Workdir, "out.txt"), in, 0o600); err != nil {
				return agent.Result{Outcome: agent.Execution, Error: err.Error()}
			}
		}
		res := call(ctx, req)
		res.Answer = &req.Task.Goal
		return res
	}
}

// TestLeastPermissions tests that the permissions in the manual are enough for everything
// that a run and a worker do.
func TestLeastPermissions(t *testing.T) {
	g := newRestricted(t)
	run, refusedRun := g.connect(t, RunInbox, g.run)
	side, refusedWorker := g.connect(t, WorkerInbox, g.worker)
	defer calm(t, refusedRun, refusedWorker)
	book := policy.Book{Providers: map[string]policy.Settings{"remote": {Concurrency: 1}}}
	guard, err := policy.New(policy.Options{Book: book})
	if err != nil {
		t.Fatal(err)
	}
	// The bundle is larger than what a consumer sends before it waits for a receipt.
	bundle := tree(t, strings.Repeat(secretBundle, 6<<20/len(secretBundle)))
	r, err := run.Offer(t.Context(), offer(), bundle, []byte("key"), guard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	ctx, cancel := context.WithCancel(t.Context())
	published := make(chan agent.Result)
	go func() { published <- r.Run(evaluating(ctx, 0), request(0)) }()
	for r.Stats().Published == 0 { // no worker is there
		time.Sleep(time.Millisecond)
	}
	cancel() // which removes the task from the queue
	<-published
	(&world{t: t}).workOn(side, &Worker{Name: "w", Binary: program, Slots: 2}, copying(t, book))
	req := request(1)
	req.Workdir, req.Task.Goal = t.TempDir(), strings.Repeat("goal", inlined)
	content := strings.Repeat(secretFixture, 2<<20/len(secretFixture))
	write(t, filepath.Join(req.Workdir, "in.txt"), content)
	if res := r.Run(evaluating(t.Context(), 1), req); res.Outcome != agent.OK || *res.Answer != req.Task.Goal || res.Usage.Iterations != 1 {
		t.Fatalf("ended with %s: %s", res.Outcome, res.Error)
	}
	if out, err := os.ReadFile(filepath.Join(req.Workdir, "out.txt")); err != nil || string(out) != content {
		t.Errorf("the folder came back with %d bytes, %v", len(out), err)
	}
	r.Recorded(1)
	r.recover(t.Context())
	if _, err := run.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	run.Close() // as a kill does
	resumed, refusedResumed := g.connect(t, RunInbox, g.run)
	defer calm(t, refusedResumed)
	resumed.o.Now = func() time.Time { return time.Now().Add(bundleAge * 3 / 4) } // the bundle is stored again
	again, err := resumed.Offer(t.Context(), offer(), bundle, []byte("key"), guard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	if res := again.Run(evaluating(t.Context(), 2), request(2)); res.Outcome != agent.OK {
		t.Errorf("ended with %s: %s", res.Outcome, res.Error)
	}
}

// TestNothingElseIsPermitted tests what the credentials of a worker do not allow, and
// what the credentials of a run do not allow.
func TestNothingElseIsPermitted(t *testing.T) {
	g := newRestricted(t)
	run, refusedRun := g.connect(t, RunInbox, g.run)
	r, err := run.Offer(t.Context(), offer(), nil, []byte("key"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	calm(t, refusedRun)
	worker, refusedWorker := g.connect(t, WorkerInbox, g.worker)
	for side, c := range map[string]struct {
		hub                *Hub
		refused            <-chan string
		publish, subscribe []string
	}{
		"worker": {worker, refusedWorker, workersMayNot(r), []string{
			">", "evolve.>", "evolve.work.*", workSubject + r.token, "evolve.answer.*", "evolve.lease.*", "evolve.inbox.>", "evolve.inbox.run.>", "_INBOX.>", "$KV.>", "$O.>", "$JS.>",
		}},
		"run": {run, refusedRun, []string{
			"evolve.answer.x", "evolve.lease.x", "$KV.evolve_workers.x", "$O.evolve_parts.C.x", "$JS.API.STREAM.CREATE.OTHER", "$JS.API.STREAM.DELETE.EVOLVE_WORK", "$JS.API.STREAM.NAMES",
			"$JS.API.STREAM.MSG.GET.EVOLVE_ANSWERS", "$JS.API.STREAM.PURGE.EVOLVE_ANSWERS", "$JS.API.CONSUMER.MSG.NEXT.EVOLVE_WORK.x", "$SYS.REQ.SERVER.PING",
		}, []string{">", "evolve.>", "evolve.work.*", "evolve.answer.*", "evolve.inbox.worker.>", "$KV.>", "$O.>", "$JS.>"}},
	} {
		for _, subject := range c.publish {
			if err := c.hub.nc.PublishRequest(subject, c.hub.nc.NewInbox(), []byte("{}")); err != nil {
				t.Fatal(err)
			}
			expectRefusal(t, c.hub, c.refused, side+" publishes to "+subject)
		}
		for _, subject := range c.subscribe {
			if _, err := c.hub.nc.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			expectRefusal(t, c.hub, c.refused, side+" subscribes to "+subject)
		}
	}
}

// workersMayNot lists subjects that a worker must not publish to.
func workersMayNot(r *Remote) []string {
	list := []string{
		workSubject + r.token, cancelSubject + r.token, RunInbox + ".x", WorkerInbox + ".x",
		"$KV.evolve_offers." + r.token, "$O.evolve_bundles.C.x", "$O.evolve_bundles.M.x",
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.OTHER",
		"$JS.ACK.EVOLVE_ANSWERS." + r.answers + ".1.1.1.1.0",
		"$JS.API.STREAM.INFO.EVOLVE_WORK", "$JS.API.STREAM.INFO.EVOLVE_ANSWERS",
		"$JS.API.CONSUMER.DELETE.EVOLVE_WORK." + r.offer.Queue, "$JS.API.CONSUMER.PAUSE.EVOLVE_WORK." + r.offer.Queue,
		"$JS.API.CONSUMER.NAMES.EVOLVE_WORK", "$JS.API.CONSUMER.LIST.EVOLVE_WORK",
		"$JS.API.CONSUMER.MSG.NEXT.EVOLVE_ANSWERS." + r.answers, "$JS.API.CONSUMER.INFO.EVOLVE_ANSWERS." + r.answers,
		// If the subject has no filter, the request's body determines what the consumer
		// reads.
		"$JS.API.CONSUMER.CREATE.KV_evolve_offers.x", "$JS.API.CONSUMER.CREATE.KV_evolve_offers",
	}
	for _, stream := range []string{workStream, answerStream, "KV_evolve_offers", "KV_evolve_workers", "OBJ_evolve_bundles", "OBJ_evolve_parts"} {
		for _, verb := range []string{"CREATE", "UPDATE", "DELETE", "PURGE", "MSG.GET", "MSG.DELETE", "SNAPSHOT", "RESTORE"} {
			list = append(list, "$JS.API.STREAM."+verb+"."+stream)
		}
		list = append(list, "$JS.API.DIRECT.GET."+stream)
		if stream != "KV_evolve_offers" {
			list = append(list, "$JS.API.DIRECT.GET."+stream+".x", "$JS.API.CONSUMER.CREATE."+stream, "$JS.API.CONSUMER.CREATE."+stream+".x", "$JS.API.CONSUMER.CREATE."+stream+".x.evolve.work.x",
				"$JS.API.CONSUMER.CREATE."+stream+".x.evolve.answer.x", "$JS.API.CONSUMER.DURABLE.CREATE."+stream+".x")
		}
	}
	return list
}

// expectRefusal checks that the server has refused the last message.
func expectRefusal(t *testing.T, h *Hub, refused <-chan string, what string) {
	t.Helper()
	if err := h.nc.Flush(); err != nil { // the server sends a refusal before it answers the flush
		t.Fatal(err)
	}
	subject := what[strings.LastIndex(what, " ")+1:]
	select {
	case s := <-refused:
		if !strings.Contains(s, fmt.Sprintf("%q", subject)) {
			t.Errorf("%s: the server refuses %s", what, s)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s: the server does not refuse it", what)
	}
}

// TestStoreIsSealed tests that a worker that reads the whole store, as its credentials
// allow, finds no task content in it.
func TestStoreIsSealed(t *testing.T) {
	g := newRestricted(t)
	run, _ := g.connect(t, RunInbox, g.run)
	r, err := run.Offer(t.Context(), offer(), tree(t, secretBundle), []byte("key"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	content := tree(t, secretFixture)
	digest, err := r.bundles.Put(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	worker, refused := g.connect(t, WorkerInbox, g.worker)
	defer calm(t, refused)
	js, err := worker.nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	sub, err := js.SubscribeSync("$O.evolve_bundles.C.*", nats.OrderedConsumer(), nats.BindStream("OBJ_evolve_bundles"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, err := sub.NextMsg(5 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{secretFixture, secretBundle, digest} {
			if strings.Contains(string(m.Data), secret) {
				t.Errorf("a worker without a job reads %q", secret)
			}
		}
	}
	if got, err := worker.blobs(bundleStore, bundleAge).Get(t.Context(), digest); err != nil || string(got) != string(content) {
		t.Errorf("with its digest, the content is %d bytes, %v", len(got), err)
	}
}
