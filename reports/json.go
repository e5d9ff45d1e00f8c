package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes the view model under the schema [Schema]. It escapes characters without a
// visible form, which any parser decodes, because the file may be shown on a terminal.
func JSON(w io.Writer, r Report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err = w.Write(append(escapeHidden(data), '\n'))
	return err
}

// escapeHidden escapes invisible characters in the strings of a JSON text. Outside of
// strings a JSON text is printable ASCII and line feeds.
func escapeHidden(data []byte) []byte {
	if !bytes.ContainsFunc(data, func(r rune) bool { return r >= 0x7f }) {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r < 0x7f || shown(r) && !unicode.Is(unicode.M, r):
			out = append(out, data[:n]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		}
		data = data[n:]
	}
	return out
}
