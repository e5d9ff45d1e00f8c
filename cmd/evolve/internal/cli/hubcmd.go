package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/hub"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/text"
)

func hubCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "hub", Usage: "the server that workers take evaluations from",
		Subcommands: []*cli.Command{{
			Name: "check", Usage: "test the hub named by evolve.yaml or --hub, and list its workers",
			Description: "Outside a workspace, this command needs --hub, and --creds if the hub requires credentials.",
			Flags: append([]cli.Flag{
				hubFlag(),
				&cli.StringFlag{Name: "creds", Usage: "the credentials `FILE` for runs, used instead of workers.creds_env"},
			}, tlsFlags()...),
			Action: func(c *cli.Context) error {
				root, set, err := hubSettings(sh, c)
				if err != nil {
					return err
				}
				report, err := checkHub(c.Context, sh, root, set, c.String("creds"))
				if err != nil {
					return err
				}
				return sh.show(report, func() { printHub(sh, set.Hub, report) })
			},
		}},
	}
}

// hubSettings returns the workspace's root and hub settings or, if there is no workspace,
// the hub settings from the command line.
func hubSettings(sh *shell, c *cli.Context) (root string, set workspace.Workers, err error) {
	if _, none := workspace.Find(sh.dir); none == nil || c.String("workspace") != "" || !c.IsSet("hub") {
		if root, err = sh.root(c); err != nil {
			return "", set, err
		}
		w, err := wire.Load(root)
		if err != nil {
			return "", set, err
		}
		set = w.Settings.Workers
	}
	for flag, at := range map[string]*string{"tls-ca": &set.CA, "tls-cert": &set.Cert, "tls-key": &set.Key} {
		if c.IsSet(flag) {
			*at = sh.abs(c.String(flag))
		}
	}
	if set, err = hubOf(c, set); err == nil && set.Hub == "" {
		err = exit.Errorf(exit.Usage, "`evolve help workers` describes the settings of a hub", "evolve.yaml names no hub under workers")
	}
	return root, set, err
}

// tlsFlags returns the flags that configure a TLS connection.
func tlsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tls-ca", Usage: "the `FILE` with the CA certificates that verify the server's certificate"},
		&cli.StringFlag{Name: "tls-cert", Usage: "the `FILE` with the client certificate that the server demands"},
		&cli.StringFlag{Name: "tls-key", Usage: "the `FILE` with the client certificate's private key"},
	}
}

// checkHub tries to use a hub with the credentials of a run, which come from a file or from
// the settings.
func checkHub(ctx context.Context, sh *shell, root string, set workspace.Workers, creds string) (hub.Report, error) {
	conn, err := sh.ConnectHub(root, set, creds, "evolve hub check", time.Minute)
	if err != nil {
		return hub.Report{}, err
	}
	defer conn.Close()
	report, err := conn.Check(ctx)
	if err != nil {
		return hub.Report{}, exit.Errorf(exit.Infrastructure, "`evolve help workers` lists the permissions that a run needs", "%s: %w", set.Hub, err)
	}
	return report, nil
}

// hubProbe describes, for doctor, the hub of a workspace and the hub's workers.
func hubProbe(ctx context.Context, sh *shell, w *workspace.Workspace) (words, fault string, err error) {
	set := w.Settings.Workers
	r, err := checkHub(ctx, sh, w.Root, set, "")
	if err != nil {
		return "", "", err
	}
	able, slots := 0, 0
	for _, p := range r.Workers {
		if other(p) == "" {
			able++
			slots += p.Slots
		}
	}
	switch words = fmt.Sprintf("nats-server %s answers", r.Server); {
	case len(r.Workers) == 0:
		return "", words + "; no worker is connected", nil
	case able == 0:
		return "", fmt.Sprintf("%s; %s, but none runs this build of evolve", words, text.Count(len(r.Workers), "worker")), nil
	}
	return fmt.Sprintf("%s; %s with %s", words, text.Count(able, "worker"), text.Count(slots, "slot")), "", nil
}

func hubFlag() cli.Flag {
	return &cli.StringFlag{Name: "hub", Usage: "the `URL` of the hub, instead of workers.hub in evolve.yaml"}
}

// hubOf returns the hub settings after applying the command line flag.
func hubOf(c *cli.Context, set workspace.Workers) (workspace.Workers, error) {
	if c.IsSet("hub") {
		set.Hub = c.String("hub")
		if problem := workspace.HubProblem(set.Hub); problem != "" {
			return set, exit.Errorf(exit.Usage, "write the URL like tls://host:4222; nats:// is only for this machine and private networks", "--hub %s", problem)
		}
	}
	return set, nil
}

func printHub(sh *shell, url string, r hub.Report) {
	secure := "without TLS"
	if r.TLS {
		secure = "with TLS"
	}
	sh.console.printf("  %s  nats-server %s, %s, storing a message took %s\n", text.Visible(url), text.Visible(r.Server), secure, r.RoundTrip.Round(10*time.Microsecond))
	sh.console.printf("  %s, %s\n", text.Count(int(r.Waiting), "job is waiting", "jobs are waiting"), text.Count(int(r.Answers), "answer is waiting", "answers are waiting"))
	if len(r.Workers) == 0 {
		sh.console.printf("! no worker is connected\n")
	}
	for _, p := range r.Workers {
		sh.console.printf("  %s  %s, %s, %d of %d slots busy%s\n", text.Visible(text.Clip(p.Name, 80)), text.Visible(hub.ProgramName(p.Version, p.Binary)), text.Visible(text.Clip(p.System, 40)), p.Busy, p.Slots, other(p))
		for _, why := range p.Refuses {
			sh.console.printf("!   %s\n", text.Visible(text.Clip(why, 300)))
		}
	}
}

// other describes how the program of a worker differs from this one; it returns "" if the
// two are the same.
func other(p hub.Presence) string {
	binary, err := wire.BinaryHash()
	if err != nil || binary == p.Binary {
		return ""
	}
	return "; a different build of evolve, which does not serve runs of this build"
}

// useWorkers makes a run's agents run on the workers of its hub, if there is a hub.
// Before the agents are opened, began must be called with the id of the run; without a
// hub, began is nil. done ends the use of the workers and prints the outcomes of the
// tasks.
func useWorkers(sh *shell, agents *wire.AgentFactory, set workspace.Workers, m *measuring) (began func(string), done func(), err error) {
	if set.Hub == "" {
		return nil, func() {}, nil
	}
	began, ended, err := agents.UseWorkers(set, ownBuild().Version)
	if err != nil {
		return nil, nil, err
	}
	if !sh.quiet {
		sh.eprintf("evaluations run on the workers of %s\n", set.Hub)
	}
	return began, func() {
		s := ended()
		m.tasks(s)
		if sh.quiet {
			return
		}
		sh.eprintf("workers: %s published, %s answered%s\n", count(s.Published, "task"), text.Whole(s.Answered), mishaps(s))
	}, nil
}

// mishaps describes unusual events in the tasks of a run.
func mishaps(s hub.Stats) string {
	out := ""
	for _, m := range []struct {
		n    int
		what string
	}{
		{s.Taken, "answered for an earlier process of the run"},
		{s.Redelivered, "given to another worker"},
		{s.Republished, "published again"},
		{s.Repeated, "answered twice, at an extra cost of " + number.Dollars(s.RepeatedUSD)},
		{s.Ignored, "messages ignored"},
	} {
		if m.n > 0 {
			out += fmt.Sprintf(", %d %s", m.n, m.what)
		}
	}
	return out
}
