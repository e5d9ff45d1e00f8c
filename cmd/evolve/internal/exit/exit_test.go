package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/gotest"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/patch"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		code int
	}{
		{"unknown", errors.New("x"), Unexpected},
		{"usage", Misuse(errors.New("x")), Usage},
		{"hinted", Errorf(Gate, "h", "x"), Gate},
		{"refused", &review.RefusedError{Text: "x", Hint: "h"}, Gate},
		{"workspace", &workspace.Errors{Issues: []workspace.Issue{{File: "evolve.yaml", Message: "x"}}}, Usage},
		{"no agent", &batch.UnknownAgentError{Name: "x"}, Usage},
		{"no agents", batch.ErrNoAgents, Usage},
		{"no code", &batch.UnsearchedError{Targets: []batch.Unsearched{{Target: "x", Problem: "no block"}}}, Usage},
		{"no Go", &gotest.NoToolchainError{Err: exec.ErrNotFound}, Infrastructure},
		{"code without Go", &batch.UnsearchedError{Targets: []batch.Unsearched{{Target: "x", Err: &gotest.NoToolchainError{Err: exec.ErrNotFound}}}}, Infrastructure},
		{"no git", patch.ErrNoGit, Infrastructure},
		{"locked", &archive.LockedError{PID: 1}, Locked},
		{"newer", archive.ErrNewer, Integrity},
		{"corrupt", archive.ErrCorrupt, Integrity},
		{"ledger", &archive.LedgerError{Seq: 3}, Integrity},
		{"ambiguous", archive.ErrAmbiguous, Usage},
		{"not empty", archive.ErrNotEmpty, Usage},
		{"recorder", bench.ErrRecorder, Infrastructure},
		{"disk", archive.ErrDisk, Infrastructure},
		{"full", syscall.ENOSPC, Infrastructure},
		{"read-only", syscall.EROFS, Infrastructure},
		{"permission", fs.ErrPermission, Infrastructure},
		{"a file in the way", syscall.ENOTDIR, Usage},
		{"outage", bench.ErrOutage, Infrastructure},
		{"few files", syscall.EMFILE, Infrastructure},
		{"few files in the system", syscall.ENFILE, Infrastructure},
		{"no memory", syscall.ENOMEM, Infrastructure},
		{"a file of the workspace on a bad disk", &workspace.Errors{Issues: []workspace.Issue{{File: "evolve.yaml"}, {File: "suites/x.jsonl", Err: syscall.EIO}}}, Infrastructure},
		{"usage, with few files", Errorf(Usage, "h", "x: %w", syscall.EMFILE), Infrastructure},
		{"integrity, with few files", Errorf(Integrity, "h", "x: %w", syscall.EMFILE), Infrastructure},
		{"damage beside a full disk", errors.Join(&archive.AuditError{}, syscall.ENOSPC), Integrity},
		{"cancelled", context.Canceled, Interrupted},
		{"interrupted", night.ErrInterrupted, Interrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("doing: %w", tt.err), errors.Join(tt.err, nil)} {
				if code, _ := Of(err); code != tt.code {
					t.Errorf("%v ends with %d, want %d", err, code, tt.code)
				}
			}
		})
	}
}

// TestDiskHints checks that the hint for a failure to read or write fits its cause.
func TestDiskHints(t *testing.T) {
	for _, tt := range []struct {
		err  error
		hint string
	}{
		{archive.ErrDisk, diskHint},
		{fmt.Errorf("%w: %w", archive.ErrDisk, syscall.ENOSPC), diskHint},
		{fmt.Errorf("%w: %w", bench.ErrRecorder, syscall.ENOSPC), diskHint},
		{fmt.Errorf("%w: %w", archive.ErrDisk, syscall.EACCES), deniedHint},
		{fmt.Errorf("%w: %w", bench.ErrRecorder, syscall.EPERM), deniedHint},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, deniedHint},
		{fmt.Errorf("%w: %w", archive.ErrDisk, syscall.EROFS), readOnlyHint},
		{fmt.Errorf("%w: %w", archive.ErrDisk, syscall.EIO), failingHint},
	} {
		if _, hint := Of(tt.err); hint != tt.hint {
			t.Errorf("%v has the hint %q, want %q", tt.err, hint, tt.hint)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"run", "report", "reject", "proposals", "status"}
	for in, want := range map[string]string{
		"rnu": "run", "rum": "run", "reprot": "report", "rep": "report", "proposal": "proposals", "STATUS": "status", "x": "", "": "", "something": "",
	} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

// A hint that lists names must give advice even if there are none.
func TestHintWithoutNames(t *testing.T) {
	t.Parallel()
	for _, known := range [][]string{nil, {"solver"}} {
		_, hint := Of(&batch.UnknownAgentError{Name: "packing", Known: known})
		if strings.HasSuffix(hint, " ") || hint == "" {
			t.Errorf("with agents %q the hint is %q", known, hint)
		}
	}
}
