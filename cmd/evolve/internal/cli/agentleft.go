package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch/backup"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/model"
	"evolve/reports/render"
)

// leftOver describes where a deleted conversation may still be, and what a person can do
// about it.
type leftOver struct {
	What  string   `json:"what"`
	Where []string `json:"where,omitempty"`
	Do    string   `json:"do"`
}

// maxWhere is the maximum number of locations printed for each kind.
const maxWhere = 10

// talk is a conversation that a person deletes: its name, the ids of its stored turns and
// the time of the first turn.
type talk struct {
	name  string
	turns map[string]bool
	began time.Time
}

// talkOf returns the conversation with this name, as stored in the archive.
func talkOf(ctx context.Context, root, agentID, name string) (talk, error) {
	out := talk{name: name, turns: map[string]bool{}}
	err := wire.LookIfThere(root, func(store *archive.Archive) error {
		for t, err := range store.Turns(ctx) {
			if err != nil {
				return fmt.Errorf("reading the turns: %w", err)
			}
			if t.Agent != agentID || t.Session != name {
				continue
			}
			out.turns[t.ID] = true
			if out.began.IsZero() || t.Created.Before(out.began) {
				out.began = t.Created
			}
		}
		return nil
	})
	return out, err
}

// renderSince re-renders the index and the stored reports of the runs that began after a
// time. A run in progress renders its own report at its end.
func renderSince(ctx context.Context, root string, began time.Time) (done []string, err error) {
	if began.IsZero() {
		return nil, nil
	}
	err = wire.LookIfThere(root, func(store *archive.Archive) error {
		src, err := asTheyAre(ctx, store)
		if err != nil {
			return err
		}
		nights, err := model.Summaries(ctx, src)
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		for _, n := range nights {
			run, err := src.Run(ctx, n.Run)
			if err != nil {
				return err
			}
			_, err = os.Stat(filepath.Join(reportsDir(root), render.FileName(n.Run)))
			if errors.Is(err, fs.ErrNotExist) || run.State == archive.RunRunning || run.Started.Before(began) {
				continue
			}
			r, err := model.Build(ctx, src, n.Run)
			if err != nil {
				return fmt.Errorf("building the report of run %s: %w", n.Run, err)
			}
			if err := writePages(root, r); err != nil {
				return err
			}
			done = append(done, n.Run)
		}
		if len(done) > 0 {
			_, err = writeIndex(ctx, root, store)
		}
		return err
	})
	return done, err
}

// leftBehind lists where a conversation may still be: in what a person stored, approved or
// wrote.
func leftBehind(sh *shell, w *workspace.Workspace, a *workspace.Agent, t talk, forgot review.Forgot) ([]leftOver, error) {
	out := []leftOver{}
	add := func(where []string, what, do string) {
		if len(where) > 0 {
			out = append(out, leftOver{what, where, do})
		}
	}
	copies, err := (&backup.Backups{Dir: w.BackupDir()}).List()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, b := range copies {
		if !b.Time.Before(t.began.Truncate(time.Second)) {
			files = append(files, b.File)
		}
	}
	add(files, "backups made since the conversation began", "delete them, then make a new one: evolve archive backup")
	var ids []string
	for _, m := range a.Memories {
		if review.LearntIn(m, t.name, t.turns, sh.Scrub(w)) {
			ids = append(ids, "agents/"+a.ID+"/memories.jsonl or agents/memories.jsonl: "+m.ID)
		}
	}
	add(ids, "memories that a person approved", "delete the lines of these memories and commit; `evolve memory retract ID` would keep the text")
	add(forgot.Adopted, "proposals that a person approved, and their commits", "rewrite the history of the repository if the text must be removed")
	add(forgot.Refs, "git refs of proposals", "git update-ref -d REF")
	if len(forgot.Emptied) > 0 {
		out = append(out, leftOver{What: "git objects of the proposals from which memories were removed", Do: "git gc --prune=now, once nothing else needs them"})
	}
	add(suitesOf(w, t.name), "suites with tasks made from the conversation", "delete these tasks and commit")
	out = append(out,
		leftOver{"names that a person chose", []string{"the session " + t.name + ": in the list of turns", "its domains: in `evolve tools health`, lessons and reports"}, "these names cannot be removed: choose names that reveal nothing"},
		leftOver{What: "files that `evolve archive export` or `evolve report` wrote elsewhere", Do: "delete them"},
	)
	return out, nil
}

// suitesOf returns the suites that have tasks made from a conversation, each with those
// tasks.
func suitesOf(w *workspace.Workspace, session string) []string {
	var out []string
	for name, s := range w.Suites {
		var ids []string
		for _, t := range s.Tasks {
			if t.Source != nil && t.Source.File == "" && t.Source.Session == session {
				ids = append(ids, t.ID)
			}
		}
		if len(ids) > 0 {
			out = append(out, "suites/"+name+".jsonl: "+strings.Join(ids, ", "))
		}
	}
	slices.Sort(out)
	return out
}
