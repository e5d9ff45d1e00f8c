package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// host acts as another machine on the network. It is a network namespace with one link to
// this machine.
type host struct {
	t *testing.T
	// space is the name of the namespace, and device is the name of the link's end on
	// this machine.
	space, device string
	// here holds the address of the link's end on this machine.
	here string
}

// newHost makes a host, or skips the test if this machine does not allow it.
func newHost(t *testing.T, n int) host {
	t.Helper()
	id := fmt.Sprintf("ev%d-%d", os.Getpid()%100_000, n)
	net := fmt.Sprintf("10.213.%d.", (os.Getpid()*8+n)%250)
	h := host{t, id, id + "a", net + "1"}
	if out, err := exec.Command("ip", "netns", "add", h.space).CombinedOutput(); err != nil {
		t.Skipf("this machine makes no network namespaces: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", h.space).Run() })
	other := id + "b"
	if out, err := exec.Command("ip", "link", "add", h.device, "type", "veth", "peer", "name", other, "netns", h.space).CombinedOutput(); err != nil {
		t.Skipf("this machine makes no links to namespaces: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", h.device).Run() })
	h.ip("addr", "add", h.here+"/24", "dev", h.device)
	h.ip("link", "set", h.device, "up")
	h.ip("-netns", h.space, "addr", "add", net+"2/24", "dev", other)
	h.ip("-netns", h.space, "link", "set", other, "up")
	h.ip("-netns", h.space, "link", "set", "lo", "up")
	return h
}

func (h host) ip(args ...string) {
	h.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		h.t.Fatalf("ip %v: %v %s", args, err, out)
	}
}

// worker starts a worker on the host, in a new, empty place with a copy of the
// environment of p.
func (h host) worker(p place, port int, name string, slots int) *process {
	h.t.Helper()
	p = p.apart()
	cmd := exec.Command("ip", "netns", "exec", h.space, binary, "worker", "--hub", fmt.Sprintf("nats://%s:%d", h.here, port), "--name", name, "--slots", fmt.Sprint(slots))
	cmd.Dir, cmd.Env = p.root, p.env
	return begin(h.t, cmd)
}

// TestWorkersOnHosts checks a run whose workers are on two other hosts. One host is
// disconnected for half of the run, with tasks in progress, and then reconnected. The
// report must be that of a run on one machine, and each task must have one answer.
func TestWorkersOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: run without -short")
	}
	hosts := []host{newHost(t, 0), newHost(t, 1)}
	kind := kindOf("starter")
	want := kind.undisturbed(t)
	h := newHubServer(t)
	h.stop()
	h.opts.Host = "0.0.0.0"
	h.start()
	p := kind.make(t)
	settings := filepath.Join(p.root, "evolve.yaml")
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, append(text, "workers: {ack_wait: 1s}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	p.flags = append(p.flags[:len(p.flags):len(p.flags)], "--hub", fmt.Sprintf("nats://127.0.0.1:%d", h.opts.Port))
	for i, host := range hosts {
		host.worker(p, h.opts.Port, fmt.Sprint("w", i), 4)
	}
	run := p.start(p.night()...)
	if !p.holds(run) {
		t.Fatalf("the run ended: %+v", run.wait())
	}
	recorded := func(n int) {
		t.Helper()
		if !run.until(func() bool {
			v, err := p.look()
			return err == nil && len(v.evaluations) >= n
		}) {
			t.Fatalf("the run ended early: %+v", run.wait())
		}
	}
	recorded(want.evaluations / 4)
	hosts[0].ip("link", "set", hosts[0].device, "down")
	recorded(want.evaluations * 3 / 4)
	hosts[0].ip("link", "set", hosts[0].device, "up")
	r := run.wait()
	if r.code != 0 {
		t.Fatalf("the run ended with %d: %s", r.code, r.stderr)
	}
	if diff := cmp.Diff(want.report, p.report(decodeOutcome(t, r).Run)); diff != "" {
		t.Errorf("another report than on one machine:\n%s", diff)
	}
	if published := fmt.Sprintf("workers: %d tasks published, %[1]d answered", len(p.mustLook().evaluations)); !strings.Contains(r.stderr, published) {
		t.Errorf("stderr lacks %q:\n%s", published, r.stderr)
	}
	if !strings.Contains(r.stderr, "given to another worker") {
		t.Errorf("the loss of the network took no task from a worker:\n%s", r.stderr)
	}
}
