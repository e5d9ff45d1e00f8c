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

// endingFile is the name of a file in the state folder that exists from just before a run's
// end is recorded until the run's process has reported the end and is about to exit. If the
// file exists although no process holds the archive, the process was killed in between.
const endingFile = "ending"

// repeatWithin is a period after the end of a run whose end was not reported. Within this
// period, the same command is taken to repeat that run, which is already paid for, rather
// than to start the next night.
const repeatWithin = 6 * time.Hour

// digest returns a hash of the options that define a run, apart from the run's number.
func (o Options) digest() (string, error) {
	raw, err := json.Marshal([]any{o.Agents, o.Stages, o.Budget, o.Seed, o.Selection, o.Lookahead})
	if err != nil {
		return "", fmt.Errorf("hashing the options: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// writeEnding writes the ending file with the run's id. Without the file, if the process
// were killed after the run ended but before it exited, the same command would pay for
// another run.
func (r *runner) writeEnding() error {
	path := filepath.Join(r.o.Workspace.StateDir(), endingFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("recording the end of the run: %w", err)
	}
	_, err = f.WriteString(r.run.ID)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("recording the end of the run: %w", err)
	}
	return nil
}

// MarkReported records that the end of the latest run was reported and that the run's
// process is about to exit.
func MarkReported(stateDir string) error {
	if err := os.Remove(filepath.Join(stateDir, endingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the record of the end of the run: %w", err)
	}
	return nil
}

// Unreported is a run that ended but whose process was killed before it reported the end.
type Unreported struct {
	Summary
	// Repeat reports whether the command with these options repeats the unreported run, in
	// which case only the run's end needs to be reported. Otherwise the command starts a
	// new run, such as the next night's.
	Repeat bool
}

// FindUnreported returns the run whose end was not reported, or nil. The archive must be
// open for writing, which ensures that no process is about to report the end of that run.
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
		if errors.Is(err, archive.ErrNotFound) { // the run had not reached this agent
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
	case ResumeAny: // a run that can be resumed is resumed, not repeated
		u.Repeat = latest.State == archive.RunDone && o.Given.against(latest) == ""
	default:
		u.Repeat = latest.Asked == mine && o.Now().Sub(latest.Ended) < repeatWithin
	}
	return u, nil
}

// StaleEnding returns the path of the note in the state folder about a run's end, if that
// run is not the latest run in the archive. This happens if the archive has been removed
// or replaced since the note was written. Otherwise StaleEnding returns "". StaleEnding
// must not be called while a run holds the archive.
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

// readEnding returns the run's id from the note, and the latest run in the archive, or the
// zero Run if there is none. If there is no note, the error is [fs.ErrNotExist].
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
