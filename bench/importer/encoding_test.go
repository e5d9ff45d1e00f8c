package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
)

// encodable is a table with letters that differ between encodings.
const encodable = "question,answer\nWo ist das Café?,hier\n"

// inUTF16 returns the table in UTF-16, with the low byte of each unit first or last.
func inUTF16(lowFirst bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(encodable)) {
		low, high := byte(unit), byte(unit>>8)
		if lowFirst {
			low, high = high, low
		}
		out = append(out, high, low)
	}
	return string(out)
}

func TestReadable(t *testing.T) {
	for name, c := range map[string]struct{ text, problem, hint string }{
		"empty":                {"", "the file is empty", "check its name"},
		"a mark alone":         {"\xef\xbb\xbf", "the file is empty", "check its name"},
		"white space":          {" \n\t\n", "the file contains only white space", "check its name"},
		"UTF-16, mark":         {"\xff\xfe" + inUTF16(true), "the file is not valid UTF-8: it is UTF-16", "`iconv -f UTF-16 -t UTF-8 FILE > NEW`"},
		"UTF-16, other mark":   {"\xfe\xff" + inUTF16(false), "the file is not valid UTF-8: it is UTF-16", "`iconv -f UTF-16 -t UTF-8 FILE > NEW`"},
		"UTF-16, little":       {inUTF16(true), "the file is not valid UTF-8: it is UTF-16LE", "`iconv -f UTF-16LE "},
		"UTF-16, big":          {inUTF16(false), "the file is not valid UTF-8: it is UTF-16BE", "`iconv -f UTF-16BE "},
		"Latin-1":              {"question,answer\nWo ist das Caf\xe9?,hier\n", "the file is not valid UTF-8: line 2 has the byte 0xE9, which suggests Latin-1 or Windows-1252", "`iconv -f WINDOWS-1252 "},
		"cut within a letter":  {"question,answer\nx,y\xc3", "the file is not valid UTF-8: line 2 has the byte 0xC3", "iconv"},
		"UTF-8":                {encodable, "", ""},
		"UTF-8 with a mark":    {"\xef\xbb\xbf" + encodable, "", ""},
		"the replacement sign": {"question,answer\nx\ufffd,y\n", "", ""},
	} {
		err := Readable([]byte(c.text))
		if c.problem == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var bad *EncodingError
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Error(), c.problem) || !strings.Contains(bad.Hint(), c.hint) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := Read(strings.NewReader(c.text), Options{Format: CSV}); !errors.As(err, &bad) {
			t.Errorf("%s: Read returns %v", name, err)
		}
	}
	if _, _, err := Read(strings.NewReader(`{"_id":"1","text":"q"}`), Options{Answers: []byte("\xff\xfea\x00")}); err == nil || !strings.Contains(err.Error(), "the --answers file: the file is not valid UTF-8") {
		t.Errorf("answers in UTF-16: %v", err)
	}
}

// TestUnpacked reads files compressed with gzip, as collections of topics are.
func TestUnpacked(t *testing.T) {
	packed := func(text string) string {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, err := z.Write([]byte(text))
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	answers, err := Unpacked([]byte(packed("1\t0\td1\t1\n")))
	if err != nil {
		t.Fatal(err)
	}
	whole := packed("1\train\n")
	tasks, _, err := Read(strings.NewReader(whole), Options{Answers: answers})
	if err != nil || len(tasks) != 1 || tasks[0].Goal != "rain" {
		t.Errorf("%+v, %v", tasks, err)
	}
	for _, cut := range []string{whole[:4], whole[:len(whole)-6]} {
		var problem *EncodingError
		if _, _, err := Read(strings.NewReader(cut), Options{}); !errors.As(err, &problem) || !strings.Contains(err.Error(), "compressed with gzip and is truncated or damaged") {
			t.Errorf("%q: %v", cut, err)
		}
	}
}
