package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/hub"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/tempdir"
)

// mostSlots limits the number of tasks that a worker runs at once.
const mostSlots = 1024

var workerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$`)

func workerCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "worker", Usage: "run evaluations for runs on other machines",
		Description: "Takes tasks from every run that uses the hub, until it is interrupted. It needs no\n" +
			"workspace: each run supplies its agents, which get the secrets that they need from the worker's environment.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "hub", Usage: "the `URL` of the hub, such as tls://host:4222"},
			&cli.StringFlag{Name: "creds", Usage: "the credentials `FILE` for workers"},
			&cli.IntFlag{Name: "slots", Usage: "run `N` tasks at once; the number of processors by default"},
			&cli.StringFlag{Name: "name", Usage: "the `NAME` of this worker, unique on the hub; by default the host name and the process ID"},
			&cli.StringFlag{Name: "metrics", Usage: "serve metrics for Prometheus at this `ADDRESS`, such as 9464 or 0.0.0.0:9464; without a host, they can be read only on this machine"},
		}, tlsFlags()...),
		Action: func(c *cli.Context) error { return work(sh, c) },
	}
}

func work(sh *shell, c *cli.Context) error {
	slots := runtime.NumCPU()
	if c.IsSet("slots") {
		if slots = c.Int("slots"); slots < 1 || slots > mostSlots {
			return exit.Errorf(exit.Usage, "", "--slots must be between 1 and %d", mostSlots)
		}
	}
	name := c.String("name")
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if !workerName.MatchString(name) {
		return exit.Errorf(exit.Usage, "use letters and digits, with . _ - between them, at most 80 characters", "--name %q is not a valid worker name", name)
	}
	if c.String("hub") == "" {
		return exit.Errorf(exit.Usage, "evolve worker --hub tls://host:4222; `evolve help workers` describes it", "a worker needs --hub")
	}
	set, err := hubOf(c, workspace.Workers{CA: c.String("tls-ca"), Cert: c.String("tls-cert"), Key: c.String("tls-key")})
	if err != nil {
		return err
	}
	served, err := serveMetrics(sh, c.String("metrics"))
	if err != nil {
		return err
	}
	defer served.Close()
	scratch, err := tempdir.Make("worker")
	if err != nil {
		return fmt.Errorf("creating the folder of the worker: %w", err)
	}
	defer func() { _ = scratch.Remove() }()
	conn, err := sh.ConnectWorker(set, c.String("creds"), name)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, drain, stop := drainContext(sh)
	defer stop()
	heart := bench.NewStallDetector(sh.Now)
	go heart.Run(ctx)
	worker, err := sh.Worker(conn, name, ownBuild().Version, slots, scratch.Path, heart.Lost)
	if err != nil {
		return err
	}
	if served != nil {
		worker.Meter = served
		served.Of(worker.State)
	}
	if !sh.quiet {
		sh.eprintf("worker %s: %s on %s\n", name, count(slots, "slot"), set.Hub)
	}
	traces := startTracing(sh)
	defer endTracing(sh, traces)
	err = worker.Run(drain, traces.Context(ctx))
	switch {
	case errors.Is(err, hub.ErrUnreachable):
		return exit.Errorf(exit.Infrastructure, "`evolve help workers` describes the server and the credentials; after replacing the credentials, restart the worker", "%s: %w", set.Hub, err)
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	}
	return nil
}
