package sessions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	foreign "evolve/runtime/text"
)

// The bounds of a log.
const (
	maxLog           = 1 << 30   // bytes of a log, and of an archive when unpacked
	maxHeld          = 256 << 20 // bytes that are held until the end of the log
	maxRecord        = 32 << 20  // bytes of a record
	maxConversations = 100_000
	maxMessages      = 5000 // of a conversation
	maxNamed         = 10   // bad records that are named
	maxName          = 100  // bytes of a name, such as that of a tool
)

// ReadOptions configures [Read].
type ReadOptions struct {
	// Name is the name of the log; only the last element of a path is stored.
	Name string
	// Format overrides the detected format of each record.
	Format Format
}

// Log counts the contents of a log.
type Log struct {
	File string `json:"file"`
	// Formats lists the formats that were found, sorted.
	Formats       []Format `json:"formats"`
	Conversations int      `json:"conversations"`
	// Bad is the number of records that could not be read; Named describes the first of
	// them.
	Bad   int      `json:"bad"`
	Named []string `json:"named,omitempty"`
}

// Read reads a log and passes its conversations to each, one at a time. The conversations
// come in the order of the log, except that a conversation whose messages are spread over
// the log comes at the end. A record that cannot be read is counted and left out; an
// error means that the log as a whole cannot be read.
func Read(in io.Reader, o ReadOptions, each func(Conversation)) (Log, error) {
	r := &reader{o: o, each: each, log: Log{File: fileName(o.Name), Formats: []Format{}, Named: []string{}}}
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		return r.log, unreadable("without --format, evolve detects the format", "unknown format %s (valid: %s)", foreign.Quote(string(o.Format)), joined(Formats()))
	}
	err := r.read(&limited{in, maxLog, errLong})
	if err == nil {
		r.flush()
	}
	slices.Sort(r.log.Formats)
	if err == nil && r.log.Conversations == 0 {
		err = r.none()
	}
	return r.log, err
}

// fileName returns the last element of a path as valid UTF-8, clipped to maxName bytes.
func fileName(path string) string {
	return foreign.Clip(strings.ToValidUTF8(filepath.Base(path), "\uFFFD"), maxName)
}

func joined[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// reader reads one log.
type reader struct {
	o    ReadOptions
	each func(Conversation)
	log  Log
	// The fields plain and spans contain what later records may still extend: the plain
	// conversations, and the spans.
	plain plainTurns
	spans spans
	size  int // bytes held
	// records is the number of JSON objects in the log; cut reports whether the log ends
	// within an object.
	records int
	cut     bool
}

var (
	errLong = fmt.Errorf("it is larger than %d MB", maxLog>>20)
	errHeld = fmt.Errorf("more than %d MB of incomplete conversations would have to be kept in memory until the end of the log", maxHeld>>20)
	errMany = fmt.Errorf("it contains more than %d conversations", maxConversations)
)

// record is one JSON object of a log.
type record struct {
	line   int // 0 if the log has no lines
	number int // the record's number among all records
	// list is the key of the list that contains the record, and head is the object with
	// that list; both are empty for an object that is not in a list.
	list   string
	head   row
	fields row
	format Format
	size   int
}

// place returns the words that name a record in notes.
func (r record) place() string {
	if r.line > 0 {
		return fmt.Sprintf("line %d", r.line)
	}
	return fmt.Sprintf("item %d", r.number)
}

// bad counts a record that cannot be read.
func (r *reader) bad(place, format string, args ...any) {
	r.log.Bad++
	if len(r.log.Named) < maxNamed {
		r.log.Named = append(r.log.Named, place+" "+fmt.Sprintf(format, args...))
	}
}

func (r *reader) firstBad() string {
	if len(r.log.Named) == 0 {
		return ""
	}
	return ": " + r.log.Named[0]
}

// take reads one record by its format.
func (r *reader) take(rec record) error {
	r.records++
	rec.fields = maybe(rec.fields)
	format := r.o.Format
	if format == "" {
		format = detect(rec)
	} else if err := r.stated(rec); err != nil {
		return err
	}
	read := map[Format]func(*reader, record) error{
		OpenAI: (*reader).chat, Anthropic: (*reader).chat, Plain: (*reader).plainRecord, OTel: (*reader).otel,
		Inspect: (*reader).inspect, Promptfoo: (*reader).promptfoo, Tau: (*reader).tau,
		InterCode: (*reader).intercode,
	}[format]
	if read == nil {
		r.bad(rec.place(), "has no known format")
		return nil
	}
	if !slices.Contains(r.log.Formats, format) {
		r.log.Formats = append(r.log.Formats, format)
	}
	rec.format = format
	err := read(r, rec)
	var fatal fatalError
	if errors.As(err, &fatal) {
		return fatal.error
	}
	if err != nil {
		r.bad(rec.place(), "%v", err)
	}
	return nil
}

// fatalError is an error that ends the reading of the whole log.
type fatalError struct{ error }

// give passes a complete conversation to the caller of [Read]. It returns an error if the
// conversation is too long or has no message from a user.
func (r *reader) give(rec record, c Conversation) error {
	if len(c.Messages) > maxMessages {
		return fmt.Errorf("has %d messages; the limit is %d", len(c.Messages), maxMessages)
	}
	if !slices.ContainsFunc(c.Messages, func(m Message) bool { return m.Role == User }) {
		return errors.New("has no message from a user")
	}
	if r.log.Conversations >= maxConversations {
		return fatalError{errMany}
	}
	r.log.Conversations++
	c.File, c.Line, c.Format = r.log.File, rec.line, rec.format
	c.ID, c.Domain = name(c.ID), name(c.Domain)
	c.Verdict = c.Verdict.clean()
	for i := range c.Messages {
		c.Messages[i].Verdict = c.Messages[i].Verdict.clean()
	}
	c.Digest = digest(c.Messages)
	r.each(c)
	return nil
}

// hold counts bytes that are held until the end of the log. It returns an error if there
// are too many.
func (r *reader) hold(size int) error {
	if r.size += size; r.size > maxHeld {
		return fatalError{errHeld}
	}
	return nil
}

// flush passes on the held conversations.
func (r *reader) flush() {
	for _, h := range r.plain.conversations() {
		r.report(h)
	}
	for _, h := range r.spans.conversations() {
		r.report(h)
	}
}

// heldConversation is a conversation that later records could extend.
type heldConversation struct {
	at record
	Conversation
}

func (r *reader) report(h heldConversation) {
	if err := r.give(h.at, h.Conversation); err != nil {
		r.bad(h.at.place(), "begins a conversation that %v", err)
	}
}

func (v Verdict) clean() Verdict {
	v.How, v.By = name(v.How), name(v.By)
	return v
}

// name returns a foreign name on one line, clipped and without unprintable characters.
func name(s string) string {
	s = strings.Map(func(r rune) rune {
		if foreign.Shown(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(foreign.Clip(strings.Join(strings.Fields(s), " "), maxName))
}

func digest(messages []Message) string {
	h := sha256.New()
	for _, m := range messages {
		fmt.Fprintf(h, "%d:%s%d:%s", len(m.Role), m.Role, len(m.Text), m.Text)
		for _, tool := range m.Tools {
			fmt.Fprintf(h, "%d:%s", len(tool), tool)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// limited is a reader that fails with err if there are more than left bytes.
type limited struct {
	in   io.Reader
	left int64
	err  error
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		// An end exactly at the bound is not an error.
		if n, err := l.in.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, l.err
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// row is a JSON object.
type row map[string]json.RawMessage

// object decodes one JSON object of valid UTF-8.
func object(raw []byte) (row, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("is not valid UTF-8")
	}
	var out row
	if err := json.Unmarshal(raw, &out); err != nil || out == nil {
		if err == nil || json.Valid(raw) {
			return nil, errors.New("is not a JSON object")
		}
		return nil, errors.New("is not valid JSON")
	}
	return out, nil
}

// maybe returns r, or an empty object if r is nil.
func maybe(r row) row {
	if r == nil {
		return row{}
	}
	return r
}

// has reports whether any of the keys has a value other than null.
func (r row) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return present(r[k]) })
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }

// first returns the value of the first of the keys that has one.
func (r row) first(keys ...string) json.RawMessage {
	for _, k := range keys {
		if present(r[k]) {
			return r[k]
		}
	}
	return nil
}

// inner returns the object under the first of the keys that has a value, or an empty
// object if the value is not an object.
func (r row) inner(keys ...string) row {
	var out row
	if json.Unmarshal(r.first(keys...), &out) != nil {
		return row{}
	}
	return maybe(out)
}

// list returns the items of the list under the first of the keys that has a value, or nil
// if the value is not a list.
func (r row) list(keys ...string) []json.RawMessage {
	var out []json.RawMessage
	if json.Unmarshal(r.first(keys...), &out) != nil {
		return nil
	}
	return out
}

// text returns, as text, the text or number under the first of the keys that has a value.
// It returns "" if that value is neither a text nor a number.
func (r row) text(keys ...string) string { return scalar(r.first(keys...)) }

func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
