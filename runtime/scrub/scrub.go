package scrub

import (
	"encoding/json"
	"strings"
	"sync"
)

// Mark replaces a credential.
const Mark = "[redacted]"

// Scrubber removes credentials from text. It is safe for concurrent use.
type Scrubber struct {
	// finder returns the compiled scrubber. It is compiled only for the first text, because
	// many processes scrub none.
	finder func() *finder
}

// New returns a scrubber that removes the given values, such as those of the environment
// variables passed to a program, in addition to everything that has the shape of a
// credential. Values of fewer than six bytes are ignored, because they occur in ordinary
// text. A value is found as it is, in base64, hexadecimal and percent encoding, and inside
// a JSON string. A value of at least twelve bytes is also found if it is interrupted by
// line breaks, their indentation or invisible characters.
func New(known []string) *Scrubber {
	values := make([]string, len(known))
	copy(values, known)
	return &Scrubber{finder: sync.OnceValue(func() *finder { return newFinder(values) })}
}

// maxRounds limits how many times a result is scrubbed again.
const maxRounds = 8

// String returns the text without credentials. It takes time linear in the length of the
// text and of the known values. Scrubbing a result again changes nothing, and JSON remains
// valid JSON.
func (s *Scrubber) String(text string) string {
	f := s.finder()
	// A removal can complete another shape, such as that of a URL whose password was a
	// known value.
	for range maxRounds {
		next := f.once(text)
		if next == text {
			return text
		}
		text = next
	}
	// Only text crafted so that every removal completes another shape gets here.
	return Mark
}

// Flags reports whether String would change the text.
func (s *Scrubber) Flags(text string) bool {
	return s.finder().once(text) != text
}

// finder is a compiled scrubber.
type finder struct {
	words *automaton
	rules []rule
	// lengths holds the lengths of the words.
	lengths []int
	// broken is nil if no known value is long enough.
	broken *broken
}

// rule adds the spans of a credential indicated by the word at [start, end).
type rule func(s *scan, start, end int)

// trigger is a word, in lower case, and the rule for its occurrences.
type trigger struct {
	word string
	rule rule
}

func newFinder(known []string) *finder {
	all := append(triggers(), knownTriggers(known)...)
	words := make([]string, len(all))
	f := &finder{rules: make([]rule, len(all)), lengths: make([]int, len(all)), broken: newBroken(known)}
	for i, t := range all {
		words[i], f.rules[i], f.lengths[i] = t.word, t.rule, len(t.word)
	}
	f.words = newAutomaton(words)
	return f
}

// triggers returns the triggers of every rule that needs no known value.
func triggers() []trigger {
	var all []trigger
	for _, list := range [][]trigger{
		issuerTriggers(), shapeTriggers(), nameTriggers(), headerTriggers(), urlTriggers(), keyTriggers(), fileTriggers(), commandTriggers(), pairTriggers(), cardTriggers(),
	} {
		all = append(all, list...)
	}
	return all
}

// once makes a single pass and removes everything that it finds.
func (f *finder) once(text string) string {
	s := f.scan(text)
	if len(s.spans) == 0 {
		return text
	}
	if looksJSON(text) && json.Valid([]byte(text)) {
		return f.inJSON(s, 0, len(text), s.spans)
	}
	// Each line may be a separate JSON value.
	var out strings.Builder
	at := 0
	for spans := s.spans; len(spans) > 0; {
		first := max(spans[0].start, at)
		from := strings.LastIndexByte(text[at:first], '\n') + at + 1
		to := len(text)
		if n := strings.IndexByte(text[first:], '\n'); n >= 0 {
			to = first + n
		}
		var line []span
		for len(spans) > 0 && spans[0].start < to {
			line = append(line, span{max(spans[0].start, at), spans[0].end})
			spans = spans[1:]
		}
		out.WriteString(text[at:from])
		if line[len(line)-1].end <= to && looksJSON(text[from:to]) && json.Valid([]byte(text[from:to])) {
			out.WriteString(f.inJSON(s, from, to, line))
		} else {
			to = max(to, line[len(line)-1].end)
			out.WriteString(s.marked(from, to, line))
		}
		at = to
		for len(spans) > 0 && spans[0].end <= at {
			spans = spans[1:]
		}
	}
	out.WriteString(text[at:])
	return out.String()
}

// scan applies the rules to a text.
func (f *finder) scan(text string) *scan { return f.scanAt(text, 0) }

// scanAt applies the rules to a text that was decoded depth times.
func (f *finder) scanAt(text string, depth int) *scan {
	s := &scan{text: text}
	f.rule(s, depth)
	f.hidden(s, depth)
	return f.finish(s, depth)
}

// visible applies the rules to a text whose invisible characters were removed.
func (f *finder) visible(text string, depth int) *scan {
	s := &scan{text: text}
	f.rule(s, depth)
	return f.finish(s, depth)
}

// rule applies the rules for the words that occur in a text.
func (f *finder) rule(s *scan, depth int) {
	text := s.text
	f.words.each(text, func(word int32, end int) {
		// No rule is needed inside a span that is already marked for removal.
		if start := end - f.lengths[word]; start < s.last.start || end > s.last.end {
			f.rules[word](s, start, end)
		}
	})
	if f.broken != nil && depth == 0 {
		f.broken.find(s)
	}
}

// finish joins the spans that were found, and then searches encoded text.
func (f *finder) finish(s *scan, depth int) *scan {
	s.join()
	if depth < maxDepth {
		f.encoded(s, depth)
	}
	return s
}

// looksJSON reports whether text begins like a JSON value.
func looksJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.IndexByte(`{["-0123456789`, text[0]) >= 0
}

// inJSON returns text[from:to], which is JSON, with the spans replaced by marks in such a
// way that the result is valid JSON too.
func (f *finder) inJSON(s *scan, from, to int, spans []span) string {
	out := s.marked(from, to, spans)
	if json.Valid([]byte(out)) {
		return out
	}
	// The whole JSON text may be a number, for example if it is one line of an encoded
	// text. Such a line may have been found only together with the neighbouring lines.
	if one := spans[0]; one.start <= from && one.end >= to {
		return `"` + Mark + `"`
	}
	return f.values(s.text[from:to])
}

// values removes the matches within individual JSON strings and numbers. It is used if
// the spans contain JSON syntax, which is the case for known values that look like JSON.
func (f *finder) values(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		switch b := text[i]; {
		case b == '"':
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out.WriteString(f.literal(text[i:end]))
		case b == '-' || digit.has(b):
			for end < len(text) && strings.IndexByte("+-.eE0123456789", text[end]) >= 0 {
				end++
			}
			out.WriteString(f.literal(text[i:end]))
		default:
			out.WriteByte(b)
		}
		i = end
	}
	return out.String()
}

// literal removes the matches in one JSON literal. If the result would be invalid, it
// removes the whole literal.
func (f *finder) literal(text string) string {
	s := f.scan(text)
	out := s.marked(0, len(text), s.spans)
	if out != text && !json.Valid([]byte(out)) {
		return `"` + Mark + `"`
	}
	return out
}
