package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/runtime/sandbox"
)

func TestDoctorFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		spoil  func(*Probes)
		checks []string
		want   string
	}{
		{
			"broken workspace",
			map[string]string{"evolve.yaml": "budgte: 1\n"},
			nil,
			[]string{"workspace", "power"},
			"fail workspace: evolve.yaml:1:1: unknown key \"budgte\" | did you mean \"budget\"?\n",
		},
		{
			"no git", nil, func(p *Probes) {
				p.Git = func(context.Context, string, ...string) (string, error) { return "", exec.ErrNotFound }
			},
			[]string{"git", "repository"},
			"warn git: is not installed | install git to approve proposals in a checked-out workspace and to read their history\n",
		},
		{
			"no sandbox", nil, func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", errors.New("user namespaces are off") }
			},
			[]string{"sandbox"},
			"warn sandbox: there is no sandbox, so programs run with your rights: user namespaces are off | allow user namespaces, or install bubblewrap\n",
		},
		{
			"a system without a sandbox", nil, func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", sandbox.ErrSystem }
			},
			[]string{"sandbox"},
			"warn sandbox: there is no sandbox, so programs run with your rights: only Linux has a sandbox that evolve can use | " +
				"if you do not trust the programs that evolve runs, run it on Linux, or else inside a virtual machine or a container\n",
		},
		{
			"sandbox declined",
			map[string]string{"agents/solver/agent.yaml": strings.Replace(goodHead, "argv", "sandbox: none, argv", 1) + goodSpace},
			nil,
			[]string{"sandbox"},
			"warn sandbox: namespaces; switched off for solver\n",
		},
		{
			"full disk", nil, func(p *Probes) { p.Free = func(string) (uint64, error) { return 5 << 20, nil } },
			[]string{"disk"},
			"fail disk: only 5.0 MiB free | free some disk space: a run stops when the disk is full\n",
		},
		{
			"scarce disk", nil, func(p *Probes) { p.Free = func(string) (uint64, error) { return 500 << 20, nil } },
			[]string{"disk"},
			"warn disk: only 500 MiB free\n",
		},
		{
			"read-only", nil, func(p *Probes) {
				p.Writable = func(string) error { return &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission} }
			},
			[]string{"write"},
			"fail write: the workspace is not writable: permission denied | a run stores its archive in .evolve/\n",
		},
		{
			"metrics that cannot be written",
			map[string]string{"evolve.yaml": "metrics: {textfile: none/evolve.prom}\n"},
			nil,
			[]string{"metrics"},
			"warn metrics: none/evolve.prom cannot be written: no such file or directory | " +
				"create the folder of the file that evolve.yaml sets as metrics.textfile, and give the user who runs the nights write access to it; until then, runs continue without writing the file\n",
		},
		{
			"traces by grpc", nil, func(p *Probes) {
				p.LookupEnv = func(name string) (string, bool) {
					v := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}[name]
					return v, v != ""
				}
			},
			[]string{"traces"},
			"warn traces: no traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\", but evolve sends only http/protobuf, which collectors accept on port 4318 | " +
				"`evolve help metrics` lists the environment variables; a run continues without traces\n",
		},
		{
			"clock not set", nil, func(p *Probes) { p.Now = func() time.Time { return time.Unix(0, 0) } },
			[]string{"clock"},
			"fail clock: it is set to 1970-01-01 | set the clock: deadlines and the ledger depend on it\n",
		},
		{
			"clock behind", nil, func(p *Probes) {
				p.Git = func(_ context.Context, _ string, args ...string) (string, error) {
					return "2031-01-01T00:00:00+02:00", nil
				}
			},
			[]string{"clock"},
			"warn clock: the clock shows 2030-05-01 02:00:00, which is before the time of the last commit, 2030-12-31 22:00:00 | set the clock: deadlines and the ledger depend on it\n",
		},
		{
			"no archive", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrNotFound) },
			[]string{"archive"},
			"ok archive: none yet: the first run creates it\n",
		},
		{
			"archive held", nil, func(p *Probes) { p.Archive = archiveError(fmt.Errorf("%w: evolve run", archive.ErrLocked)) },
			[]string{"archive"},
			"warn archive: the archive is held by another process: evolve run | wait for that process to end, or end it; evolve takes over a lock left by a crash\n",
		},
		{
			"archive of a newer version", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrNewer) },
			[]string{"archive"},
			"fail archive: the archive was written by a newer version of evolve | install the newer version of evolve\n",
		},
		{
			"archive damaged", nil, func(p *Probes) { p.Archive = archiveError(archive.ErrCorrupt) },
			[]string{"archive"},
			"fail archive: the archive is damaged | evolve archive repair lists the records that can be saved, without changing anything; or restore a backup\n",
		},
		{
			"few holdout tasks", nil, nil,
			[]string{"suite tasks", "tasks", "power solver"},
			"warn suite tasks: 2 tasks (1 search, 1 holdout), 1 domain, 2 clusters: 1 independent holdout task, too few for a claim about new tasks | add tasks: at least 8 holdout clusters of about equal weight are needed\n" +
				"warn power solver: no improvement on new tasks can be shown (1 independent holdout task, 650 pairs a night) | an improvement of 10 points needs about 19 independent holdout tasks\n",
		},
		{
			"no holdout",
			map[string]string{"suites/tasks.jsonl": `{"id":"t","goal":"x","answer":"y","split":"search"}` + "\n"},
			nil,
			[]string{"suite tasks", "tasks"},
			"warn suite tasks: 1 task (1 search, 0 holdout), 1 domain, 1 cluster: without holdout tasks the verdict is always undecided | assign some tasks to the holdout split\n",
		},
		{
			"unused suite without search",
			map[string]string{"suites/other.jsonl": `{"id":"t","goal":"x","answer":"y","split":"holdout"}` + "\n"},
			nil,
			[]string{"suite other", "other"},
			"warn suite other: 1 task (0 search, 1 holdout), 1 domain, 1 cluster; no agent uses it: there are no search tasks | assign some tasks to the search split\n",
		},
		{
			"program missing", nil, nil,
			[]string{"agent solver"},
			"fail agent solver: its program \"./a.sh\" cannot be found | relative paths are resolved against agents/solver; a script must be executable\n",
		},
		{
			"program not executable",
			map[string]string{"agents/solver/a.sh": "#!/bin/sh\n"},
			nil,
			[]string{"agent solver"},
			"fail agent solver: its program \"./a.sh\" cannot be run: permission denied | relative paths are resolved against agents/solver; a script must be executable\n",
		},
		{
			"network",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh], network: host}\nsuites: [tasks]\n" + goodSpace},
			nil,
			[]string{"agent solver"},
			"ok agent solver: its program \"sh\" exists; it has the host's network (network: host)\n",
		},
		{
			"network without a sandbox",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh]}\nsuites: [tasks]\n" + goodSpace},
			func(p *Probes) {
				p.Sandbox = func(context.Context) (string, error) { return "", errors.New("user namespaces are off") }
			},
			[]string{"agent solver"},
			"ok agent solver: its program \"sh\" exists; its network access is unrestricted, because there is no sandbox to restrict it\n",
		},
		{
			"variable not set",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh], env: [MY_KEY]}\nsuites: [tasks]\n" + goodSpace},
			nil,
			[]string{"agent solver"},
			"warn agent solver: its program \"sh\" exists; it has no network (network: none); missing from the environment: MY_KEY\n",
		},
		{
			"nothing to search",
			map[string]string{"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [sh]}\nsuites: [tasks]\n"},
			nil,
			[]string{"agent solver"},
			"warn agent solver: has no parameters, so there is nothing to search | declare its parameters under space: in agent.yaml\n",
		},
		{
			"built in",
			map[string]string{"agents/helper/agent.yaml": goodBuilt},
			nil,
			[]string{"agent helper"},
			"ok agent helper: built in, heuristic model\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := healthy(t, build(t, spoil(c.files)))
			if c.spoil != nil {
				c.spoil(&p)
			}
			var got []Check
			for _, check := range Run(context.Background(), p) {
				for _, name := range c.checks {
					if check.Name == name {
						got = append(got, check)
					}
				}
			}
			if diff := cmp.Diff(c.want, lines(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func archiveError(err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "", err }
}
