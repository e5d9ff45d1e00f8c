package sessions

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatedFormats reads the log of each format as each format. If the file has a format
// other than the stated one, the error names the actual format, and no conversation is
// returned.
func TestStatedFormats(t *testing.T) {
	files := map[Format]string{
		OpenAI: "openai.jsonl", Anthropic: "anthropic.jsonl", OTel: "otel.jsonl", Inspect: "inspect.json", Promptfoo: "promptfoo.json",
		Tau: "tau.json", InterCode: "intercode.json", Plain: "plain.jsonl",
	}
	for _, of := range Formats() {
		data, err := os.ReadFile(filepath.Join("testdata", files[of]))
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			given := 0
			_, err := Read(bytes.NewReader(data), ReadOptions{Name: "x", Format: format}, func(Conversation) { given++ })
			if of == format {
				if err != nil || given == 0 {
					t.Errorf("%s as %s: %d, %v", of, format, given, err)
				}
				continue
			}
			var log *Unreadable
			if !errors.As(err, &log) || given != 0 || !strings.HasSuffix(log.Problem, "1 is in the format "+string(of)+", not "+string(format)) ||
				!strings.HasPrefix(log.Hint, "--format "+string(of)+" reads it") {
				t.Errorf("%s as %s: %d, %v, %+v", of, format, given, err, log)
			}
		}
	}
	for name, c := range map[string]struct {
		text   string
		format Format
		reads  bool
	}{
		"plain texts, of either interface":   {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, Anthropic, true},
		"blocks of texts, of either one":     {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`, OpenAI, true},
		"messages with a reward":             {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"reward":1,"task_id":7}`, Tau, true},
		"messages without one":               {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, Tau, false},
		"one sample of inspect":              {`{"id":1,"target":"a","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, Inspect, true},
		"conversations under results":        {`{"results":[{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}]}`, OpenAI, true},
		"results of promptfoo":               {`{"results":[{"prompt":{"raw":"q"},"vars":{},"response":{"output":"a"},"success":true}]}`, OpenAI, false},
		"blocks of tools are those of one":   {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","name":"x"}]}]}`, OpenAI, false},
		"a system message is that of one":    {`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, Anthropic, false},
		"a record of no format after others": {`{"user":"q","assistant":"a"}` + "\n{}\n", Plain, true},
		"another record after others":        {`{"user":"q","assistant":"a"}` + "\n" + `{"messages":[{"role":"user","content":"q"}]}`, Plain, false},
	} {
		log, err := Read(strings.NewReader(c.text), ReadOptions{Name: "x", Format: c.format}, func(Conversation) {})
		if (err == nil) != c.reads || c.reads && log.Conversations != 1 {
			t.Errorf("%s: %+v, %v", name, log, err)
		}
	}
}

// TestUnreadableHints checks that each kind of input that cannot be read has its own error
// and hint.
func TestUnreadableHints(t *testing.T) {
	var archive, empty bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("samples/1_epoch_1.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(`{"id":1,"messages":[{"role":"user","content":"q"}]}`)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), zip.NewWriter(&empty).Close()); err != nil {
		t.Fatal(err)
	}
	line := `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`
	for text, want := range map[string][2]string{
		"":                            {"it is empty", "the log has not been written"},
		"\n \n":                       {"it contains no conversation, because it is empty", "the log has not been written"},
		"[]":                          {"it contains no conversation, because it is empty", "the log has not been written"},
		"\x89PNG\r\n\x1a\n\x00\x00":   {"it is a PNG image, not a log", "a log is JSON"},
		"\x1f\x8b\x08":                {"it is compressed with gzip, not a log", "unpack it: gunzip"},
		"\xff\xfe{\x00":               {"it is text in UTF-16, not a log", "convert it: iconv"},
		"{\x00\x01":                   {"it is binary data, not a log", "a log is JSON"},
		empty.String():                {"it is an empty ZIP archive, not a log", "a log is JSON"},
		archive.String()[:60]:         {"it is a ZIP archive that is truncated or damaged", "its end is missing"},
		line[:50]:                     {"it contains no conversation: line 1 ends in the middle: the log is truncated", "its end is missing"},
		"[\n" + line[:50]:             {"it contains no conversation: item 1 and everything after it cannot be read: the log ends in the middle of this item", "its end is missing"},
		"user,assistant\nq,a\n":       {"it contains no conversation: line 1 is not valid JSON", "a log is JSON"},
		`{"question":"q","says":"a"}`: {"it contains no conversation: line 1 has no known format", "name the log's format with --format"},
	} {
		given := 0
		_, err := Read(strings.NewReader(text), ReadOptions{Name: "x"}, func(Conversation) { given++ })
		var log *Unreadable
		if !errors.As(err, &log) || log.Problem != want[0] || !strings.HasPrefix(log.Hint, want[1]) || given != 0 {
			t.Errorf("%.20q: %v, %+v", text, err, log)
		}
	}
	// The text before the truncation is read, and the truncation is reported.
	for text, want := range map[string]string{
		line + "\n" + line[:50]:          "line 2 ends in the middle: the log is truncated",
		"[" + line + ",\n" + line[:50]:   "item 2 and everything after it cannot be read: the log ends in the middle of this item",
		line + "\n" + line[:50] + "\n{}": "line 2 is not valid JSON",
	} {
		list, log := readAll(t, "x", []byte(text), "")
		if len(list) != 1 || len(log.Named) == 0 || log.Named[0] != want {
			t.Errorf("%.20q: %d, %+v", text, len(list), log)
		}
	}
}
