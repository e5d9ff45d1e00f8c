package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"

	"evolve/bench"
)

// maxLine is the maximum length of a line of an import, in bytes.
const maxLine = 64 << 20

// ErrNotEmpty means that the target of an import or a restore is not empty.
var ErrNotEmpty = errors.New("the archive is not empty")

// importer reads the lines of an export into an archive.
type importer struct {
	a          *Archive
	b          batch
	sum        hash.Hash
	lines      int
	last       ledgerHead
	exposures  map[string]uint64 // number of exposures of each agent
	candidates map[string]uint64 // number of candidates of each agent
	requests   map[string]bool   // the hash keys of the requests read so far
	runs       map[string]bool
	drafts     int // proposals that waited for a decision
	origin     string
	ended      bool
	kinds      map[string]func(value json.RawMessage) error
}

// Import reads the output of Export into an empty archive, and checks the ledger's chain
// and the trailer. Imported records are history: proposals that waited for a decision
// become drafts, the evidence of candidates becomes void, the keys of evaluations get the
// prefix "imported:", runs are ended, and a ledger entry records the import. To preserve an
// archive as it is, use BackupFile and Restore. After a failed import the archive is
// unusable: every attempt to open it fails, and its folder can be removed.
func (a *Archive) Import(ctx context.Context, r io.Reader) error {
	if err := a.startImport(ctx); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	im := &importer{a: a, sum: sha256.New(), exposures: make(map[string]uint64), candidates: make(map[string]uint64), requests: make(map[string]bool), runs: make(map[string]bool)}
	im.kinds = im.readers(ctx)
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = im.line(text)
		}
		if err != nil {
			return fmt.Errorf("import line %d: %w", im.lines+1, err)
		}
	}
	if !im.ended {
		return fmt.Errorf("import line %d: the export is truncated", im.lines+1)
	}
	if err := im.appendEntry(ctx); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	im.b.put(importKey(), encodeNumber(importDone))
	if err := errors.Join(a.Flush(ctx), a.store.write(&im.b)); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return a.rewriteWitness(ctx)
}

// ImportAt creates an archive at dir, where there is none, from the output of Export. It
// uses Beside, so dir holds either nothing or the whole archive.
func ImportAt(ctx context.Context, dir string, r io.Reader, how Building) error {
	err := Beside(ctx, dir, how, func(ctx context.Context, dir string) error {
		a, err := open(dir, how.options())
		if err != nil {
			return err
		}
		return errors.Join(a.Import(ctx, r), a.Close())
	})
	if err != nil {
		return fmt.Errorf("import into a new archive: %w", err)
	}
	return nil
}

// startImport marks an empty archive as incomplete.
func (a *Archive) startImport(ctx context.Context) error {
	return a.change(ctx, "begin", func(b *batch) error {
		err := a.store.scan(ctx, nil, nil, func(k, _ []byte) error {
			if k[0] != tableMeta {
				return ErrNotEmpty
			}
			return nil
		})
		b.put(importKey(), encodeNumber(importBegun))
		return err
	})
}

// readLine returns a line including its newline, which the last line may lack. At the end
// of the input it returns io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxLine:
			return nil, errors.New("the line is too long")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		}
		return text, err
	}
}

func (im *importer) line(text []byte) error {
	if im.ended {
		return errors.New("there is text after the end of the export")
	}
	var l line
	if err := strictJSON(text, &l); err != nil {
		return err
	}
	switch {
	case im.lines == 0:
		var err error
		if im.origin, err = checkHeader(l); err != nil {
			return err
		}
	case l.Kind == lineEnd:
		var end trailerLine
		if err := strictJSON(l.Value, &end); err != nil {
			return err
		}
		if end.Lines != im.lines || end.SHA256 != hex.EncodeToString(im.sum.Sum(nil)) {
			return errors.New("the export was changed or damaged: its checksum does not match")
		}
		im.ended = true
		return nil
	default:
		read, known := im.kinds[l.Kind]
		if !known {
			return fmt.Errorf("unknown kind of record %q", l.Kind)
		}
		if err := read(l.Value); err != nil {
			return fmt.Errorf("a record of kind %q: %w", l.Kind, err)
		}
	}
	im.lines++
	im.sum.Write(text)
	if im.b.full() {
		return im.b.flush(im.a.store)
	}
	return nil
}

// originForm matches the id of an archive, and the empty string, because an export may
// contain no id.
var originForm = regexp.MustCompile(`^([0-9a-f]{16})?$`)

// checkHeader returns the id of the archive that was exported, or "" if the header contains
// none.
func checkHeader(l line) (origin string, err error) {
	var h headerLine
	if l.Kind != lineHeader {
		return "", errors.New("this is not an export of an archive")
	}
	if err := strictJSON(l.Value, &h); err != nil {
		return "", err
	}
	if h.Schema != schemaVersion {
		return "", fmt.Errorf("%w: the export has schema %d, but this version of evolve reads schema %d", ErrNewer, h.Schema, schemaVersion)
	}
	if !originForm.MatchString(h.Archive) {
		return "", fmt.Errorf("%.40q is not the id of an archive", h.Archive)
	}
	return h.Archive, nil
}

// readers returns, for each kind of line, the function that checks the record in the line
// and adds it. None of these functions assigns numbers: every record retains its number.
func (im *importer) readers(ctx context.Context) map[string]func(value json.RawMessage) error {
	b := &im.b
	return map[string]func(value json.RawMessage) error{
		lineRun:     read(im.run),
		lineVariant: read(im.variant),
		linePlan: read(func(p AgentPlan) error {
			return errors.Join(im.checkRun(p.Run), putDocument(b, partKey(tablePlan, p.Run, p.Agent), p))
		}),
		lineResult: read(func(r AgentResult) error {
			return errors.Join(im.checkRun(r.Run), putDocument(b, partKey(tableResult, r.Run, r.Agent), r))
		}),
		lineEvaluation: read(func(e bench.Evaluation) error { return im.evaluation(ctx, e) }),
		lineTranscript: read(func(t transcriptLine) error {
			data, err := im.a.packer.pack(&t.Transcript)
			b.put(contentKey(tableTranscript, foreignKey(t.Key)), data)
			return err
		}),
		lineProposal: read(im.proposal),
		lineDecision: read(func(d decisionLine) error { return putDocument(b, decisionKey(d.Seq), d.Decision) }),
		lineLedger:   read(im.entry),
		lineExposure: read(func(e Exposure) error {
			im.exposures[e.Agent]++
			return putExposure(b, e, im.exposures[e.Agent])
		}),
		lineCandidate:  read(im.candidate),
		lineMutation:   read(func(m Mutation) error { return putMutation(b, m) }),
		lineSession:    read(func(s sessionLine) error { return putSession(b, s.Agent, s.Name, s.Session) }),
		lineTurn:       read(im.turn),
		lineRequest:    read(im.request),
		lineToolHealth: read(func(h ToolHealth) error { return putToolHealth(b, h) }),
		lineQuestion:   read(func(q Question) error { return putQuestion(b, q) }),
		lineExperience: read(func(l experienceLine) error { return putExperience(b, l.Agent, l.Experience) }),
		lineAutonomy:   read(func(r AutonomyRecord) error { return putAutonomy(b, foreignAutonomy(r)) }),
	}
}

// read returns a function that decodes a value, checks it and passes it to store.
func read[T any](store func(T) error) func(data json.RawMessage) error {
	return func(data json.RawMessage) error {
		var v T
		if err := strictJSON(data, &v); err != nil {
			return err
		}
		if err := checkForeign(&v); err != nil {
			return err
		}
		return store(v)
	}
}

// number parses the id of a record, which is a letter and a number within bounds.
func number(letter byte, what, id string) (uint64, error) {
	n, ok := parseID(letter, id)
	if !ok {
		return 0, fmt.Errorf("%q is not the id of a %s", id, what)
	}
	return n, checkNumber(what+" "+id, n)
}

func (im *importer) run(r Run) error {
	if r.ID == "" || r.Number < 1 {
		return errors.New("it needs an id and a number of at least 1")
	}
	if err := checkNumber("run "+r.ID, uint64(r.Number)); err != nil {
		return err
	}
	im.runs[r.ID] = true
	return putRun(&im.b, foreignRun(r))
}

func (im *importer) variant(v Variant) error {
	if v.Number < 1 || v.ID != v.Config.ID() {
		return errors.New("its number must be at least 1 and its id must be the id of its config")
	}
	if err := checkNumber("variant "+string(v.ID), uint64(v.Number)); err != nil {
		return err
	}
	return putVariant(&im.b, v)
}

func (im *importer) evaluation(ctx context.Context, e bench.Evaluation) error {
	if err := im.checkRun(e.Run); err != nil {
		return err
	}
	if uint64(e.Seq) > maxSequence {
		return fmt.Errorf("%w: an evaluation of run %s: its number %d is not between 0 and %d", ErrCorrupt, e.Run, e.Seq, int64(maxSequence))
	}
	if err := checkNumber("a repeat in run "+e.Run, uint64(e.Repeat)); err != nil {
		return err
	}
	e.Key = foreignKey(e.Key)
	return im.a.Record(ctx, e, nil)
}

func (im *importer) proposal(p ProposalRecord) error {
	n, err := number('P', "proposal", p.ID)
	if err != nil {
		return err
	}
	if foreignProposal(&p) {
		im.drafts++
	}
	return putProposal(&im.b, p, n)
}

func (im *importer) entry(e LedgerEntry) error {
	if broken := checkEntry(e, im.last); broken != nil {
		return broken
	}
	im.last = ledgerHead{e.Seq, e.Hash}
	return putEntry(&im.b, e)
}

func (im *importer) turn(t TurnRecord) error {
	n, err := number('T', "turn", t.ID)
	if err != nil {
		return err
	}
	t.ID, t.Imported = fmt.Sprintf("T%d", n), true
	_, err = im.a.putTurn(&im.b, t, n)
	return err
}

func (im *importer) candidate(c Candidate) error {
	if err := checkCandidate(c); err != nil {
		return err
	}
	// The ledger precedes the candidates in an export, so all of its entries have been
	// read.
	im.candidates[c.Agent]++
	if uint64(c.Number) != im.candidates[c.Agent] || c.Ledger < 1 || c.Ledger > im.last.Seq {
		return errors.New("its number does not follow that of the previous candidate, or its ledger entry does not exist")
	}
	c.Time = normalizeTime(c.Time)
	im.b.put(counterKey(countCandidates, c.Agent), encodeNumber(uint64(c.Number)))
	return putCandidate(&im.b, foreignCandidate(c))
}

func (im *importer) request(r ChangeRequestRecord) error {
	n, err := number('R', "change request", r.ID)
	if err != nil {
		return err
	}
	r.ID = fmt.Sprintf("R%d", n)
	if r, err = normalizeRequest(r); err != nil {
		return err
	}
	if d := r.Decision; d != nil {
		d.Time, d.Reason = normalizeTime(d.Time), truncate(d.Reason, maxCallReason)
	}
	place := string(requestHashKey(r.Agent, r.Request.ID))
	if im.requests[place] {
		return errors.New("its agent has another change request with the same hash")
	}
	im.requests[place] = true
	im.b.put(counterKey(countRequests, ""), encodeNumber(n))
	return putRequest(&im.b, r, n)
}

// strictJSON decodes data and stores the result in *into, where into is a pointer.
// Unknown field names are an error, because their values would be lost.
func strictJSON(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is text after the JSON value")
	}
	return nil
}
