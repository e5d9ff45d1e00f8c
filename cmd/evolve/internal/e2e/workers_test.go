//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"

	"evolve/cmd/evolve/internal/hub/hubtest"
)

// hubServer is a server from which workers take evaluations.
type hubServer struct {
	t    *testing.T
	opts server.Options
	srv  *server.Server
}

func newHubServer(t *testing.T) *hubServer {
	t.Helper()
	h := &hubServer{t: t, opts: *hubtest.Options(t.TempDir())}
	h.start()
	t.Cleanup(h.stop)
	return h
}

func (h *hubServer) start() {
	h.t.Helper()
	o := h.opts
	srv, err := hubtest.Start(&o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.srv, h.opts.Port = srv, srv.Addr().(*net.TCPAddr).Port
}

func (h *hubServer) stop() { hubtest.Stop(h.srv) }

// on returns a copy of the place whose runs use the workers of the hub.
func (h *hubServer) on(p place) place {
	p.flags = append(p.flags[:len(p.flags):len(p.flags)], "--hub", h.srv.ClientURL())
	return p
}

// worker starts a worker that gets the environment variables of the place p.
func (h *hubServer) worker(p place, name string, slots int) *process {
	return p.apart().start("worker", "--hub", h.srv.ClientURL(), "--name", name, "--slots", fmt.Sprint(slots))
}

// apart returns a new, empty place with a copy of p's environment. Processes of the new
// place are not counted among those of p's runs.
func (p place) apart() place {
	p.t.Helper()
	was := markVar + "=" + p.root
	p.root = p.t.TempDir()
	p.env = slices.Clone(p.env)
	p.env[slices.Index(p.env, was)] = markVar + "=" + p.root
	return p
}

// The tests of workers are not parallel: their many processes would take processor time
// from the other tests, whose commands wait only seconds for the archive.

// TestWorkers tests that a run gives the same report on any number of workers as on one
// machine.
func TestWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("long: run without -short")
	}
	for _, kind := range kinds[:5] {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			want := kind.undisturbed(t)
			cases := []struct{ workers, slots int }{{1, 1}, {2, 4}, {4, 16}}
			if kind.name == "tiny" {
				cases = append(cases, struct{ workers, slots int }{64, 1})
			}
			for _, c := range cases {
				h := newHubServer(t)
				p := h.on(kind.make(t))
				for n := range c.workers {
					h.worker(p, fmt.Sprint("w", n), c.slots)
				}
				r := p.do(0, p.night()...)
				if diff := cmp.Diff(want.report, p.report(decodeOutcome(t, r).Run)); diff != "" {
					t.Errorf("%d workers with %d slots make another report:\n%s", c.workers, c.slots, diff)
				}
				if published := fmt.Sprintf("workers: %d tasks published, %[1]d answered\n", len(p.mustLook().evaluations)); !strings.Contains(r.stderr, published) {
					t.Errorf("%d workers with %d slots: stderr lacks %q\n%s", c.workers, c.slots, published, r.stderr)
				}
			}
		})
	}
}

// TestWorkerFolders checks that the next worker removes the temporary folder of a worker
// that was killed with signal 9, and leaves the folder of a live worker.
func TestWorkerFolders(t *testing.T) {
	t.Parallel()
	h, p := newHubServer(t), tiny(t)
	temp := t.TempDir()
	p.env = append(p.env, "TMPDIR="+temp)
	folders := func() []string {
		list, err := filepath.Glob(filepath.Join(temp, "*worker*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var all []string
	begin := func(name string) *process {
		w := h.worker(p, name, 1)
		if !w.until(func() bool {
			new := slices.DeleteFunc(folders(), func(f string) bool { return slices.Contains(all, f) })
			all = append(all, new...)
			return len(new) == 1
		}) {
			t.Fatalf("the worker ended: %+v", w.wait())
		}
		return w
	}
	begin("living")
	begin("dead").kill()
	if left := folders(); len(left) != 2 {
		t.Fatalf("the killed worker left nothing: %v", left)
	}
	begin("next")
	if diff := cmp.Diff([]string{all[0], all[2]}, folders(), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("the folders: %s", diff)
	}
}

// TestWorkersKilled kills workers, runs and the server of a hub with signal 9 at random
// points. Nothing that was recorded is lost or repeated, and the report equals that of an
// undisturbed run on one machine.
func TestWorkersKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long: run without -short")
	}
	random := rand.New(rand.NewPCG(11, 1))
	for n := range max(3, points(t)/4) {
		kind := kinds[1+n%3]
		t.Run(kind.name+fmt.Sprint(n), func(t *testing.T) {
			want := kind.undisturbed(t)
			h := newHubServer(t)
			p := h.on(kind.make(t))
			var mu sync.Mutex
			crew := []*process{h.worker(p, "a0", 2), h.worker(p, "b0", 2)}
			over := make(chan struct{})
			var killing sync.WaitGroup
			killing.Add(1)
			seeds := [2]uint64{random.Uint64(), random.Uint64()}
			go func() { // one worker after another is killed and replaced
				defer killing.Done()
				own := rand.New(rand.NewPCG(seeds[0], seeds[1]))
				for i := 1; ; i++ {
					select {
					case <-over:
						return
					case <-time.After(time.Duration(own.Int64N(int64(time.Second)))):
					}
					mu.Lock()
					at := own.IntN(len(crew))
					crew[at].kill()
					crew[at] = h.worker(p, fmt.Sprint("k", i), 2)
					mu.Unlock()
				}
			}()
			batter(t, p, want, random, 2, func(string) {
				h.stop()
				h.start()
			})
			close(over)
			killing.Wait()
		})
	}
}
