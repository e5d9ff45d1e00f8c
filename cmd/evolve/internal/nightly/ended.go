package nightly

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
)

// endingFile stands in the state folder from just before a run's end is recorded until
// its process has told it and is about to exit. One that is found while the archive is
// free was left by a process that was killed in between.
const endingFile = "ending"

// repeatWithin is how long after such an end the same command is a repeat of the run
// that was killed, which paid for everything, and not the next night.
const repeatWithin = 6 * time.Hour

// digest is one of what a run is asked for, wherever in history it stands.
func (o Options) digest() (string, error) {
	raw, err := json.Marshal([]any{o.Agents, o.Stages, o.Budget, o.Seed, o.Selection, o.Lookahead})
	if err != nil {
		return "", fmt.Errorf("hashing the options: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// leaveEnding writes the file, which holds the run's id. Without it a process that is killed between the end of
// its run and its own would have the same command pay for another run.
func (r *runner) leaveEnding() error {
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

// Told notes that the end of the latest run was told: nothing but the exit is left of
// its process.
func Told(stateDir string) error {
	if err := os.Remove(filepath.Join(stateDir, endingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("noting that the run is told: %w", err)
	}
	return nil
}

// Untold is a run that ended, and whose process was killed before it told so.
type Untold struct {
	Summary
	// Repeat reports whether the command with these options repeats that run: its end is all
	// there is to tell. Otherwise the command is one of its own, such as the next night's.
	Repeat bool
}

// FindUntold returns the run whose end was not reported, or nil. The archive must be open
// for writing, which says that no process is about to tell it.
func FindUntold(ctx context.Context, o Options) (*Untold, error) {
	raw, err := os.ReadFile(filepath.Join(o.Workspace.StateDir(), endingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading how the latest run ended: %w", err)
	}
	latest, err := o.Archive.Run(ctx, "")
	switch {
	case errors.Is(err, archive.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the latest run: %w", err)
	case string(raw) != latest.ID || latest.State == archive.RunRunning:
		return nil, nil
	}
	u := &Untold{Summary: Summary{Run: latest}}
	for _, id := range latest.Agents {
		p, err := o.Archive.Plan(ctx, latest.ID, id)
		if errors.Is(err, archive.ErrNotFound) { // it had not got to this one
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
		if p.Run == latest.ID && p.Kind == archive.KindTool {
			u.Skills = append(u.Skills, p)
		}
	}
	mine, err := o.digest()
	if err != nil {
		return nil, err
	}
	switch o.Resume {
	case ResumeNever:
	case ResumeAny: // one that can go on does
		u.Repeat = latest.State == archive.RunDone && o.Given.against(latest) == ""
	default:
		u.Repeat = latest.Asked == mine && o.Now().Sub(latest.Ended) < repeatWithin
	}
	return u, nil
}
