package archive

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"evolve/bench"
	"evolve/runtime/agent"
)

func drawEvaluation(t *rapid.T) bench.Evaluation {
	text := rapid.String()
	real := rapid.Float64Range(-1e9, 1e9)
	e := bench.Evaluation{
		Key: bench.Key(rapid.StringN(1, 70, -1).Draw(t, "key")), Run: text.Draw(t, "run"), Agent: text.Draw(t, "agent"),
		Variant: agent.ConfigID(rapid.StringMatching(`[0-9a-f]{0,32}`).Draw(t, "variant")), Task: text.Draw(t, "task"),
		Domain: text.Draw(t, "domain"), Split: bench.Split(text.Draw(t, "split")), Stage: bench.Stage(text.Draw(t, "stage")),
		Repeat: rapid.Int().Draw(t, "repeat"), Seed: rapid.Int64().Draw(t, "seed"), Seq: rapid.Int64Min(0).Draw(t, "seq"),
		Outcome: agent.Outcome(text.Draw(t, "outcome")), Scored: rapid.Bool().Draw(t, "scored"), Score: real.Draw(t, "score"),
		Pass: rapid.Bool().Draw(t, "pass"), Latency: time.Duration(rapid.Int64().Draw(t, "latency")),
		Attempts: rapid.Int().Draw(t, "attempts"), Error: text.Draw(t, "error"), Answer: text.Draw(t, "answer"),
		Cached: rapid.Bool().Draw(t, "cached"), Judging: time.Duration(rapid.Int64().Draw(t, "judging")),
		Started: rapid.Bool().Draw(t, "started"),
		Usage: agent.Usage{
			InputTokens: rapid.Int64().Draw(t, "in"), OutputTokens: rapid.Int64().Draw(t, "out"),
			CachedTokens: rapid.Int64().Draw(t, "hit"), CostUSD: real.Draw(t, "cost"),
			Iterations: rapid.Int().Draw(t, "iterations"), ToolCalls: rapid.Int().Draw(t, "tools"),
		},
	}
	for range rapid.IntRange(0, 3).Draw(t, "grades") {
		e.Grades = append(e.Grades, bench.Grade{
			Type: text.Draw(t, "type"), Score: real.Draw(t, "grade"), Pass: rapid.Bool().Draw(t, "ok"),
			Weight: real.Draw(t, "weight"), Reason: text.Draw(t, "reason"),
		})
	}
	if rapid.Bool().Draw(t, "timed") {
		e.Time = time.Unix(rapid.Int64Range(-1e10, 1e10).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
	}
	normalize(&e)
	return e
}

func TestEvaluationRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvaluation(t)
		place := evaluationKey(e.Run, e.Agent, e.Seq)
		got, err := decodeEvaluation(place, encodeEvaluation(&e, nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got.Evaluation); diff != "" {
			t.Fatal(diff)
		}
		first := evaluationKey("first", "run", 7)
		ref, err := decodeEvaluation(place, encodeEvaluation(&e, first))
		if err != nil || !bytes.Equal(ref.first, first) {
			t.Fatalf("reference: %v %q", err, ref.first)
		}
		ref.copyOutcome(&e)
		if diff := cmp.Diff(e, ref.Evaluation); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestEvaluationRecordForm pins the encoding, because stored records must stay readable.
func TestEvaluationRecordForm(t *testing.T) {
	const stored = "010a0201ab120301c0ff1a0374736b2206646f6d61696e2a067365617263683206736561726368380240e807" +
		"48a0bb8ecd0650969aef3a8201026f6b8801019101000000000000e83f980101a2011b0a05657861637411000000000000e83f" +
		"18012a076e6561726c7920a801c096b102b00101"
	e := bench.Evaluation{
		Key: "ab", Run: "1-a", Agent: "solver", Variant: "c0ff", Task: "tsk", Domain: "domain", Split: bench.Search,
		Stage: bench.StageSearch, Repeat: 2, Seed: 1000, Seq: 3, Outcome: agent.OK, Scored: true, Score: .75, Pass: true,
		Grades:  []bench.Grade{{Type: "exact", Score: .75, Pass: true, Reason: "nearly "}},
		Latency: 5 * time.Millisecond, Attempts: 1, Time: day,
	}
	got := hex.EncodeToString(encodeEvaluation(&e, nil))
	if got != stored {
		t.Errorf("evaluations are stored in another form:\n%s\n%s", got, stored)
	}
}

func TestEvaluationRecordIsSmall(t *testing.T) {
	e := nightly("1-a", 123456)
	if n := len(encodeEvaluation(&e, nil)); n > 300 {
		t.Errorf("a typical record takes %d bytes", n)
	}
	if n := len(encodeEvaluation(&e, evaluationKey(e.Run, e.Agent, e.Seq))); n > 150 {
		t.Errorf("a typical reference takes %d bytes", n)
	}
}

// TestEvaluationRecordSkips checks that fields added by a later version of evolve are
// skipped.
func TestEvaluationRecordSkips(t *testing.T) {
	e := evaluation("1-a", 5)
	data := encodeEvaluation(&e, nil)
	data = protowire.AppendBytes(protowire.AppendTag(data, 99, protowire.BytesType), []byte("new"))
	data = protowire.AppendFixed32(protowire.AppendTag(data, 100, protowire.Fixed32Type), 7)
	got, err := decodeEvaluation(evaluationKey(e.Run, e.Agent, e.Seq), data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, got.Evaluation); diff != "" {
		t.Error(diff)
	}
}

func FuzzEvaluationRecord(f *testing.F) {
	e := evaluation("1-a", 5)
	f.Add(encodeEvaluation(&e, nil))
	f.Add(encodeEvaluation(&e, evaluationKey("1-a", "solver", 5)))
	f.Add([]byte{evaluationVersion, 0xff, 0xff})
	place := evaluationKey("1-a", "solver", 5)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeEvaluation(place, data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("not a damaged archive: %v", err)
			}
			return
		}
		again, err := decodeEvaluation(place, encodeEvaluation(&s.Evaluation, nil))
		if err != nil {
			t.Fatal(err)
		}
		clear := func(e *bench.Evaluation) { normalize(e) }
		clear(&s.Evaluation)
		clear(&again.Evaluation)
		if s.first == nil && checkEvaluation(&s.Evaluation) == nil && !cmp.Equal(s.Evaluation, again.Evaluation) {
			t.Error(cmp.Diff(s.Evaluation, again.Evaluation))
		}
	})
}

func FuzzDocument(f *testing.F) {
	for _, v := range []any{Variant{Config: agent.Config{"k": int64(1)}}, Run{ID: "1-a"}, ProposalRecord{ID: "P1"}} {
		data, err := encodeDocument(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, into := range []any{&Variant{}, &Run{}, &ProposalRecord{}, &AgentResult{}, &LedgerEntry{}} {
			if err := decodeDocument(data, into); err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("not a damaged archive: %v", err)
			}
		}
	})
}

func FuzzTranscript(f *testing.F) {
	p, err := newPacker()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(p.close)
	data, err := p.pack(transcript("text"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := p.unpack(data); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("not a damaged archive: %v", err)
		}
	})
}
