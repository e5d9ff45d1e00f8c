package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"strconv"
	"time"

	"evolve/bench"
	"evolve/runtime/text"
)

// exporter writes the lines of an export, and counts and hashes them.
type exporter struct {
	out   *bufio.Writer
	sum   hash.Hash
	lines int
}

func (x *exporter) put(kind string, v any) error {
	value, err := appendJSON(nil, v)
	if err != nil {
		return err
	}
	whole, err := appendJSON(nil, line{kind, value})
	if err != nil {
		return err
	}
	whole = append(whole, '\n')
	x.lines++
	x.sum.Write(whole)
	_, err = x.out.Write(whole)
	return err
}

// putAll returns a function that writes every record of a sequence as one kind of line.
func putAll[T any](x *exporter, kind string, seq iter.Seq2[T, error]) func() error {
	return func() error {
		for v, err := range seq {
			if err == nil {
				err = x.put(kind, v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// everyDocument yields the documents of a table.
func everyDocument[T any](ctx context.Context, a *Archive, table byte) iter.Seq2[T, error] {
	return documents[T](ctx, a, "read a table", newKey(table), nil)
}

// Export writes everything in the archive as JSON lines that Import reads. Exports of equal
// archives are byte for byte equal. An export may lack data that is recorded while it runs.
func (a *Archive) Export(ctx context.Context, w io.Writer) error {
	x := &exporter{out: bufio.NewWriterSize(w, 64<<10), sum: sha256.New()}
	err := a.checkCopied()
	if err == nil {
		err = a.export(ctx, x)
	}
	if err != nil {
		return fmt.Errorf("export the archive: %w", err)
	}
	end := trailerLine{x.lines, hex.EncodeToString(x.sum.Sum(nil))}
	if err := x.put(lineEnd, end); err != nil {
		return fmt.Errorf("export the archive: %w", err)
	}
	if err := x.out.Flush(); err != nil {
		return fmt.Errorf("export the archive: %w", err)
	}
	return nil
}

func (a *Archive) export(ctx context.Context, x *exporter) error {
	id, err := a.ID(ctx)
	if err == nil {
		err = x.put(lineHeader, headerLine{schemaVersion, id})
	}
	if err != nil {
		return err
	}
	for _, write := range []func() error{
		putAll(x, lineRun, a.Runs(ctx)),
		putAll(x, linePlan, everyDocument[AgentPlan](ctx, a, tablePlan)),
		putAll(x, lineVariant, everyDocument[Variant](ctx, a, tableVariant)),
		putAll(x, lineEvaluation, a.evaluations(ctx, newKey(tableEvaluation), nil, "")),
		putAll(x, lineTranscript, a.transcriptLines(ctx)),
		putAll(x, lineResult, everyDocument[AgentResult](ctx, a, tableResult)),
		putAll(x, lineProposal, a.Proposals(ctx)),
		putAll(x, lineDecision, a.decisionLines(ctx)),
		putAll(x, lineLedger, a.Ledger(ctx, 0)),
		putAll(x, lineExposure, everyDocument[Exposure](ctx, a, tableExposure)),
		putAll(x, lineCandidate, everyDocument[Candidate](ctx, a, tableCandidate)),
		putAll(x, lineMutation, everyDocument[Mutation](ctx, a, tableMutation)),
		putAll(x, lineSession, a.sessionLines(ctx)),
		putAll(x, lineTurn, a.turnLines(ctx)),
		putAll(x, lineRequest, a.Requests(ctx)),
		putAll(x, lineToolHealth, a.ToolHealths(ctx)),
		putAll(x, lineQuestion, everyDocument[Question](ctx, a, tableQuestion)),
		putAll(x, lineExperience, a.experienceLines(ctx)),
		putAll(x, lineAutonomy, a.storedAutonomies(ctx)),
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) transcriptLines(ctx context.Context) iter.Seq2[transcriptLine, error] {
	return sequence(ctx, a, "read the transcripts", newKey(tableTranscript), nil,
		func(k, value []byte) (transcriptLine, error) {
			text, err := unpackHex(k[1:])
			if err != nil {
				return transcriptLine{}, fmt.Errorf("%w: a transcript: %w", ErrCorrupt, err)
			}
			t, err := a.packer.unpack(value)
			return transcriptLine{bench.Key(text), t}, err
		})
}

func (a *Archive) decisionLines(ctx context.Context) iter.Seq2[decisionLine, error] {
	return sequence(ctx, a, "read the decisions", newKey(tableDecision), nil,
		func(k, value []byte) (d decisionLine, err error) {
			r := readKey(tableDecision, k)
			d.Seq = int64(r.number())
			if err := r.done(); err != nil {
				return d, fmt.Errorf("%w: a decision: %w", ErrCorrupt, err)
			}
			return d, decodeDocument(value, &d.Decision)
		})
}

func (a *Archive) sessionLines(ctx context.Context) iter.Seq2[sessionLine, error] {
	return sequence(ctx, a, "read the sessions", newKey(tableSession), nil,
		func(k, value []byte) (s sessionLine, err error) {
			r := readKey(tableSession, k)
			s.Agent, s.Name = r.text(), r.text()
			if err := r.done(); err != nil {
				return s, fmt.Errorf("%w: a session: %w", ErrCorrupt, err)
			}
			return s, decodeDocument(value, &s.Session)
		})
}

// turnLines yields all turns with their transcripts.
func (a *Archive) turnLines(ctx context.Context) iter.Seq2[TurnRecord, error] {
	return func(yield func(TurnRecord, error) bool) {
		for t, err := range a.Turns(ctx) {
			if err == nil {
				n, _ := parseID('T', t.ID)
				err = a.withTranscript(ctx, &t, n)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// csvHeader names the columns of ExportCSV.
var csvHeader = []string{
	"run", "agent", "seq", "stage", "split", "variant", "task", "domain", "repeat", "seed", "outcome", "scored", "score",
	"pass", "cost_usd", "input_tokens", "output_tokens", "latency_ms", "attempts", "cached", "time", "key", "answer", "error",
}

// ExportCSV writes all evaluations as CSV with a header, one evaluation on each line, for
// spreadsheets and statistics programs. An evaluation without a score has an empty score
// field. [text.Cell] makes texts safe for spreadsheets.
func (a *Archive) ExportCSV(ctx context.Context, w io.Writer) error {
	if err := a.checkCopied(); err != nil {
		return fmt.Errorf("export the archive: %w", err)
	}
	out := csv.NewWriter(w)
	err := out.Write(csvHeader)
	for e, scanned := range a.evaluations(ctx, newKey(tableEvaluation), nil, "") {
		if err == nil {
			err = scanned
		}
		if err != nil {
			break
		}
		err = out.Write(csvRow(&e))
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("export the evaluations: %w", err)
	}
	return nil
}

func csvRow(e *bench.Evaluation) []string {
	score, when := "", ""
	if e.Scored {
		score = decimal(e.Score)
	}
	if !e.Time.IsZero() {
		when = e.Time.Format(time.RFC3339Nano)
	}
	return []string{
		text.Cell(e.Run), text.Cell(e.Agent), strconv.FormatInt(e.Seq, 10), text.Cell(string(e.Stage)), text.Cell(string(e.Split)),
		text.Cell(string(e.Variant)), text.Cell(e.Task), text.Cell(e.Domain), strconv.Itoa(e.Repeat), strconv.FormatInt(e.Seed, 10),
		text.Cell(string(e.Outcome)), strconv.FormatBool(e.Scored), score, strconv.FormatBool(e.Pass), decimal(e.Usage.CostUSD),
		strconv.FormatInt(e.Usage.InputTokens, 10), strconv.FormatInt(e.Usage.OutputTokens, 10),
		decimal(float64(e.Latency) / float64(time.Millisecond)), strconv.Itoa(e.Attempts), strconv.FormatBool(e.Cached), when,
		text.Cell(string(e.Key)), text.Cell(e.Answer), text.Cell(e.Error),
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
