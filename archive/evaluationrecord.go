package archive

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"evolve/bench"
	"evolve/runtime/agent"
)

// evaluationVersion begins every stored evaluation. The fields that follow are in the wire
// format of protocol buffers, encoded by hand: there are hundreds of thousands of them,
// and this takes a fifth of the time and half the size of JSON. Run, agent and seq are in
// the key. Zero values are left out; unknown fields are skipped, so fields may be added.
// Field numbers never change.
const evaluationVersion = 1

// The first group identifies the evaluation and its run; the second is its outcome, and
// only the first evaluation with a key has it. An evaluation that refers to that one has
// the third group instead.
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
)

const fieldFirst = 48

// The fields of a grade.
const (
	gradeType = iota + 1
	gradeScore
	gradePass
	gradeWeight
	gradeReason
)

type fields []byte

func (f *fields) integer(num protowire.Number, v int64) {
	if v != 0 {
		*f = protowire.AppendVarint(protowire.AppendTag(*f, num, protowire.VarintType), uint64(v))
	}
}

func (f *fields) flag(num protowire.Number, v bool) {
	if v {
		f.integer(num, 1)
	}
}

func (f *fields) real(num protowire.Number, v float64) {
	if bits := math.Float64bits(v); bits != 0 {
		*f = protowire.AppendFixed64(protowire.AppendTag(*f, num, protowire.Fixed64Type), bits)
	}
}

func (f *fields) bytes(num protowire.Number, v []byte) {
	*f = protowire.AppendBytes(protowire.AppendTag(*f, num, protowire.BytesType), v)
}

func (f *fields) text(num protowire.Number, v string) {
	if v != "" {
		*f = protowire.AppendString(protowire.AppendTag(*f, num, protowire.BytesType), v)
	}
}

// encodeIdentity writes the first group.
func encodeIdentity(e *bench.Evaluation) fields {
	f := append(make(fields, 0, 256), evaluationVersion)
	f.bytes(fieldKey, packHex(string(e.Key)))
	f.bytes(fieldVariant, packHex(string(e.Variant)))
	f.text(fieldTask, e.Task)
	f.text(fieldDomain, e.Domain)
	f.text(fieldSplit, string(e.Split))
	f.text(fieldStage, string(e.Stage))
	f.integer(fieldRepeat, int64(e.Repeat))
	f.integer(fieldSeed, e.Seed)
	if !e.Time.IsZero() {
		f.integer(fieldSeconds, e.Time.Unix())
		f.integer(fieldNanos, int64(e.Time.Nanosecond())+1) // 1, so that the Unix epoch differs from the zero time
	}
	f.flag(fieldCached, e.Cached)
	return f
}

// encodeEvaluation writes an evaluation without its transcript.
func encodeEvaluation(e *bench.Evaluation) []byte {
	f := encodeIdentity(e)
	f.text(fieldOutcome, string(e.Outcome))
	f.flag(fieldScored, e.Scored)
	f.real(fieldScore, e.Score)
	f.flag(fieldPass, e.Pass)
	for _, g := range e.Grades {
		var sub fields
		sub.text(gradeType, g.Type)
		sub.real(gradeScore, g.Score)
		sub.flag(gradePass, g.Pass)
		sub.real(gradeWeight, g.Weight)
		sub.text(gradeReason, g.Reason)
		f.bytes(fieldGrade, sub)
	}
	f.integer(fieldLatency, int64(e.Latency))
	f.integer(fieldAttempts, int64(e.Attempts))
	f.text(fieldError, e.Error)
	f.text(fieldAnswer, e.Answer)
	f.integer(fieldInputTokens, e.Usage.InputTokens)
	f.integer(fieldOutputTokens, e.Usage.OutputTokens)
	f.integer(fieldCachedTokens, e.Usage.CachedTokens)
	f.real(fieldCost, e.Usage.CostUSD)
	f.integer(fieldIterations, int64(e.Usage.Iterations))
	f.integer(fieldToolCalls, int64(e.Usage.ToolCalls))
	return f
}

// encodeReference writes an evaluation whose outcome is stored at first.
func encodeReference(e *bench.Evaluation, first key) []byte {
	f := encodeIdentity(e)
	f.bytes(fieldFirst, first)
	return f
}

// storedEvaluation is a decoded record; first is the key of the evaluation with the
// outcome, nil when the record itself has it.
type storedEvaluation struct {
	bench.Evaluation
	first key
}

// adopt copies the outcome from the evaluation referred to.
func (s *storedEvaluation) adopt(first *bench.Evaluation) {
	own := s.Evaluation
	s.Evaluation = *first
	s.Key, s.Run, s.Agent, s.Seq = own.Key, own.Run, own.Agent, own.Seq
	s.Variant, s.Task, s.Domain = own.Variant, own.Task, own.Domain
	s.Split, s.Stage, s.Repeat, s.Seed = own.Split, own.Stage, own.Repeat, own.Seed
	s.Time, s.Cached = own.Time, own.Cached
	s.first = nil
}

// decodeEvaluation decodes a record and its key.
func decodeEvaluation(k, data []byte) (storedEvaluation, error) {
	var s storedEvaluation
	var err error
	if s.Run, s.Agent, s.Seq, err = readEvaluationKey(k); err != nil {
		return s, fmt.Errorf("%w: an evaluation: %w", ErrCorrupt, err)
	}
	if len(data) == 0 || data[0] != evaluationVersion {
		return s, fmt.Errorf("%w: evaluation %d of run %s has an unknown form", ErrCorrupt, s.Seq, s.Run)
	}
	if err := s.decode(data[1:]); err != nil {
		return s, fmt.Errorf("%w: evaluation %d of run %s: %w", ErrCorrupt, s.Seq, s.Run, err)
	}
	return s, nil
}

func (s *storedEvaluation) decode(data []byte) error {
	var seconds, nanos int64
	err := eachField(data, func(num protowire.Number, n uint64, raw []byte) (err error) {
		switch num {
		case fieldKey:
			s.Key, err = unpacked[bench.Key](raw)
		case fieldVariant:
			s.Variant, err = unpacked[agent.ConfigID](raw)
		case fieldTask:
			s.Task = string(raw)
		case fieldDomain:
			s.Domain = string(raw)
		case fieldSplit:
			s.Split = bench.Split(raw)
		case fieldStage:
			s.Stage = bench.Stage(raw)
		case fieldRepeat:
			s.Repeat = int(n)
		case fieldSeed:
			s.Seed = int64(n)
		case fieldSeconds:
			seconds = int64(n)
		case fieldNanos:
			nanos = int64(n)
		case fieldCached:
			s.Cached = n != 0
		case fieldOutcome:
			s.Outcome = agent.Outcome(raw)
		case fieldScored:
			s.Scored = n != 0
		case fieldScore:
			s.Score = math.Float64frombits(n)
		case fieldPass:
			s.Pass = n != 0
		case fieldGrade:
			var g bench.Grade
			g, err = decodeGrade(raw)
			s.Grades = append(s.Grades, g)
		case fieldLatency:
			s.Latency = time.Duration(n)
		case fieldAttempts:
			s.Attempts = int(n)
		case fieldError:
			s.Error = string(raw)
		case fieldAnswer:
			s.Answer = string(raw)
		case fieldInputTokens:
			s.Usage.InputTokens = int64(n)
		case fieldOutputTokens:
			s.Usage.OutputTokens = int64(n)
		case fieldCachedTokens:
			s.Usage.CachedTokens = int64(n)
		case fieldCost:
			s.Usage.CostUSD = math.Float64frombits(n)
		case fieldIterations:
			s.Usage.Iterations = int(n)
		case fieldToolCalls:
			s.Usage.ToolCalls = int(n)
		case fieldFirst:
			s.first = append(key(nil), raw...)
		}
		return err
	})
	if nanos > 0 {
		s.Time = time.Unix(seconds, nanos-1).UTC()
	}
	return err
}

func decodeGrade(data []byte) (bench.Grade, error) {
	var g bench.Grade
	err := eachField(data, func(num protowire.Number, n uint64, raw []byte) error {
		switch num {
		case gradeType:
			g.Type = string(raw)
		case gradeScore:
			g.Score = math.Float64frombits(n)
		case gradePass:
			g.Pass = n != 0
		case gradeWeight:
			g.Weight = math.Float64frombits(n)
		case gradeReason:
			g.Reason = string(raw)
		}
		return nil
	})
	return g, err
}

// eachField visits the encoded fields: n holds the bits of a number, raw the bytes of a
// text.
func eachField(data []byte, visit func(num protowire.Number, n uint64, raw []byte) error) error {
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
		if err := visit(num, n, raw); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

func unpacked[T ~string](raw []byte) (T, error) {
	s, err := unpackHex(raw)
	return T(s), err
}

// clean makes every text valid UTF-8, so that JSON preserves it, and normalises the time
// so that it decodes to an equal one.
func clean(e *bench.Evaluation) {
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
	e.Time = plainTime(e.Time)
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// plainTime drops the monotonic reading and the time zone.
func plainTime(t time.Time) time.Time { return t.Round(0).UTC() }

// encodeNumber and decodeNumber store a counter or an index entry.
func encodeNumber(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeNumber(data []byte) (uint64, error) {
	if len(data) != 8 {
		return 0, fmt.Errorf("%w: a number has %d bytes", ErrCorrupt, len(data))
	}
	return binary.BigEndian.Uint64(data), nil
}
