package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unreadable is the error of a log that cannot be read as a whole, with a hint on what to
// do.
type Unreadable struct {
	Problem string
	Hint    string
}

func (e *Unreadable) Error() string { return e.Problem }

func unreadable(hint, problem string, args ...any) error {
	return &Unreadable{Problem: fmt.Sprintf(problem, args...), Hint: hint}
}

const (
	hintForms  = "a log is JSON, JSON lines or an Inspect archive (.eval); `evolve help suites` lists the formats"
	hintFormat = "name the log's format with --format; `evolve help suites` lists the formats"
	hintCut    = "its end is missing: copy or export it again"
)

// sniffed is the number of leading bytes that are examined to recognise a log that is not
// text.
const sniffed = 512

// kinds are the beginnings of files that are not logs, with a hint for those that may
// contain one.
var kinds = []struct{ begin, kind, hint string }{
	{"\x89PNG", "a PNG image", ""},
	{"\xff\xd8\xff", "a JPEG image", ""},
	{"GIF8", "a GIF image", ""},
	{"%PDF", "a PDF document", ""},
	{"PAR1", "a Parquet file", ""},
	{"SQLite format 3\x00", "a SQLite database", ""},
	{"\x7fELF", "a program", ""},
	{"PK\x05\x06", "an empty ZIP archive", ""},
	{"\x1f\x8b", "compressed with gzip", "unpack it: gunzip -c FILE | evolve bench build - --suite NAME"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it: zstd -dc FILE | evolve bench build - --suite NAME"},
	{"BZh", "compressed with bzip2", "unpack it: bunzip2 -c FILE | evolve bench build - --suite NAME"},
	{"\xfd7zXZ", "compressed with xz", "unpack it: xz -dc FILE | evolve bench build - --suite NAME"},
	{"\xff\xfe", "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE | evolve bench build - --suite NAME"},
	{"\xfe\xff", "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE | evolve bench build - --suite NAME"},
}

// sniff returns an error for a log whose first bytes are not text.
func sniff(head []byte) error {
	if len(head) == 0 {
		return unreadable("the log has not been written: check the program that exports it", "it is empty")
	}
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.begin)) {
			hint := k.hint
			if hint == "" {
				hint = hintForms
			}
			return unreadable(hint, "it is %s, not a log", k.kind)
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return unreadable(hintForms, "it is binary data, not a log")
	}
	return nil
}

// none is the error of a log without a conversation.
func (r *reader) none() error {
	switch {
	case r.records == 0 && r.log.Bad == 0:
		return unreadable("the log has not been written: check the program that exports it", "it contains no conversation, because it is empty")
	case r.cut && r.log.Bad == 1:
		return unreadable(hintCut, "it contains no conversation%s", r.firstBad())
	case r.records == 0:
		return unreadable(hintForms, "it contains no conversation%s", r.firstBad())
	case r.o.Format == "":
		return unreadable(hintFormat, "it contains no conversation%s", r.firstBad())
	}
	return unreadable(fmt.Sprintf("the log is not in the format %s, or has no conversation; without --format, evolve detects the format", r.o.Format), "it contains no conversation%s", r.firstBad())
}

// stated returns an error for a record that has a format other than the stated one and
// cannot be read in the stated format.
func (r *reader) stated(rec record) error {
	looks := looksLike(rec)
	if looks == "" || looks == r.o.Format || readableAs(rec, looks, r.o.Format) {
		return nil
	}
	return unreadable(fmt.Sprintf("--format %s reads it; without --format, evolve detects the format of each record", looks),
		"%s is in the format %s, not %s", rec.place(), looks, r.o.Format)
}

// looksLike returns the format of a record. Results in a list are in promptfoo's format
// only if they have its fields.
func looksLike(rec record) Format {
	if rec.list == "results" && !rec.fields.has("gradingResult", "testCase", "promptIdx", "testIdx", "prompt", "vars") {
		rec.list = ""
	}
	return detect(rec)
}

// readableAs reports whether a record that looks like one format can be read as another
// format: both formats have messages, and the record has no fields that only the first
// format has.
func readableAs(rec record, looks, format Format) bool {
	f := rec.fields
	if looks != OpenAI && looks != Anthropic || rec.list != "" && rec.list != "results" {
		return false
	}
	switch format {
	case OpenAI:
		return !onlyAnthropic(f)
	case Anthropic:
		return !onlyOpenAI(f)
	case Tau:
		return f.has("messages") && f.has("reward", "reward_info", "task_id", "trial")
	case Inspect:
		return f.has("messages") && f.has("scores", "target", "epoch")
	}
	return false
}

// onlyAnthropic reports whether a record has fields that OpenAI's messages do not have.
func onlyAnthropic(f row) bool {
	request := f
	if !f.has("messages") {
		request = f.inner("request")
	}
	if request.has("system") || f.has("stop_reason") || f.inner("response").has("stop_reason") {
		return true
	}
	for _, raw := range request.list("messages") {
		m, _ := object(raw)
		for _, block := range m.list("content") {
			part, _ := object(block)
			switch part.text("type") {
			case "tool_use", "tool_result", "thinking", "redacted_thinking":
				return true
			}
		}
	}
	return false
}

// onlyOpenAI reports whether a record has fields that Anthropic's messages do not have.
func onlyOpenAI(f row) bool {
	request := f
	if !f.has("messages") {
		request = f.inner("request")
	}
	if f.has("choices") || f.inner("response").has("choices") {
		return true
	}
	for _, raw := range request.list("messages") {
		m, _ := object(raw)
		switch strings.ToLower(m.text("role")) {
		case "system", "developer", "tool", "function":
			return true
		}
		if m.has("tool_calls", "function_call") {
			return true
		}
	}
	return false
}

// isCut reports whether the text of a JSON value ends before the value does.
func isCut(raw []byte) bool {
	if !utf8.Valid(raw[:max(0, len(raw)-utf8.UTFMax)]) {
		return false
	}
	var value json.RawMessage
	var syntax *json.SyntaxError
	err := json.Unmarshal(raw, &value)
	return errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input"
}
