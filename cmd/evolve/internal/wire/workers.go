package wire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/hub"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/tempdir"
	"evolve/runtime/wholefile"
)

// hubPatience is how long a run waits for an unreachable hub, or for a worker, before its
// evaluations count as failures of the infrastructure.
const hubPatience = 10 * time.Minute

// frozenFile and bundledDir are the two entries of a bundle: the replacement for the
// archive on a worker, and the part of the workspace from which the agent is opened.
const (
	frozenFile = "frozen.json"
	bundledDir = "workspace"
)

// hubKey is the file with the secret from which the ids of jobs are derived.
const hubKey = "hub.key"

// workers offers the agents of a run to the workers of a hub.
type workers struct {
	hub *hub.Hub
	set workspace.Workers
	key []byte
	// version is the version of this program, as it is shown to people.
	version string
	run     string
	offers  []*hub.Remote
}

// ConnectHub connects to the hub in a workspace's settings. It uses the credentials in file
// or, if file is "", those in the settings.
func (h *Host) ConnectHub(root string, set workspace.Workers, file, name string, patience time.Duration) (*hub.Hub, error) {
	var creds []byte
	var err error
	if file != "" {
		creds, err = readCredentials(file)
	} else {
		creds, err = h.credentials(set.CredsEnv)
	}
	if err != nil {
		return nil, err
	}
	return h.connect(root, set, hub.Options{Name: name, Inbox: hub.RunInbox, Creds: creds, Patience: patience})
}

// ConnectWorker connects a worker to a hub, with the credentials in file, or without
// credentials if file is "". It waits for an unreachable server for as long as the process
// lives.
func (h *Host) ConnectWorker(set workspace.Workers, file, name string) (*hub.Hub, error) {
	var creds []byte
	if file != "" {
		var err error
		if creds, err = readCredentials(file); err != nil {
			return nil, err
		}
	}
	return h.connect("", set, hub.Options{Name: name, Inbox: hub.WorkerInbox, Creds: creds})
}

func (h *Host) connect(root string, set workspace.Workers, o hub.Options) (*hub.Hub, error) {
	secure, err := tlsOf(root, set)
	if err != nil {
		return nil, err
	}
	o.URL, o.TLS, o.Log, o.Now = set.Hub, secure, h.Log, h.Now
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	conn, err := hub.Connect(h.Ctx, o)
	if err != nil {
		return nil, exit.Errorf(exit.Infrastructure, "`evolve hub check` tests the connection; `evolve help workers` describes the server", "%s: %w", set.Hub, err)
	}
	return conn, nil
}

// credentials returns the content of a credentials file. The environment variable with the
// given name holds either that content or the path of the file. If name is "", there are no
// credentials.
func (h *Host) credentials(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	value, ok := h.Env.Lookup(name)
	switch {
	case !ok || value == "":
		return nil, exit.Errorf(exit.Usage, "set the variable to the path of a credentials file", "the environment variable %s, which workers.creds_env names, is not set", name)
	case hub.CheckCredentials([]byte(value)) == nil:
		return []byte(value), nil
	case strings.Contains(value, "-----BEGIN"):
		return nil, noCredentials(name, hub.ErrCredentials)
	}
	return readCredentials(value)
}

// readCredentials reads a credentials file.
func readCredentials(path string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, exit.Errorf(exit.Usage, credentialsHint, "reading the credentials: %w", err)
	}
	if err := hub.CheckCredentials(data); err != nil {
		return nil, noCredentials(path, err)
	}
	return data, nil
}

const credentialsHint = "`evolve help workers` describes how to create a credentials file"

// noCredentials returns the error for a file or variable that holds no credentials.
func noCredentials(what string, err error) error {
	return exit.Errorf(exit.Usage, credentialsHint, "%s is not a credentials file: %w", what, err)
}

// tlsOf returns the TLS configuration that the settings name, or nil for the default.
func tlsOf(root string, set workspace.Workers) (*tls.Config, error) {
	if set.CA == "" && set.Cert == "" && set.Key == "" {
		return nil, nil
	}
	at := func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		return filepath.Join(root, filepath.FromSlash(file))
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if set.CA != "" {
		pem, err := os.ReadFile(at(set.CA))
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "", "workers.tls.ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, exit.Errorf(exit.Usage, "", "workers.tls.ca: %s contains no certificate", set.CA)
		}
	}
	if set.Cert != "" || set.Key != "" {
		pair, err := tls.LoadX509KeyPair(at(set.Cert), at(set.Key))
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "", "workers.tls.cert and workers.tls.key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// UseWorkers lets the workers of a hub run the agents of a run. began must be called with
// the id of the run before the agents are opened. done withdraws the remaining objects on
// the hub, and returns the counts of the tasks.
func (f *AgentFactory) UseWorkers(set workspace.Workers, version string) (began func(run string), done func() hub.Stats, err error) {
	key, err := f.secret()
	if err != nil {
		return nil, nil, err
	}
	conn, err := f.host.ConnectHub(f.workspace.Root, set, "", "evolve run", hubPatience)
	if err != nil {
		return nil, nil, err
	}
	f.workers = &workers{hub: conn, set: set, key: key, version: version}
	done = func() hub.Stats {
		var all hub.Stats
		for _, r := range f.workers.offers {
			r.Close()
			all = all.Plus(r.Stats())
		}
		conn.Close()
		return all
	}
	return func(run string) { f.workers.run = run }, done, nil
}

// secret returns this workspace's secret for job ids, and creates it at first use.
func (f *AgentFactory) secret() ([]byte, error) {
	path := filepath.Join(f.workspace.StateDir(), hubKey)
	key, err := os.ReadFile(path)
	if err == nil && len(key) >= 16 {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the secret of the hub: %w", err)
	}
	key = []byte(rand.Text())
	if err := os.WriteFile(path, key, 0o600); err != nil {
		return nil, fmt.Errorf("storing the secret of the hub: %w", err)
	}
	return key, nil
}

// offer offers an agent that is open in this process to the hub's workers, and makes them
// run the agent's tasks.
func (s *workers) offer(ctx context.Context, f *AgentFactory, a *workspace.Agent, opened night.Opened) (night.Opened, error) {
	fail := func(err error) (night.Opened, error) { return night.Opened{}, errors.Join(err, opened.Close()) }
	frozen, err := f.freeze(ctx, a)
	if err != nil {
		return fail(err)
	}
	bundle, err := bundleOf(f.workspace, a, frozen)
	if err != nil {
		return fail(err)
	}
	remote, err := s.hub.Offer(ctx, hub.Offer{
		Run: s.run, Agent: a.ID, Binary: f.Binary, Version: s.version, Epoch: rand.Text(), Hash: a.Hash, Needs: f.workspace.Needs(a), Walls: opened.Sandbox, AnyWalls: s.set.Weaker,
		AckWait: s.set.AckWait, MaxAttempts: s.set.MaxAttempts,
	}, bundle, s.key, f.Guard)
	if err != nil {
		return fail(exit.Errorf(exit.Infrastructure, "`evolve hub check` tests the hub", "%w", err))
	}
	s.offers = append(s.offers, remote)
	renew, closing := opened.Renew, opened.Close
	opened.Agent, opened.Parallel, opened.Elsewhere, opened.Recorded = remote, 0, true, remote.Recorded
	if a.Adapter.Kind != workspace.KindBuiltin {
		opened.Agent = f.withRolePolicy(a, remote)
		opened.Parallel = f.workspace.Settings.Policies.Roles[a.ID].Concurrency
	}
	opened.Renew = func() error {
		remote.Renew()
		if renew == nil {
			return nil
		}
		return renew()
	}
	opened.Close = func() error { remote.Close(); return closing() }
	return opened, nil
}

// bundleOf returns the bundle from which a worker opens an agent: evolve.yaml, the agent's
// folder, the memories of all agents, and the records that the run read from the archive.
// It contains no suite.
func bundleOf(w *workspace.Workspace, a *workspace.Agent, frozen Frozen) ([]byte, error) {
	scratch, err := tempdir.Make("bundle")
	if err != nil {
		return nil, fmt.Errorf("bundling the agent: %w", err)
	}
	defer func() { _ = scratch.Remove() }()
	dir := scratch.Path
	data, err := json.Marshal(frozen)
	if err != nil {
		return nil, fmt.Errorf("bundling the agent: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, frozenFile), data, 0o600); err != nil {
		return nil, fmt.Errorf("bundling the agent: %w", err)
	}
	files, err := w.FilesOf(a)
	if err != nil {
		return nil, fmt.Errorf("bundling the agent: %w", err)
	}
	for _, name := range files {
		if err := copyFile(filepath.Join(w.Root, filepath.FromSlash(name)), filepath.Join(dir, bundledDir, filepath.FromSlash(name))); err != nil {
			return nil, fmt.Errorf("bundling the agent: %w", err)
		}
	}
	return hub.Pack(dir)
}

// copyFile copies a file with its executable bit; a link is copied as a link.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if link, err := os.Readlink(from); err == nil {
		return os.Symlink(link, to)
	}
	in, err := wholefile.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Clean(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode()&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Worker returns a worker for a hub in this process.
func (h *Host) Worker(conn *hub.Hub, name, version string, slots int, scratch string, lost func() time.Duration) (*hub.Worker, error) {
	binary, err := BinaryHash()
	if err != nil {
		return nil, err
	}
	return &hub.Worker{
		Hub: conn, Name: name, Binary: binary, Version: version, Slots: slots, Scratch: scratch, OpaqueName: bench.OpaqueName, Lost: lost,
		Missing: func(names []string) []string {
			return slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := h.Env.Lookup(n); return ok })
		},
		Open: h.openOffer,
	}, nil
}

// openOffer opens the agent of an offer from the offer's bundle.
func (h *Host) openOffer(ctx context.Context, o hub.Offer, dir, scratch string) (hub.Served, error) {
	data, err := os.ReadFile(filepath.Join(dir, frozenFile))
	if err != nil {
		return hub.Served{}, fmt.Errorf("the bundle: %w", err)
	}
	frozen := new(Frozen)
	if err := json.Unmarshal(data, frozen); err != nil {
		return hub.Served{}, fmt.Errorf("the bundle: %w", err)
	}
	w, err := workspace.LoadAlone(filepath.Join(dir, bundledDir), Builtins())
	if err != nil {
		return hub.Served{}, fmt.Errorf("the bundle: %w", err)
	}
	a, ok := w.Agent(o.Agent)
	if !ok {
		return hub.Served{}, fmt.Errorf("the bundle has no agent %q", o.Agent)
	}
	if a.Hash != o.Hash {
		return hub.Served{}, errors.New("the agent in the bundle is not the one in the offer")
	}
	if err := Startable(a); err != nil {
		return hub.Served{}, err
	}
	factory, err := h.Agents(w)
	if err != nil {
		return hub.Served{}, err
	}
	factory.Frozen = frozen
	opened, err := factory.Open(ctx, a, scratch)
	if err != nil {
		return hub.Served{}, err
	}
	if opened.Sandbox != o.Walls && !o.AnyWalls {
		return hub.Served{}, errors.Join(fmt.Errorf("the sandbox on this worker is %q, but the run requires %q", opened.Sandbox, o.Walls), opened.Close())
	}
	return hub.Served{
		Agent: opened.Agent, Parallel: opened.Parallel, Renew: opened.Renew, Close: opened.Close,
		Typed: func(c agent.Config) agent.Config {
			typed, problems := a.Known.Parse(c)
			if len(problems) > 0 {
				return c
			}
			return a.Known.Canonical(typed)
		},
	}, nil
}
