package gotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seeding is the first argument that makes this program a cache server for the Go command
// (go help cacheprog). It serves the contents of a large build cache, and stores these and
// new contents in a small cache. Copying the large cache would take minutes, and so would
// filling a new one.
const seeding = "seed-a-build-cache"

func init() {
	if len(os.Args) == 4 && os.Args[1] == seeding {
		if err := (seeder{os.Args[2], os.Args[3]}).serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

type seeder struct{ from, to string }

// seedRequest and seedReply are the messages, with Go's names.
type seedRequest struct {
	ID                 int64
	Command            string
	ActionID, OutputID []byte
	BodySize           int64
}

type seedReply struct {
	ID            int64
	Err           string   `json:",omitempty"`
	KnownCommands []string `json:",omitempty"`
	Miss          bool     `json:",omitempty"`
	OutputID      []byte   `json:",omitempty"`
	Size          int64    `json:",omitempty"`
	DiskPath      string   `json:",omitempty"`
}

func (s seeder) serve(in io.Reader, out io.Writer) error {
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	if err := replies.Encode(seedReply{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	for {
		var q seedRequest
		if err := requests.Decode(&q); err != nil {
			return err
		}
		r := seedReply{ID: q.ID}
		var err error
		switch q.Command {
		case "get":
			r.OutputID, r.Size, r.DiskPath, err = s.get(q.ActionID)
			r.Miss = err != nil
		case "put":
			var body []byte
			if q.BodySize > 0 {
				err = requests.Decode(&body)
			}
			if err == nil {
				r.DiskPath, err = s.keep(q.ActionID, q.OutputID, body)
			}
			if err != nil {
				r.Err = err.Error()
			}
		}
		if err := replies.Encode(r); err != nil || q.Command == "close" {
			return err
		}
	}
}

// entryOf returns the file of an action ("a") or of an output ("d") in a build cache.
func entryOf(cache string, id []byte, kind string) string {
	name := fmt.Sprintf("%x", id)
	return filepath.Join(cache, name[:2], name+"-"+kind)
}

func (s seeder) get(action []byte) (output []byte, size int64, path string, err error) {
	line, err := os.ReadFile(entryOf(s.from, action, "a"))
	if err != nil {
		return nil, 0, "", err
	}
	fields := strings.Fields(string(line)) // v1, action, output, size, time
	if len(fields) != 5 {
		return nil, 0, "", errors.New("no entry of a cache")
	}
	if _, err := fmt.Sscanf(fields[2], "%x", &output); err != nil {
		return nil, 0, "", err
	}
	if size, err = strconv.ParseInt(fields[3], 10, 64); err != nil {
		return nil, 0, "", err
	}
	body, err := os.ReadFile(entryOf(s.from, output, "d"))
	if err != nil || int64(len(body)) != size {
		return nil, 0, "", errors.Join(errors.New("half an entry"), err)
	}
	path, err = s.keep(action, output, body)
	return output, size, path, err
}

func (s seeder) keep(action, output, body []byte) (string, error) {
	path := entryOf(s.to, output, "d")
	for name, text := range map[string][]byte{
		path:                       body,
		entryOf(s.to, action, "a"): fmt.Appendf(nil, "v1 %x %x %20d %20d\n", action, output, len(body), time.Now().UnixNano()),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return "", err
		}
	}
	return path, nil
}

// seed fills a lab's own build cache with the packages of the standard library that a
// module needs, copied from the user's cache if they are there.
func seed(ctx context.Context, t *testing.T, l *Lab, files map[string][]byte) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := exec.CommandContext(ctx, l.Toolchain.Command(), "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := goEnv{lab: &Lab{Toolchain: l.Toolchain}, limits: l.Limits.withDefaults(), tree: write(t, files), cache: l.buildCache()}
	if err := os.MkdirAll(l.buildCache(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, s := range commands(r) {
		cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
		cmd.Dir = r.tree
		cmd.Env = append(r.environment(module{dir: "."}), "HOME="+t.TempDir(), "TMPDIR="+t.TempDir(),
			fmt.Sprintf("GOCACHEPROG=%s %s %s %s", self, seeding, strings.TrimSpace(string(from)), l.buildCache()))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(l.Cache, "fresh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
