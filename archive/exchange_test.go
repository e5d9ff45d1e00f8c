package archive

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// filled writes some records of every kind.
func filled(tb testing.TB, a *Archive) {
	tb.Helper()
	ctx := context.Background()
	var errs []error
	try := func(err error) { errs = append(errs, err) }
	for n, run := range []string{"9-a", "10-b"} {
		try(a.PutRun(ctx, Run{ID: run, Number: 9 + n, State: RunDone, Started: day, Agents: []string{"solver"}}))
		try(a.PutPlan(ctx, AgentPlan{Run: run, Agent: "solver", Warnings: []string{"few tasks"}}))
		try(a.PutResult(ctx, AgentResult{Run: run, Agent: "solver", Verdict: Adopt, Reason: "a < b & c"}))
		for seq := range int64(40) {
			e := evaluation(run, seq)
			if seq%4 == 0 {
				e.Transcript = &agent.Transcript{Events: []agent.Event{
					{Kind: agent.EventTool, Name: "search", Outcome: agent.OK, Data: []byte(`{"b": [1.50, "<x>"], "a": null}`)},
				}, Dropped: int(seq)}
			}
			if seq%10 == 9 {
				e.Key, e.Scored, e.Outcome, e.Score, e.Pass, e.Grades = bench.Key(fmt.Sprint(run, seq)), false, agent.Infrastructure, 0, false, nil
			}
			e.Answer = "=1+1 \xff <&>"
			try(a.Record(ctx, e, nil))
		}
		try(a.Flush(ctx))
		for k := range int64(3) {
			_, err := a.PutVariant(ctx, Variant{Agent: "solver", Config: agent.Config{"k": k, "f": .5, "s": []string{"x"}}, Run: run, Time: day})
			try(err)
		}
		p, err := a.NewProposal(ctx, ProposalRecord{
			Kind: KindConfig, State: Awaiting, Title: "<k>", Created: day,
			Files: []FileChange{{Path: "x", New: []byte("\x00\xff")}}, Changes: []Change{{Param: "k", Old: nil, New: 1.5}},
		})
		try(err)
		_, err = a.Append(ctx, LedgerEntry{Time: day, Kind: "run.start", Actor: "cron", Subject: run, Data: []byte(`{"x":"<&>\u003c"}`)})
		try(err)
		p.State = Rejected
		try(a.Decide(ctx, DecisionRecord{Proposal: p.ID, Action: "reject", By: "Ada <a@b>", Reason: "a & b", Time: day}, p))
		try(a.Expose(ctx, Exposure{Agent: "solver", Run: run, Variants: []agent.ConfigID{"aa"}, Tasks: 3, Time: day}))
		try(a.PutMutation(ctx, Mutation{Agent: "solver", Parent: "aa", Child: "bb", Run: run, Gain: .5, Known: true}))
	}
	for n, variant := range []string{"bb", "cc"} {
		c, err := a.EnterCandidate(ctx, entrant(variant, "10-b"))
		try(err)
		if n == 0 {
			c.State, c.Blocks, c.LogE = stats.Harmful, 3, -1.25
			try(a.PutCandidate(ctx, c, day))
		}
	}
	for n := range 3 {
		_, err := a.PutTurn(ctx, TurnRecord{Agent: "solver", Goal: "<k>", Outcome: agent.OK, Created: day, Session: fmt.Sprint("s", n), Transcript: *transcript("<&>")}, &agent.Session{Notes: []string{"<&>"}}, nil)
		try(err)
		_, err = a.PutRequest(ctx, wish(n))
		try(err)
	}
	for n := range 2 {
		try(a.PutToolHealth(ctx, sick(fmt.Sprint("sum_", n)), nil))
	}
	try(keepExperience(a, "solver", shown()))
	try(a.change(ctx, "store a level", func(b *batch) error { return putAutonomy(b, once()) }))
	try(a.PutQuestions(ctx, []Question{{SuiteHash: "5d41", Task: "task-001", Goal: "<k>?", Expected: "a & b"}, {SuiteHash: "5d41", Task: "task-002", Goal: "\x00"}}))
	_, err := a.DecideRequest(ctx, "R1", RequestDecision{Action: "approve", By: "Ada", Time: day, Proposal: "P1"})
	try(err)
	_, err = a.DecideRequest(ctx, "R2", RequestDecision{Action: "deny", By: "Ada", Reason: "a < b", Time: day})
	try(err)
	if err := errors.Join(errs...); err != nil {
		tb.Fatal(err)
	}
}

func exported(tb testing.TB, a *Archive) string {
	tb.Helper()
	var out bytes.Buffer
	if err := a.Export(context.Background(), &out); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// native returns the lines of an export, sorted, without the marks of an import. It
// leaves out the trailer, the entry about the import, and the header, which has the
// archive's id.
func native(text string) []string {
	marks := strings.NewReplacer(
		`"key":"imported:`, `"key":"`, `,"imported":true`, "", `,"imported":"rejected"`, "",
		`,"void":"`+foreignCandidate(Candidate{}).Void+`"`, "",
	)
	lines := strings.Split(marks.Replace(text), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, `{"kind":"end"`) || strings.HasPrefix(l, `{"kind":"archive"`) || strings.Contains(l, `"kind":"`+LedgerImported+`"`)
	})
	slices.Sort(lines)
	return lines
}

// TestExportImport checks on every engine that an import contains the exported records,
// byte for byte except for the import's marks.
func TestExportImport(t *testing.T) {
	ctx := context.Background()
	a := openAt(t, t.TempDir())
	closing(t, a)
	filled(t, a)
	text := exported(t, a)
	for _, kind := range []string{
		lineRun, linePlan, lineVariant, lineEvaluation, lineTranscript, lineResult, lineProposal, lineDecision,
		lineLedger, lineExposure, lineCandidate, lineMutation, lineSession, lineTurn, lineRequest, lineToolHealth, lineQuestion, lineExperience, lineAutonomy,
	} {
		if !strings.Contains(text, `{"kind":"`+kind+`"`) {
			t.Errorf("there is no %s in the export", kind)
		}
	}
	b := openAt(t, t.TempDir())
	closing(t, b)
	m := OpenMemory()
	closing(t, m)
	for name, to := range map[string]*Archive{"disk": b, "memory": m} {
		if err := to.Import(ctx, strings.NewReader(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(native(exported(t, to)), native(text)) {
			t.Errorf("%s: the export of the import differs", name)
		}
		if err := to.Check(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := to.Import(ctx, strings.NewReader(text)); !errors.Is(err, ErrNotEmpty) {
			t.Errorf("%s: a second import: %v", name, err)
		}
	}
	// Numbering continues.
	p := must(b.NewProposal(ctx, ProposalRecord{}))(t)
	v := must(b.PutVariant(ctx, Variant{Agent: "solver", Config: agent.Config{"k": int64(77)}}))(t)
	e := must(b.Append(ctx, LedgerEntry{Kind: "run.end", Time: day}))(t)
	c := must(b.EnterCandidate(ctx, entrant("bb", "11-c")))(t)
	q := must(b.PutRequest(ctx, wish(9)))(t)
	turn := must(b.PutTurn(ctx, TurnRecord{Agent: "solver"}, nil, nil))(t)
	if p.ID != "P3" || v.Number != 4 || e.Seq != 14 || c.Number != 3 || q.ID != "R4" || turn.ID != "T4" {
		t.Errorf("numbers start over: %s, %d, %d, %d, %s, %s", p.ID, v.Number, e.Seq, c.Number, q.ID, turn.ID)
	}
	if again := must(b.PutRequest(ctx, wish(1)))(t); again.ID != "R2" || again.Count != 2 {
		t.Errorf("a wish was forgotten: %+v", again)
	}
	if _, _, err := b.VerifyLedger(ctx); err != nil {
		t.Error(err)
	}
}

func TestImportRefuses(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	text := exported(t, a)
	lines := strings.SplitAfter(text, "\n")
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":                 {"", nil},
		"something else":          {`{"x":1}` + "\n", nil},
		"a newer schema":          {strings.Replace(text, `"schema":1`, `"schema":2`, 1), ErrNewer},
		"a cut end":               {strings.Join(lines[:len(lines)-2], ""), nil},
		"a missing line":          {strings.Join(append(lines[:5:5], lines[6:]...), ""), nil},
		"a changed score":         {strings.Replace(text, `"score":0.5`, `"score":1`, 1), nil},
		"a changed ledger":        {strings.Replace(text, `"actor":"cron"`, `"actor":"me"`, 1), ErrCorrupt},
		"lines after the end":     {text + lines[1], nil},
		"an unknown name":         {strings.Replace(text, `"rationale"`, `"x"`, 1) + `{"kind":"run","value":{"x":1}}`, nil},
		"two equal wishes":        {lines[0] + strings.Repeat(lineOf(t, lines, lineRequest), 2), nil},
		"a request without id":    {lines[0] + strings.Replace(lineOf(t, lines, lineRequest), `"id":"R1"`, `"id":"X1"`, 1), nil},
		"a turn without agent":    {lines[0] + strings.Replace(lineOf(t, lines, lineTurn), `"agent":"solver"`, `"agent":""`, 1), nil},
		"a session without agent": {lines[0] + strings.Replace(lineOf(t, lines, lineSession), `"agent":"solver"`, `"agent":""`, 1), nil},
		"no such entry":           {lines[0] + lineOf(t, lines, lineCandidate), nil},
		"a health of no tool":     {lines[0] + strings.Replace(lineOf(t, lines, lineToolHealth), `"tool":"sum_0"`, `"tool":""`, 1), nil},
		"unsorted experience":     {lines[0] + strings.Replace(lineOf(t, lines, lineExperience), `"tool":"grep","domain"`, `"tool":"zgrep","domain"`, 1), ErrCorrupt},
		"an unknown kind":         {lines[0] + `{"kind":"x","value":{}}` + "\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			to := OpenMemory()
			closing(t, to)
			err := to.Import(ctx, strings.NewReader(c.text))
			if err == nil || (c.want != nil && !errors.Is(err, c.want)) {
				t.Errorf("got %v", err)
			}
			if _, err := newArchive(to.store, true, ""); !errors.Is(err, ErrCorrupt) {
				t.Errorf("what a failed import left is opened: %v", err)
			}
		})
	}
}

// lineOf returns the first line of a kind.
func lineOf(t *testing.T, lines []string, kind string) string {
	t.Helper()
	for _, l := range lines {
		if strings.HasPrefix(l, `{"kind":"`+kind+`"`) {
			return l
		}
	}
	t.Fatalf("there is no %s", kind)
	return ""
}

func TestExportCSV(t *testing.T) {
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	var out bytes.Buffer
	if err := a.ExportCSV(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 81 || rows[0][0] != "run" {
		t.Fatalf("%d rows", len(rows))
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	cell := func(row int, name string) string { return rows[row][column[name]] }
	if cell(1, "answer") != "'=1+1 \uFFFD <&>" || cell(2, "score") != "0.5" || cell(2, "run") != "10-b" || cell(2, "latency_ms") != "153" {
		t.Errorf("%q", rows[2])
	}
	if cell(10, "scored") != "false" || cell(10, "score") != "" {
		t.Errorf("missing data has a score: %q", rows[10])
	}
}

func TestBackup(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	var out bytes.Buffer
	if _, err := a.Backup(ctx, &out); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Restore(ctx, dir, bytes.NewReader(out.Bytes()), Building{}); err != nil {
		t.Fatal(err)
	}
	r := readAt(t, dir)
	if !slices.Equal(native(exported(t, r)), native(exported(t, a))) { // the archive in memory has no id
		t.Error("what was restored differs")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(ctx, dir, bytes.NewReader(out.Bytes()), Building{}); err == nil {
		t.Error("a backup was restored over an archive")
	}
	for name, data := range map[string][]byte{
		"cut":     out.Bytes()[:out.Len()-10],
		"changed": append(append(bytes.Clone(out.Bytes()[:200]), out.Bytes()[200]^1), out.Bytes()[201:]...),
		"foreign": []byte("hello"),
		"longer":  append(bytes.Clone(out.Bytes()), 0),
		"doubled": append(bytes.Clone(out.Bytes()), out.Bytes()...),
	} {
		dir := t.TempDir()
		if _, err := Restore(ctx, dir, bytes.NewReader(data), Building{}); err == nil {
			t.Errorf("a %s backup was restored", name)
		}
		if _, err := OpenRead(dir); !errors.Is(err, ErrNotFound) {
			t.Errorf("a %s backup left something: %v", name, err)
		}
	}
}

func FuzzImport(f *testing.F) {
	a := OpenMemory()
	f.Cleanup(func() { a.Close() })
	filled(f, a)
	text := exported(f, a)
	f.Add([]byte(text))
	for i, l := range strings.SplitAfter(text, "\n") {
		if i%9 == 1 {
			f.Add([]byte(`{"kind":"archive","value":{"schema":1}}` + "\n" + l))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		to := OpenMemory()
		defer to.Close()
		if to.Import(context.Background(), bytes.NewReader(data)) != nil {
			return
		}
		// An imported archive can be exported, and importing that export gives the same
		// export again.
		first := exported(t, to)
		again := OpenMemory()
		defer again.Close()
		if err := again.Import(context.Background(), strings.NewReader(first)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(native(exported(t, again)), native(first)) {
			t.Error("the export of the import differs")
		}
	})
}

// TestImportStaysInside checks that an import refuses a proposal with a file outside the
// workspace.
func TestImportStaysInside(t *testing.T) {
	a := OpenMemory()
	closing(t, a)
	filled(t, a)
	lines := strings.SplitAfter(exported(t, a), "\n")
	for _, path := range []string{"../x", "/x", "a/../../x", ".git/hooks/post-commit"} {
		line := strings.Replace(lineOf(t, lines, lineProposal), `"path":"x"`, `"path":"`+path+`"`, 1)
		to := OpenMemory()
		closing(t, to)
		if err := to.Import(context.Background(), strings.NewReader(lines[0]+line)); err == nil || !strings.Contains(err.Error(), "not the path of a file inside") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
