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

// Workers configures evaluation on other machines. It is not part of the identity of a run,
// an agent or an evaluation.
type Workers struct {
	// Hub is the address of a NATS server with JetStream; if empty, evaluations run on this
	// machine.
	Hub string
	// CredsEnv names the environment variable that holds the path or the content of a
	// credentials file; if it is empty, no credentials are used.
	CredsEnv string
	// CA, Cert and Key are the paths of PEM files, relative to the workspace. If CA is
	// empty, the system's root certificates are used; if Cert and Key are empty, no client
	// certificate is used.
	CA, Cert, Key string
	// AckWait is the time without a sign of life from a worker after which its task is
	// given to another worker. MaxAttempts is the number of workers that may end while
	// running a task before the task is given up.
	AckWait     time.Duration
	MaxAttempts int
	// Lookahead, if not 0, replaces both the concurrency and the lookahead of the search.
	Lookahead int
	// Weaker allows workers that run agents in a different sandbox than this machine would.
	Weaker bool
}

func workersKeys(w *Workers) object {
	file := func(to *string) field { return text{to: to, pattern: nonEmpty, rule: "the path of a file"} }
	return object{keys: []key{
		{name: "hub", doc: "address of a NATS server with JetStream, such as tls://hub.example.org:4222", field: text{to: &w.Hub, check: hubProblem}, example: "tls://hub.example.org:4222"},
		{name: "creds_env", doc: "environment variable that holds the path or the content of a credentials file", field: envName(&w.CredsEnv), example: "EVOLVE_HUB_CREDS"},
		{name: "tls", doc: "files in PEM format; their paths are relative to this file", field: object{keys: []key{
			{name: "ca", doc: "CA certificates for verifying the server's certificate; if left out, those of the system", field: file(&w.CA), example: "ca.pem"},
			{name: "cert", doc: "client certificate; requires key", field: file(&w.Cert), example: "cert.pem"},
			{name: "key", doc: "private key of the client certificate", field: file(&w.Key), example: "key.pem"},
		}}},
		{name: "ack_wait", doc: "if a worker gives no sign of life for this long, its task is given to another worker", field: duration{&w.AckWait, time.Second, time.Hour}, def: w.AckWait.String()},
		{name: "max_attempts", doc: "number of workers that may fail while running the same task before the task counts as missing data", field: whole[int]{&w.MaxAttempts, 1, 100}, def: show(w.MaxAttempts)},
		{name: "lookahead", doc: "maximum number of evaluations at the same time; used instead of search.concurrency and search.lookahead", field: whole[int]{&w.Lookahead, 1, 10000}, example: "64"},
		{name: "weaker_walls", doc: "true: workers may run agents in a different sandbox than this machine would", field: flag{&w.Weaker}, def: "false"},
	}}
}

// HubProblem returns the reason why a value is not a valid address of a hub, in words that
// follow the value's name, or "" if it is valid.
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
			return "must not contain a user name or a password", "name a credentials file"
		case u.Scheme != "tls" && u.Scheme != "wss" && u.Scheme != "nats" && u.Scheme != "ws":
			return "must begin with tls://", ""
		case (u.Scheme == "nats" || u.Scheme == "ws") && !private(u.Hostname()):
			return "must begin with tls://", "nats:// is allowed only for this machine and private networks"
		}
	}
	return "", ""
}

// Needs lists the environment variables that must be set to run an agent: those for its
// program or service, for the providers of its models, and for its tool servers.
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

// FilesOf lists the files that an agent is loaded from: the settings, the memories shared
// by all agents, and the files that the agent's hash covers. Paths are relative to the root
// and slash-separated.
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
