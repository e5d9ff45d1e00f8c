package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench"
)

// TestFieldsAreChecked checks that import and restore name an invalid field and then write
// nothing.
func TestFieldsAreChecked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	text := exported(t, a)
	var backup bytes.Buffer
	if _, err := a.Backup(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind, from, to, says string
	}{
		"a state":          {lineProposal, `"state":"rejected"`, `"state":"bogusssd"`, `proposal P1: field state cannot be "bogusssd"`},
		"a kind":           {lineProposal, `"kind":"config"`, `"kind":"konfig"`, "field kind"},
		"a path":           {lineProposal, `"path":"x"`, `"path":"/"`, "not the path of a file inside"},
		"a decision":       {lineProposal, `"action":"reject"`, `"action":"accept"`, `action cannot be "accept"`},
		"an agent":         {linePlan, `"agent":"solver"`, `"agent":"../../"`, "field agent"},
		"a verdict":        {lineResult, `"verdict":"adopt"`, `"verdict":"adore"`, "field verdict"},
		"a run's state":    {lineRun, `"state":"done"`, `"state":"gone"`, "run 10-b: field state"},
		"a run's id":       {lineRun, `"id":"9-a"`, `"id":"../"`, "field id"},
		"a run's time":     {lineRun, `"started":"2`, `"started":"9`, "field started"},
		"a candidate":      {lineCandidate, `"state":"harmful"`, `"state":"harmles"`, "field state"},
		"a request":        {lineRequest, `"state":"open"`, `"state":"shut"`, "field state"},
		"a turn's agent":   {lineTurn, `"agent":"solver"`, `"agent":"-olver"`, "field agent"},
		"a tool's agent":   {lineToolHealth, `"agent":"solver"`, `"agent":"so/ver"`, "field agent"},
		"an experience":    {lineExperience, `"action":"penalise"`, `"action":"punished"`, `experience of agent solver: field feedback.action cannot be "punished"`},
		"a level":          {lineAutonomy, `"level":1`, `"level":6`, "field level"},
		"a level's agent":  {lineAutonomy, `"agent":"solver"`, `"agent":"so/ver"`, "field agent"},
		"its agent":        {lineExperience, `"agent":"solver"`, `"agent":"so/ver"`, "field agent"},
		"a mutation's run": {lineMutation, `"run":"9-a"`, `"run":"../"`, "field run"},
	} {
		at := strings.Index(text, `{"kind":"`+c.kind+`"`)
		forged := text[:at] + strings.Replace(text[at:], c.from, c.to, 1)
		if forged == text {
			t.Fatalf("%s: there is nothing to forge", name)
		}
		dir := filepath.Join(t.TempDir(), "archive")
		err := ImportAt(ctx, dir, strings.NewReader(forged), Building{})
		if !errors.Is(err, ErrCorrupt) && !strings.Contains(name, "path") || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s imported: %v", name, err)
		}
		if len(c.from) == len(c.to) && c.kind != lineTurn && c.kind != lineToolHealth && c.kind != lineAutonomy && c.kind != lineMutation {
			raw := bytes.ReplaceAll(backup.Bytes()[:backup.Len()-4], []byte(c.from), []byte(c.to))
			raw = binary.BigEndian.AppendUint32(raw, crc32.Checksum(raw, castagnoli))
			if _, err := Restore(ctx, dir, bytes.NewReader(raw), Building{}); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s restored: %v", name, err)
			}
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s left something: %v", name, err)
		}
	}
}

// TestEvaluationsAreChecked checks that a stored evaluation with an invalid field counts as
// damage.
func TestEvaluationsAreChecked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for field, bad := range map[string]func(l *bench.Evaluation){
		"outcome": func(l *bench.Evaluation) { l.Outcome = "splendid" },
		"stage":   func(l *bench.Evaluation) { l.Stage = "final" },
		"latency": func(l *bench.Evaluation) { l.Latency = -1 },
		"judging": func(l *bench.Evaluation) { l.Judging = -1 },
	} {
		a := OpenMemory()
		closing(t, a)
		e := evaluation("1-a", 0)
		l := e
		bad(&l)
		if err := errors.Join(a.Record(ctx, l, nil), a.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
		if err := a.Check(ctx); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "field "+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
