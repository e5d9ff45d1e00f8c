package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/runtime/agent"
)

// roleVar is the environment variable that makes this test binary run as a process in a
// test's world.
const roleVar = "EVOLVE_HUB_ROLE"

// The roles of a child process. In each role, the process ends when its parent ends,
// because the parent holds its standard input.
const (
	serverRole = "server" // FOLDER PORT: prints its address and, for each line of input, what it has carried
	workerRole = "worker" // URL FOLDER: prints a line for each task that begins, and answers the task on a line of input
	crowdRole  = "crowd"  // URL FOLDER WORKERS SLOTS DURATION: prints a line when all are connected
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case serverRole:
		err = beServer(os.Args[1], os.Args[2])
	case workerRole:
		err = beWorker(os.Args[1], os.Args[2])
	case crowdRole:
		err = beCrowd(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func beServer(dir, port string) error {
	o := hubtest.Options(dir)
	if port != "" {
		var err error
		if o.Port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	srv, err := hubtest.Start(o)
	if err != nil {
		return err
	}
	fmt.Println(srv.ClientURL())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		v, err := srv.Varz(nil)
		if err != nil {
			return err
		}
		fmt.Println(v.InMsgs, v.OutMsgs)
	}
	return nil
}

func beWorker(url, dir string) error {
	in := bufio.NewScanner(os.Stdin)
	k := &Worker{Name: "child", Binary: program, Slots: 1}
	return servingAt(url, dir, k, func(ctx context.Context, req agent.Request) agent.Result {
		fmt.Println("begun")
		if !in.Scan() {
			os.Exit(0)
		}
		return echo(ctx, req)
	})
}

// servingAt connects a worker and runs it until the connection ends.
func servingAt(url, dir string, k *Worker, do doing) error {
	h, err := Connect(context.Background(), Options{URL: url, Name: k.Name, Inbox: WorkerInbox, Log: dbgLog, Now: time.Now})
	if err != nil {
		return err
	}
	equip(k, h, dir, do)
	return k.Run(context.Background(), context.Background())
}

// beCrowd runs many workers with a connection each, whose tasks take wall-clock time but no
// processor time. The first task in each slot ends at a random moment of that time, as in a
// crowd that has been working for long.
func beCrowd(url, dir, workers, slots, duration string) error {
	n, errN := strconv.Atoi(workers)
	each, errSlots := strconv.Atoi(slots)
	took, errTook := time.ParseDuration(duration)
	if err := errors.Join(errN, errSlots, errTook); err != nil {
		return err
	}
	failed := make(chan error, n)
	for i := range n {
		own := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		var mu sync.Mutex
		first := each
		k := &Worker{Name: fmt.Sprint("crowd-", i), Binary: program, Slots: each}
		go func() {
			failed <- servingAt(url, own, k, func(ctx context.Context, req agent.Request) agent.Result {
				mu.Lock()
				wait := took
				if first > 0 {
					wait = took * time.Duration(i*each+first) / time.Duration(n*each)
					first--
				}
				mu.Unlock()
				pause(ctx, wait)
				return echo(ctx, req)
			})
		}()
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		failed <- nil
	}()
	return <-failed
}

// child is a process in a test's world.
type child struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// begin starts this test binary in a role. The process is killed at the end of the test.
func begin(t testing.TB, role string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), roleVar+"="+role), os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	c := &child{t, cmd, in, bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	return c
}

// kill ends the process with signal 9.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// tell writes a line to the process.
func (c *child) tell() {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in); err != nil {
		c.t.Fatal(err)
	}
}

// line waits for a line from the process.
func (c *child) line() string {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatal("the process has ended: ", c.out.Err())
	}
	return c.out.Text()
}

// apart is a world whose server is a separate process.
type apart struct {
	world
	dir, port string
	server    *child
}

func newApart(t testing.TB) *apart {
	t.Helper()
	w := &apart{world: world{t: t}, dir: t.TempDir()}
	w.start()
	return w
}

// start starts the server. After a kill it uses the same port and folder.
func (w *apart) start() {
	w.t.Helper()
	w.server = begin(w.t, serverRole, w.dir, w.port)
	w.url = w.server.line()
	u, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	w.port = u.Port()
}
