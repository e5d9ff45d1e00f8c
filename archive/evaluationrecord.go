package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"evolve/bench"
)

// evaluationVersion is the first byte of every stored evaluation. The fields that follow
// are in the wire format of protocol buffers, encoded by hand: there are hundreds of
// thousands of evaluations, and this takes a fifth of the time and half the space of JSON.
// Run, agent and seq are in the key. Zero values are omitted; unknown fields are skipped,
// so fields may be added. Field numbers never change.
const evaluationVersion = 1

// The field numbers of an evaluation. The fields of the first group identify the
// evaluation and its run. Those of the second hold its outcome, which is stored only in
// the first evaluation with a given key. A later evaluation with the same key has
// fieldFirst instead, which refers to that first evaluation.
const (
	fieldKey = iota + 1
	fieldVariant
	fieldTask
	fieldDomain
	fieldSplit
	fieldStage
	fieldRepeat
	fieldSeed
	fieldSeconds
	fieldNanos
	fieldCached
)

const (
	fieldOutcome = iota + 16
	fieldScored
	fieldScore
	fieldPass
	fieldGrade
	fieldLatency
	fieldAttempts
	fieldError
	fieldAnswer
	fieldInputTokens
	fieldOutputTokens
	fieldCachedTokens
	fieldCost
	fieldIterations
	fieldToolCalls
	fieldJudgeInputTokens
	fieldJudgeOutputTokens
	fieldJudgeCachedTokens
	fieldJudgeCost
	fieldJudgeCalls
	fieldJudging
	fieldStarted
)

const fieldFirst = 48

// The field numbers of a grade.
const (
	gradeType = iota + 1
	gradeScore
	gradePass
	gradeWeight
	gradeReason
	gradeSamples
	gradeSD
)

// hexText is text that packHex encodes. repeatedHex is hexText whose value occurs in many
// records.
type (
	hexText     string
	repeatedHex string
)

// fields returns pointers to the stored fields, indexed by field number. It defines the
// whole encoding: the type of a pointer determines how its value is stored.
func (s *storedEvaluation) fields() [fieldFirst + 1]any {
	e := &s.Evaluation
	return [...]any{
		fieldKey: (*hexText)(&e.Key), fieldVariant: (*repeatedHex)(&e.Variant), fieldTask: &e.Task, fieldDomain: &e.Domain,
		fieldSplit: (*string)(&e.Split), fieldStage: (*string)(&e.Stage), fieldRepeat: &e.Repeat, fieldSeed: &e.Seed,
		fieldSeconds: &s.seconds, fieldNanos: &s.nanos, fieldCached: &e.Cached,
		fieldOutcome: (*string)(&e.Outcome), fieldScored: &e.Scored, fieldScore: &e.Score, fieldPass: &e.Pass, fieldGrade: &e.Grades,
		fieldLatency: (*int64)(&e.Latency), fieldAttempts: &e.Attempts, fieldError: &e.Error, fieldAnswer: &e.Answer,
		fieldInputTokens: &e.Usage.InputTokens, fieldOutputTokens: &e.Usage.OutputTokens, fieldCachedTokens: &e.Usage.CachedTokens,
		fieldCost: &e.Usage.CostUSD, fieldIterations: &e.Usage.Iterations, fieldToolCalls: &e.Usage.ToolCalls,
		fieldJudgeInputTokens: &e.Judge.InputTokens, fieldJudgeOutputTokens: &e.Judge.OutputTokens, fieldJudgeCachedTokens: &e.Judge.CachedTokens,
		fieldJudgeCost: &e.Judge.CostUSD, fieldJudgeCalls: &e.Judge.Iterations,
		fieldJudging: (*int64)(&e.Judging), fieldStarted: &e.Started,
		fieldFirst: &s.first,
	}
}

func gradeFields(g *bench.Grade) [gradeSD + 1]any {
	return [...]any{
		gradeType: &g.Type, gradeScore: &g.Score, gradePass: &g.Pass, gradeWeight: &g.Weight, gradeReason: &g.Reason,
		gradeSamples: &g.Samples, gradeSD: &g.SD,
	}
}

// appendField adds the field at a pointer to an encoded record, unless it is zero.
func appendField(b []byte, num protowire.Number, field any) []byte {
	integer := func(v int64) []byte {
		if v == 0 {
			return b
		}
		return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
	}
	text := func(v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
	}
	switch v := field.(type) {
	case *int:
		return integer(int64(*v))
	case *int64:
		return integer(*v)
	case *bool:
		if *v {
			return integer(1)
		}
	case *float64:
		if bits := math.Float64bits(*v); bits != 0 {
			return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), bits)
		}
	case *string:
		if *v != "" {
			return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), *v)
		}
	case *hexText: // stored even if it is empty
		return text(packHex(string(*v)))
	case *repeatedHex:
		return text(packHex(string(*v)))
	case *key:
		if *v != nil {
			return text(*v)
		}
	case *[]bench.Grade:
		for i := range *v {
			var grade []byte
			for n, field := range gradeFields(&(*v)[i]) {
				grade = appendField(grade, protowire.Number(n), field)
			}
			b = text(grade)
		}
	}
	return b
}

// setField decodes a field: n holds the bits of a number, and raw holds the bytes of a
// text.
func (t texts) setField(field any, n uint64, raw []byte) (err error) {
	switch v := field.(type) {
	case *int:
		*v = int(n)
	case *int64:
		*v = int64(n)
	case *bool:
		*v = n != 0
	case *float64:
		*v = math.Float64frombits(n)
	case *string:
		*v = t.of(raw)
	case *hexText:
		var s string
		s, err = unpackHex(raw)
		*v = hexText(s)
	case *repeatedHex:
		var s string
		s, err = t.unpack(raw)
		*v = repeatedHex(s)
	case *key:
		*v = append(key(nil), raw...)
	case *[]bench.Grade:
		var g bench.Grade
		list := gradeFields(&g)
		err = t.decodeFields(raw, list[:])
		*v = append(*v, g)
	}
	return err
}

// decodeFields decodes a record into the fields that list points to, indexed by their
// numbers.
func (t texts) decodeFields(data []byte, list []any) error {
	for len(data) > 0 {
		num, typ, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		var n uint64
		var raw []byte
		switch typ {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			n, size = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			raw, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(num, typ, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		if int(num) < len(list) {
			if err := t.setField(list[num], n, raw); err != nil {
				return err
			}
		}
		data = data[size:]
	}
	return nil
}

// encodeEvaluation returns the record of an evaluation, without its transcript. If first
// is not nil, it is the key of another evaluation that has the same outcome; the record
// then refers to that evaluation and omits the outcome.
func encodeEvaluation(e *bench.Evaluation, first key) []byte {
	s := storedEvaluation{Evaluation: *e, first: first}
	if !e.Time.IsZero() {
		s.seconds, s.nanos = e.Time.Unix(), int64(e.Time.Nanosecond())+1 // 1, so that the Unix epoch differs from the zero time
	}
	b := append(make([]byte, 0, 256), evaluationVersion)
	for n, field := range s.fields() {
		if first == nil || n < fieldOutcome || n == fieldFirst {
			b = appendField(b, protowire.Number(n), field)
		}
	}
	return b
}

// storedEvaluation is a stored record; first is the key of the evaluation with the outcome,
// or nil if the record itself has it.
type storedEvaluation struct {
	bench.Evaluation
	first key
	// seconds and nanos hold the evaluation's time in the form in which it is stored.
	seconds, nanos int64
}

// copyOutcome copies the outcome from first, the evaluation that s refers to.
func (s *storedEvaluation) copyOutcome(first *bench.Evaluation) {
	own := s.Evaluation
	s.Evaluation = *first
	s.Key, s.Run, s.Agent, s.Seq = own.Key, own.Run, own.Agent, own.Seq
	s.Variant, s.Task, s.Domain = own.Variant, own.Task, own.Domain
	s.Split, s.Stage, s.Repeat, s.Seed = own.Split, own.Stage, own.Repeat, own.Seed
	s.Time, s.Cached = own.Time, own.Cached
	s.first = nil
}

// decodeEvaluation decodes the evaluation stored as data under the key k.
func decodeEvaluation(k, data []byte) (storedEvaluation, error) {
	return newEvaluationDecoder(texts{}).decode(k, data)
}

// evaluationDecoder decodes one record after another. Consecutive records usually differ in
// only a few fields, so recently seen texts are reused instead of being allocated again.
type evaluationDecoder struct {
	texts texts
	// prefix is the key of the last decoded record without the seq, and run and agent are
	// decoded from it.
	prefix     key
	run, agent string
	// fields point into s.
	s      storedEvaluation
	fields [fieldFirst + 1]any
}

func newEvaluationDecoder(t texts) *evaluationDecoder {
	d := &evaluationDecoder{texts: t}
	d.fields = d.s.fields()
	return d
}

// decode decodes the evaluation stored as data under the key k.
func (d *evaluationDecoder) decode(k, data []byte) (storedEvaluation, error) {
	d.s = storedEvaluation{}
	s := &d.s
	if n := len(k) - seqBytes; len(d.prefix) > 0 && n == len(d.prefix) && bytes.Equal(k[:n], d.prefix) {
		s.Run, s.Agent, s.Seq = d.run, d.agent, int64(binary.BigEndian.Uint64(k[n:]))
	} else {
		var err error
		if s.Run, s.Agent, s.Seq, err = readEvaluationKey(k); err != nil {
			return *s, fmt.Errorf("%w: an evaluation: %w", ErrCorrupt, err)
		}
		d.prefix, d.run, d.agent = append(d.prefix[:0], k[:n]...), s.Run, s.Agent
	}
	if len(data) == 0 || data[0] != evaluationVersion {
		return *s, fmt.Errorf("%w: evaluation %d of run %s has an unknown format", ErrCorrupt, s.Seq, s.Run)
	}
	if err := d.texts.decodeFields(data[1:], d.fields[:]); err != nil {
		return *s, fmt.Errorf("%w: evaluation %d of run %s: %w", ErrCorrupt, s.Seq, s.Run, err)
	}
	if s.nanos > 0 {
		s.Time = time.Unix(s.seconds, s.nanos-1).UTC()
	}
	return *s, nil
}

// stage returns the stage of a record, in a fraction of the time that decoding the record
// takes.
func (d *evaluationDecoder) stage(data []byte) (bench.Stage, error) {
	if len(data) == 0 {
		return "", ErrCorrupt
	}
	d.s.Stage = ""
	fields := [fieldStage + 1]any{fieldStage: d.fields[fieldStage]}
	err := d.texts.decodeFields(data[1:], fields[:])
	return d.s.Stage, err
}

// normalize makes every text valid UTF-8, so that JSON preserves it, and normalises the
// time, so that the decoded time is equal to it.
func normalize(e *bench.Evaluation) {
	for _, s := range []*string{
		(*string)(&e.Key), (*string)(&e.Variant), &e.Task, &e.Domain, &e.Run, &e.Agent,
		(*string)(&e.Split), (*string)(&e.Stage), (*string)(&e.Outcome), &e.Error, &e.Answer,
	} {
		*s = validText(*s)
	}
	if len(e.Grades) == 0 {
		e.Grades = nil
	}
	for i, g := range e.Grades {
		if t, r := validText(g.Type), validText(g.Reason); t != g.Type || r != g.Reason {
			e.Grades = append([]bench.Grade(nil), e.Grades...)
			e.Grades[i].Type, e.Grades[i].Reason = t, r
		}
	}
	e.Time = normalizeTime(e.Time)
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// normalizeTime converts t to UTC and drops its monotonic clock reading.
func normalizeTime(t time.Time) time.Time { return t.Round(0).UTC() }

// encodeNumber and decodeNumber convert a counter or an index entry to and from its stored
// form.
func encodeNumber(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeNumber(data []byte) (uint64, error) {
	if len(data) != 8 {
		return 0, fmt.Errorf("%w: a number has %d bytes instead of 8", ErrCorrupt, len(data))
	}
	return binary.BigEndian.Uint64(data), nil
}
