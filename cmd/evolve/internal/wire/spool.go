package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/text"
	"evolve/runtime/wholefile"
)

// The limits on the spool: the number of its files, and the number of bytes and of change
// requests in one file.
const (
	maxSpooled         = 200
	maxSpooledBytes    = 8 << 20
	maxSpooledRequests = 200
)

// spooledName matches the name of a file in the spool. The name consists of the time of the
// turn in nanoseconds, which determines the order, and a number that differs between
// processes.
var spooledName = regexp.MustCompile(`^[0-9]{19}-[0-9]+\.json$`)

// SpooledTurn is a turn that waits to be stored, with all its results.
type SpooledTurn struct {
	Turn archive.TurnRecord `json:"turn"`
	// Session is the state from which the next turn of the conversation starts; it is nil
	// if there is no conversation.
	Session  *agent.Session        `json:"session,omitempty"`
	Requests []agent.ChangeRequest `json:"requests,omitempty"`
	// Learned is the experience with the agent and its tools from the turn.
	Learned *experience.Turn `json:"learned,omitempty"`
}

// check returns an error for a turn that evolve cannot have written.
func (s *SpooledTurn) check() error {
	switch {
	case s.Turn.Agent == "" || s.Turn.Created.IsZero() || !slices.Contains(agent.Outcomes(), s.Turn.Outcome):
		return errors.New("it is not a turn of an agent")
	case (s.Session != nil) != (s.Turn.Session != ""):
		return errors.New("its conversation has no name or no state")
	case s.Learned != nil && (len(s.Learned.Calls) > experience.MaxCalls || !(s.Learned.Confidence >= 0 && s.Learned.Confidence <= 1)):
		return errors.New("it has too many calls, or a confidence outside [0,1]")
	case len(s.Requests) > maxSpooledRequests:
		return fmt.Errorf("it has %d change requests; at most %d are allowed", len(s.Requests), maxSpooledRequests)
	}
	return nil
}

func spoolOf(root string) string {
	return filepath.Join((&workspace.Workspace{Root: root}).StateDir(), workspace.SpoolFolder)
}

// spooled returns the paths of the waiting turns, the oldest first.
func spooled(root string) ([]string, error) {
	files, err := os.ReadDir(spoolOf(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, f := range files { // sorted by name
		if spooledName.MatchString(f.Name()) {
			paths = append(paths, filepath.Join(spoolOf(root), f.Name()))
		}
	}
	return paths, err
}

// SpoolTurn writes a turn to the spool because it cannot be stored now. It returns an error
// if the turn is too large or if the spool is full.
func SpoolTurn(root string, s SpooledTurn) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding the turn: %w", err)
	}
	waiting, err := spooled(root)
	switch {
	case err != nil:
		return fmt.Errorf("reading .evolve/%s: %w", workspace.SpoolFolder, err)
	case len(waiting) >= maxSpooled:
		return fmt.Errorf("%d turns are already waiting in .evolve/%s", len(waiting), workspace.SpoolFolder)
	case len(data) > maxSpooledBytes:
		return fmt.Errorf("it has %d bytes; at most %d are allowed", len(data), maxSpooledBytes)
	}
	if err := s.check(); err != nil {
		return err
	}
	if _, err := workspace.MakeStateDir(root); err != nil {
		return err
	}
	if err := os.MkdirAll(spoolOf(root), 0o700); err != nil {
		return fmt.Errorf("creating .evolve/%s: %w", workspace.SpoolFolder, err)
	}
	name := fmt.Sprintf("%019d-%d.json", s.Turn.Created.UnixNano(), os.Getpid())
	if err := renameio.WriteFile(filepath.Join(spoolOf(root), name), data, 0o600); err != nil {
		return fmt.Errorf("writing .evolve/%s: %w", workspace.SpoolFolder, err)
	}
	return nil
}

// readSpooled reads a waiting turn.
func readSpooled(path string) (SpooledTurn, error) {
	s, err := decodeSpooled(path)
	if err == nil {
		err = s.check()
	}
	return s, err
}

// decodeSpooled decodes a file in the spool. It does not check whether the file holds a
// valid turn.
func decodeSpooled(path string) (SpooledTurn, error) {
	var s SpooledTurn
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = wholefile.ErrIrregular
	}
	if err != nil {
		return s, err
	}
	data, err := wholefile.Read(path, maxSpooledBytes)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// spooledSession returns the state after the latest spooled turn of a conversation, and
// reports whether there is such a turn.
func spooledSession(root, agentID, name string) (agent.Session, bool, error) {
	paths, err := spooled(root)
	if err != nil {
		return agent.Session{}, false, fmt.Errorf("reading .evolve/%s: %w", workspace.SpoolFolder, err)
	}
	for _, path := range slices.Backward(paths) {
		s, err := readSpooled(path)
		if errors.Is(err, fs.ErrNotExist) {
			return agent.Session{}, false, nil // this turn and all earlier ones were stored meanwhile
		}
		if err == nil && s.Turn.Agent == agentID && s.Turn.Session == name {
			return *s.Session, true, nil
		}
	}
	return agent.Session{}, false, nil
}

// storeSpooled stores the waiting turns. A file that cannot be read, or whose turn the
// archive refuses, is renamed and not deleted. After any other failure, the turn is left
// for the next process.
func (h *Host) storeSpooled(root string, a *archive.Archive) {
	paths, err := spooled(root)
	if err != nil {
		h.Log.Warn("turns waiting to be stored cannot be read", "error", err)
		return
	}
	for _, path := range paths {
		s, err := readSpooled(path)
		if err == nil {
			err = storeOne(h.Ctx, a, s)
		} else {
			err = errors.Join(errRefused, err)
		}
		switch name := filepath.Base(path); {
		case err == nil:
			if err := os.Remove(path); err != nil {
				h.Log.Warn("a turn was stored, but its file could not be removed", "file", name, "error", err)
			}
		case errors.Is(err, errRefused) || errors.Is(err, archive.ErrTooLarge):
			if failed := os.Rename(path, path+refusedEnding); failed != nil {
				h.Log.Warn("a turn in .evolve/"+workspace.SpoolFolder+" is not stored, and its file could not be renamed", "file", name, "error", text.Visible(errors.Join(err, failed).Error()))
				continue
			}
			h.Log.Warn("a turn in .evolve/"+workspace.SpoolFolder+" is not stored; its file is kept with the ending "+refusedEnding, "file", name, "error", text.Visible(err.Error()))
		default:
			h.Log.Warn("a turn in .evolve/"+workspace.SpoolFolder+" is still waiting to be stored", "file", name, "error", err)
			return
		}
	}
}

// refusedEnding is appended to the name of a refused file in the spool.
const refusedEnding = ".refused"

// ForgetRefused removes a conversation's refused turns from the spool. It returns the names
// of the refused files that cannot be read, because they may hold other turns of the
// conversation.
func ForgetRefused(root, agentID, name string) (unread []string, err error) {
	files, err := os.ReadDir(spoolOf(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		if !spooledName.MatchString(strings.TrimSuffix(f.Name(), refusedEnding)) || !strings.HasSuffix(f.Name(), refusedEnding) {
			continue
		}
		path := filepath.Join(spoolOf(root), f.Name())
		s, failed := decodeSpooled(path)
		switch {
		case failed != nil || s.Turn.Agent == "":
			unread = append(unread, f.Name())
		case s.Turn.Agent == agentID && s.Turn.Session == name:
			err = errors.Join(err, os.Remove(path))
		}
	}
	return unread, err
}

// errRefused reports that a file in the spool does not hold a turn.
var errRefused = errors.New("it cannot be read")

// storeOne stores a turn, its conversation and its change requests. If a process was killed
// before it removed the file, the turn and some of its requests may already be stored.
func storeOne(ctx context.Context, a *archive.Archive, s SpooledTurn) error {
	id := ""
	for t, err := range a.Turns(ctx) {
		if err != nil {
			return err
		}
		if t.Agent == s.Turn.Agent && t.Session == s.Turn.Session && t.Created.Equal(s.Turn.Created) {
			id = t.ID
		}
	}
	var counted map[string]int
	if id == "" {
		t, err := a.PutTurn(ctx, s.Turn, s.Session, s.Learned)
		if err != nil {
			return err
		}
		id = t.ID
	} else {
		var err error
		if counted, err = countedRequests(ctx, a, s.Turn); err != nil {
			return err
		}
	}
	for _, q := range s.Requests {
		if counted[q.ID] > 0 {
			counted[q.ID]--
			continue
		}
		_, err := a.PutRequest(ctx, archive.ChangeRequestRecord{Agent: s.Turn.Agent, Request: q, Session: s.Turn.Session, Turn: id, Created: s.Turn.Created})
		if err != nil && !errors.Is(err, archive.ErrFull) && !errors.Is(err, archive.ErrTooLarge) {
			return err
		}
	}
	return nil
}

// countedRequests returns the number of times that each request was stored with the time
// of the given turn, keyed by the request's hash. That time is unique among the turns of
// an agent.
func countedRequests(ctx context.Context, a *archive.Archive, t archive.TurnRecord) (map[string]int, error) {
	counted := map[string]int{}
	for r, err := range a.Requests(ctx) {
		if err != nil {
			return nil, err
		}
		if r.Agent != t.Agent {
			continue
		}
		for _, at := range r.Times {
			if at.Equal(t.Created) {
				counted[r.Request.ID]++
			}
		}
	}
	return counted, nil
}

// EarlierSession returns the state after the last turn of a conversation, or the zero value
// for a new conversation.
func EarlierSession(ctx context.Context, root, agentID, name string) (agent.Session, error) {
	// A waiting turn is later than those in the archive.
	if s, found, err := spooledSession(root, agentID, name); found || err != nil {
		return s, err
	}
	store, err := archive.OpenRead(ArchiveDir(root))
	if errors.Is(err, archive.ErrNotFound) {
		return agent.Session{}, nil
	}
	if err != nil {
		return agent.Session{}, Opening(err)
	}
	defer func() { _ = store.Close() }()
	s, err := store.Session(ctx, agentID, name)
	if errors.Is(err, archive.ErrNotFound) {
		return agent.Session{}, nil
	}
	return s, err
}
