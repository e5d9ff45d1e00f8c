package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func readAll(t interface{ Fatalf(string, ...any) }, data []byte) []MemoryLine {
	return ReadMemories(data, func(line, column int, text string) { t.Fatalf("%d:%d: %s\n%s", line, column, text, data) })
}

func TestARetractionChangesOneLineAndIsTakenBack(t *testing.T) {
	at := time.Date(2026, 3, 1, 2, 3, 4, 0, time.UTC)
	for name, file := range map[string]string{
		"plain":              `{"id": "m0", "text": "a"}` + "\n" + `{"id": "m1", "text": "b"}` + "\n" + `{"id": "m2", "text": "c"}` + "\n",
		"odd white space":    "\ufeff\n  {\"text\":\"b\"  , \"id\":\"m1\"                                                      }  \r\n\n{\"id\":\"m2\",\"text\":\"c\"}",
		"imitates a mark":    `{"id":"m1","text":"b\",\"retracted\":\"x\"}"}` + "\n",
		"no line break":      `{"id":"m1","text":"b"}`,
		"a time with a zone": `{"id":"m1","text":"b","time":"2026-01-01T00:00:00+02:00"}`,
	} {
		data := []byte(file)
		for _, l := range readAll(t, data) {
			if l.ID != "m1" {
				continue
			}
			marked, err := RetractMemory(data, l, "said \"so\"\n{}", at)
			if err != nil || string(data) != file {
				t.Fatalf("%s: %v, and the file became %q", name, err, data)
			}
			for _, m := range readAll(t, marked) {
				if m.ID != "m1" {
					if m.Retracted != "" {
						t.Errorf("%s: %s is retracted too", name, m.ID)
					}
					continue
				}
				if m.Retracted != "said \"so\"\n{}" || !m.RetractedAt.Equal(at) || m.Text != l.Text {
					t.Errorf("%s: %+v", name, m)
				}
				back, err := RestoreMemory(marked, m)
				if err != nil || string(back) != file {
					t.Errorf("%s: %v\n%q, want\n%q", name, err, back, file)
				}
			}
		}
	}
}

// TestAMarkByHandIsTakenAway checks retraction marks that were not written by a command.
func TestAMarkByHandIsTakenAway(t *testing.T) {
	for _, line := range []string{
		`{"retracted": "by hand", "id": "m1", "text": "b"}`, `{"id":"m1","text":"b","retracted":"x","domain":"ops"}`,
		`{"id":"m1","text":"b","retracted":""}`, // not retracted, although it has the key
	} {
		data := []byte(line)
		l := readAll(t, data)[0]
		if l.Retracted == "" {
			marked, err := RetractMemory(data, l, "why", time.Time{})
			if got := readAll(t, marked)[0]; err != nil || got.Retracted != "why" {
				t.Errorf("%s: %v %s", line, err, marked)
			}
			continue
		}
		back, err := RestoreMemory(data, l)
		if got := readAll(t, back)[0]; err != nil || got.Retracted != "" || got.Text != "b" || got.Domain != l.Domain {
			t.Errorf("%s: %v %s", line, err, back)
		}
	}
}

// TestAppendedMemoriesAreReadBack checks that no text can break out of its line.
func TestAppendedMemoriesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := []byte(rapid.SampledFrom([]string{"", "{\"id\":\"m\",\"text\":\"a\"}", "{\"id\":\"m\",\"text\":\"a\"}\n\n"}).Draw(t, "before"))
		text := rapid.StringN(1, 200, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "text")
		data, err := AppendMemories(before, []agent.Memory{{ID: "new", Text: text, Source: text}})
		if err != nil || !bytes.HasPrefix(data, before) {
			t.Fatal(err)
		}
		lines := readAll(t, data)
		if got := lines[len(lines)-1]; got.ID != "new" || got.Text != strings.ToValidUTF8(text, "\ufffd") || len(lines) > 2 {
			t.Fatalf("%q became %q", text, got.Text)
		}
	})
}
