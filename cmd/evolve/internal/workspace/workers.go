package workspace

import (
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Workers configures the evaluation on other machines. No identity of a run, an agent or
// an evaluation depends on it.
type Workers struct {
	// Hub is the address of a NATS server with JetStream; empty: evaluations run here.
	Hub string
	// CredsEnv names the variable that holds the path of a credentials file, or its content;
	// empty: none.
	CredsEnv string
	// CA, Cert and Key are files in the PEM format, relative to the workspace; empty: the
	// system's roots, and no certificate.
	CA, Cert, Key string
	// AckWait is the time after which a task whose worker sends no sign of life is given to
	// another one, and MaxAttempts the number of workers that a task may terminate.
	AckWait     time.Duration
	MaxAttempts int
	// Lookahead replaces the concurrency and the lookahead of the search; 0: it does not.
	Lookahead int
	// Weaker allows workers whose isolation differs from that of this machine.
	Weaker bool
}

func workersKeys(w *Workers) object {
	file := func(to *string) field { return text{to: to, pattern: nonEmpty, rule: "the path of a file"} }
	return object{keys: []key{
		{name: "hub", doc: "address of a NATS server with JetStream, such as tls://hub.example.org:4222", field: text{to: &w.Hub, check: hubProblem}, example: "tls://hub.example.org:4222"},
		{name: "creds_env", doc: "variable that holds the path of a credentials file, or its content", field: envName(&w.CredsEnv), example: "EVOLVE_HUB_CREDS"},
		{name: "tls", doc: "files in the PEM format, relative to this one", field: object{keys: []key{
			{name: "ca", doc: "CA certificates for the server's certificate; left out: those of the system", field: file(&w.CA), example: "ca.pem"},
			{name: "cert", doc: "client certificate; requires key", field: file(&w.Cert), example: "cert.pem"},
			{name: "key", doc: "its private key", field: file(&w.Key), example: "key.pem"},
		}}},
		{name: "ack_wait", doc: "time after which a task is given to another worker when its own gives no sign of life", field: duration{&w.AckWait, time.Second, time.Hour}, def: w.AckWait.String()},
		{name: "max_attempts", doc: "workers that may end while they run a task before it counts as missing data", field: whole[int]{&w.MaxAttempts, 1, 100}, def: show(w.MaxAttempts)},
		{name: "lookahead", doc: "maximum number of evaluations at the same time, in place of search.concurrency and search.lookahead", field: whole[int]{&w.Lookahead, 1, 10000}, example: "64"},
		{name: "weaker_walls", doc: "true: workers may run agents in another sandbox than this machine would", field: flag{&w.Weaker}, def: "false"},
	}}
}

// HubProblem returns the reason why a value is not an address of a hub, in words that follow its
// name; empty if it is one.
func HubProblem(v string) string {
	problem, _ := hubProblem(v)
	return problem
}

func hubProblem(v string) (problem, hint string) {
	for one := range strings.SplitSeq(v, ",") {
		u, err := url.Parse(one)
		switch {
		case err != nil || len(v) > maxAddress || u.Hostname() == "" || strings.ContainsAny(one, " \t\n"):
			return "must be the address of a NATS server", "write it like tls://host:4222"
		case u.User != nil || strings.Contains(u.Host, "@"):
			return "must hold no user and no password", "name a credentials file"
		case u.Scheme != "tls" && u.Scheme != "wss" && u.Scheme != "nats" && u.Scheme != "ws":
			return "must begin with tls://", ""
		case (u.Scheme == "nats" || u.Scheme == "ws") && !private(u.Hostname()):
			return "must begin with tls://", "nats:// is for this machine and private networks"
		}
	}
	return "", ""
}

// Needs lists the variables whose values an agent gets when it runs: those of its program or
// service, of the providers of its models, and of its tool servers.
func (w *Workspace) Needs(a *Agent) []string {
	names := slices.Clone(a.Adapter.Env)
	names = slices.AppendSeq(names, maps.Values(a.Adapter.HeadersEnv))
	if a.Adapter.Kind == KindBuiltin {
		for _, name := range a.MCP {
			names = append(names, w.Settings.MCP[name].Env...)
			names = slices.AppendSeq(names, maps.Values(w.Settings.MCP[name].HeadersEnv))
		}
		if a.Adapter.Model != ModelHeuristic {
			for _, r := range w.Settings.Routes {
				names = append(names, w.Settings.Providers[r.Provider].KeyEnv)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// FilesOf lists the files from which an agent is opened, relative to the root, with slashes:
// the settings, the memories of all agents, and what the hash of the agent covers.
func (w *Workspace) FilesOf(a *Agent) ([]string, error) {
	files := []string{SettingsFile}
	shared := path.Join(agentsDir, memoriesFile)
	if _, err := os.Lstat(filepath.Join(w.Root, filepath.FromSlash(shared))); err == nil {
		files = append(files, shared)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err := filepath.WalkDir(a.Dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != a.Dir && slices.Contains(unhashed, e.Name()):
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(w.Root, p)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}
