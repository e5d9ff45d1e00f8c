package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"unicode/utf8"
)

// EncodingError reports that a file is empty, or is not text in UTF-8.
type EncodingError struct{ problem, hint string }

func (e *EncodingError) Error() string { return e.problem }

// Hint returns advice on how to make the file readable.
func (e *EncodingError) Hint() string { return e.hint }

var byteOrderMark = []byte("\xef\xbb\xbf")

// Readable returns an [EncodingError] for a file that is empty or is not text in UTF-8, a
// [PointerError] for a git-LFS pointer, and nil for any other file.
func Readable(data []byte) error {
	if err := Pointer(data); err != nil {
		return err
	}
	if name := utf16In(data); name != "" {
		return &EncodingError{"the file is not valid UTF-8: it is " + name, converted(name)}
	}
	text := bytes.TrimPrefix(data, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		problem := "the file is empty"
		if len(text) > 0 {
			problem = "the file contains only white space"
		}
		return &EncodingError{problem, "check its name, or the program that should have written it"}
	}
	line := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return &EncodingError{fmt.Sprintf("the file is not valid UTF-8: line %d has the byte 0x%02X, which suggests Latin-1 or Windows-1252", line, text[0]), converted("WINDOWS-1252")}
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
	return nil
}

func converted(from string) string {
	return fmt.Sprintf("`iconv -f %s -t UTF-8 FILE > NEW` converts it; in a spreadsheet program, save the file as \"CSV UTF-8\"", from)
}

// zippedText is the beginning of every file in the gzip format.
var zippedText = []byte("\x1f\x8b\x08")

// Unpacked decompresses a file in the gzip format, up to one byte more than a file may
// have. It returns any other file unchanged.
func Unpacked(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, zippedText) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, maxBytes+1))
	}
	if err != nil {
		return nil, &EncodingError{"the file is compressed with gzip and is truncated or damaged", "test it with `gzip -t FILE`, then fetch it again"}
	}
	return data, nil
}

// utf16In returns the name of the encoding if data is text in UTF-16, and "" otherwise. It
// recognises the encoding by the byte order mark, or because every other one of the first
// bytes is 0, as in Western text.
func utf16In(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "UTF-16"
	case len(data) < 4:
		return ""
	case data[1] == 0 && data[3] == 0 && data[0] != 0 && data[2] != 0:
		return "UTF-16LE"
	case data[0] == 0 && data[2] == 0 && data[1] != 0 && data[3] != 0:
		return "UTF-16BE"
	}
	return ""
}
