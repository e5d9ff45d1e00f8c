package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/workspace"
)

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		code int
	}{
		{"unknown", errors.New("x"), exitUnexpected},
		{"usage", usage(errors.New("x")), exitUsage},
		{"hinted", hinted(exitGate, "h", "x"), exitGate},
		{"refused", &decide.RefusedError{Text: "x", Hint: "h"}, exitGate},
		{"workspace", &workspace.Errors{Issues: []workspace.Issue{{File: "evolve.yaml", Message: "x"}}}, exitUsage},
		{"no agent", &batch.UnknownAgentError{Name: "x"}, exitUsage},
		{"no agents", batch.ErrNoAgents, exitUsage},
		{"locked", &archive.LockedError{PID: 1}, exitLocked},
		{"newer", archive.ErrNewer, exitIntegrity},
		{"corrupt", archive.ErrCorrupt, exitIntegrity},
		{"ledger", &archive.LedgerError{Seq: 3}, exitIntegrity},
		{"ambiguous", archive.ErrAmbiguous, exitUsage},
		{"not empty", archive.ErrNotEmpty, exitUsage},
		{"recorder", bench.ErrRecorder, exitInfrastructure},
		{"disk", archive.ErrDisk, exitInfrastructure},
		{"full", syscall.ENOSPC, exitInfrastructure},
		{"read-only", syscall.EROFS, exitInfrastructure},
		{"permission", fs.ErrPermission, exitInfrastructure},
		{"a file in the way", syscall.ENOTDIR, exitUsage},
		{"outage", bench.ErrOutage, exitInfrastructure},
		{"few files", syscall.EMFILE, exitInfrastructure},
		{"few files in the system", syscall.ENFILE, exitInfrastructure},
		{"no memory", syscall.ENOMEM, exitInfrastructure},
		{"a file of the workspace on a bad disk", &workspace.Errors{Issues: []workspace.Issue{{File: "evolve.yaml"}, {File: "suites/x.jsonl", Err: syscall.EIO}}}, exitInfrastructure},
		{"usage, with few files", hinted(exitUsage, "h", "x: %w", syscall.EMFILE), exitInfrastructure},
		{"integrity, with few files", hinted(exitIntegrity, "h", "x: %w", syscall.EMFILE), exitInfrastructure},
		{"damage beside a full disk", errors.Join(&archive.AuditError{}, syscall.ENOSPC), exitIntegrity},
		{"cancelled", context.Canceled, exitInterrupted},
		{"interrupted", batch.ErrInterrupted, exitInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("doing: %w", tt.err), errors.Join(tt.err, nil)} {
				if code, _ := classify(err); code != tt.code {
					t.Errorf("%v ends with %d, want %d", err, code, tt.code)
				}
			}
		})
	}
}

func TestFail(t *testing.T) {
	for _, tt := range []struct {
		name string
		json bool
		err  error
		want string
		code int
	}{
		{"plain", false, hinted(2, "do", "it \x1b[31mhappened"), "error: it \\x1b[31mhappened\nhint: do\n", 2},
		{"lines", false, errors.New("one\ntwo\n"), "error: one\n       two\n", 1},
		{"object", true, hinted(2, "do", "it <happened>"), `{"error":"it \u003chappened\u003e","hint":"do","exit":2}` + "\n", 2},
		{"object without hint", true, errors.New("x"), `{"error":"x","exit":1}` + "\n", 1},
		{"said already", false, quietExit(6), "", 6},
		{"nobody reads", false, syscall.EPIPE, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			sh := &shell{process: process{stderr: &stderr}, json: tt.json}
			code := sh.fail(tt.err)
			if diff := cmp.Diff(tt.want, stderr.String()); diff != "" || code != tt.code {
				t.Errorf("exit %d, want %d\n%s", code, tt.code, diff)
			}
		})
	}
}

// TestFailIsShort checks that a message shortens the untrusted input that it repeats.
func TestFailIsShort(t *testing.T) {
	long := strings.Repeat("k", 1<<20)
	for _, asJSON := range []bool{false, true} {
		var stderr bytes.Buffer
		sh := &shell{process: process{stderr: &stderr}, json: asJSON}
		sh.fail(hinted(2, "did you mean "+long, "reading x.jsonl: unknown field %q: %s", long, "the end"))
		if text := stderr.String(); len(text) > 5000 || !strings.Contains(text, "reading x.jsonl") || !strings.Contains(text, "the end") {
			t.Errorf("%d bytes: %.200s", len(text), text)
		}
	}
}
