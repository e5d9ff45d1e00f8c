package archive

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// cutMark marks the end of truncated text.
const cutMark = " …"

// truncate returns valid text that takes at most limit bytes inside a JSON string. If it
// must shorten s, it cuts between two characters.
func truncate(s string, limit int) string {
	s = validText(s)
	if len(s) <= limit/6 || encodedLen(s) <= limit {
		return s
	}
	size, end := len(cutMark), 0
	for i, r := range s {
		if size += runeLen(r); size > limit {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return s[:end] + cutMark
}

// encodedLen returns the number of bytes that valid text takes inside a JSON string.
func encodedLen(s string) int {
	n := 0
	for _, r := range s {
		n += runeLen(r)
	}
	return n
}

func runeLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// normalizeJSON returns foreign JSON without white space. Invalid JSON becomes a JSON
// string, and empty data becomes null.
func normalizeJSON(data []byte) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	var b bytes.Buffer
	if json.Compact(&b, data) == nil {
		return b.Bytes()
	}
	text, err := appendJSON(nil, string(data))
	if err != nil { // valid text always has a JSON form
		return json.RawMessage("null")
	}
	return text
}
