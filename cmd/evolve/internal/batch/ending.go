package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"evolve/archive"
	"evolve/runtime/wholefile"
)

// endingFile is the name of a file in the state folder that exists from just before a
// run's end is recorded until its process has reported it and is about to exit. If it
// exists while the archive is free, the process was killed in between.
const endingFile = "ending"

// repeatWithin is the time after such an end within which the same command repeats the
// killed run, which paid for everything, rather than starting the next night.
const repeatWithin = 6 * time.Hour

// digest hashes the options that define a run, apart from its number.
func (o Options) digest() (string, error) {
	raw, err := json.Marshal([]any{o.Agents, o.Stages, o.Budget, o.Seed, o.Selection, o.Lookahead})
	if err != nil {
		return "", fmt.Errorf("hashing the options: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// writeEnding writes the file with the run's id. Without it, if the process were killed
// between the end of the run and its own, the same command would pay for another run.
func (r *runner) writeEnding() error {
	path := filepath.Join(r.o.Workspace.StateDir(), endingFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("noting the end of the run: %w", err)
	}
	_, err = f.WriteString(r.run.ID)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("noting the end of the run: %w", err)
	}
	return nil
}

// MarkReported records that the end of the latest run was reported and that its process is about
// to exit.
func MarkReported(stateDir string) error {
	if err := os.Remove(filepath.Join(stateDir, endingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the note about the end of the run: %w", err)
	}
	return nil
}

// Unreported is a run that ended, and whose process was killed before it reported that.
type Unreported struct {
	Summary
	// Repeat reports whether the command with these options repeats that run, so that
	// only its end must be reported. Otherwise the command is a new one, such as the next
	// night's.
	Repeat bool
}

// FindUnreported returns the run whose end was not reported, or nil. The archive must be open
// for writing, which ensures that no process is about to report it.
func FindUnreported(ctx context.Context, o Options) (*Unreported, error) {
	id, latest, err := readEnding(ctx, o.Archive, o.Workspace.StateDir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case latest.ID == "" || id != latest.ID || latest.State == archive.RunRunning:
		return nil, nil
	}
	u := &Unreported{Summary: Summary{Run: latest}}
	for _, id := range latest.Agents {
		p, err := o.Archive.Plan(ctx, latest.ID, id)
		if errors.Is(err, archive.ErrNotFound) { // it had not reached this one
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a plan: %w", err)
		}
		res, err := o.Archive.Result(ctx, latest.ID, id)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a result: %w", err)
		}
		u.Plans, u.Results = append(u.Plans, p), append(u.Results, res)
	}
	for p, err := range o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Run == latest.ID && (p.Kind == archive.KindTool || p.Kind == archive.KindMemory) {
			u.Skills = append(u.Skills, p)
		}
	}
	mine, err := o.digest()
	if err != nil {
		return nil, err
	}
	switch o.Resume {
	case ResumeNever:
	case ResumeAny: // one that can be resumed is resumed
		u.Repeat = latest.State == archive.RunDone && o.Given.against(latest) == ""
	default:
		u.Repeat = latest.Asked == mine && o.Now().Sub(latest.Ended) < repeatWithin
	}
	return u, nil
}

// StaleEnding returns the path of the note of a run's end in the state folder if it is not
// about the latest run of the archive, which was removed or replaced since; otherwise "".
// The archive must not be held by a run.
func StaleEnding(ctx context.Context, a *archive.Archive, stateDir string) (string, error) {
	id, latest, err := readEnding(ctx, a, stateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case latest.ID != "" && id == latest.ID:
		return "", nil
	}
	return filepath.Join(stateDir, endingFile), nil
}

// readEnding returns the run's id in the note, and the latest run of the archive, the zero
// value without one. Without a note the error is [fs.ErrNotExist].
func readEnding(ctx context.Context, a *archive.Archive, stateDir string) (string, archive.Run, error) {
	raw, err := wholefile.Read(filepath.Join(stateDir, endingFile), 4<<10)
	if err != nil {
		return "", archive.Run{}, fmt.Errorf("reading how the latest run ended: %w", err)
	}
	latest, err := a.Run(ctx, "")
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return "", archive.Run{}, fmt.Errorf("reading the latest run: %w", err)
	}
	return string(raw), latest, nil
}
