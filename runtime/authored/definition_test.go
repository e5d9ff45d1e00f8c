package authored

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip(t *testing.T) {
	d := definition(sum)
	d.Tests = append(d.Tests, Test{Name: "nothing <b>", Args: json.RawMessage(`{}`), Want: json.RawMessage(`null`)})
	star, m := d.Encode()
	got, err := Parse(star, m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Error(diff)
	}
	if got, err = ParseDraft(d.Draft()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Parse(append(star, '\n'), m); err == nil || !strings.Contains(err.Error(), "was written for a different source") {
		t.Errorf("changed source: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		change func(d *Definition)
		want   string
	}{
		"no name":           {func(d *Definition) { d.Name = "" }, "lower-case word"},
		"upper case":        {func(d *Definition) { d.Name = "Add" }, "lower-case word"},
		"a path":            {func(d *Definition) { d.Name = "../../add" }, "lower-case word"},
		"a line more":       {func(d *Definition) { d.Name = "add\n" }, "lower-case word"},
		"long name":         {func(d *Definition) { d.Name = strings.Repeat("a", 49) }, "lower-case word"},
		"built in":          {func(d *Definition) { d.Name = "calculate" }, "built-in"},
		"kept":              {func(d *Definition) { d.Name = "tool_create" }, "built-in"},
		"kept family":       {func(d *Definition) { d.Name = "memory_wipe" }, "built-in"},
		"no description":    {func(d *Definition) { d.Description = " " }, "no description"},
		"two lines":         {func(d *Definition) { d.Description = "a\nb" }, "one line"},
		"turned text":       {func(d *Definition) { d.Description = "a\u202eb" }, "one line"},
		"long description":  {func(d *Definition) { d.Description = strings.Repeat("a", 501) }, "one line"},
		"schema of a list":  {func(d *Definition) { d.Schema = raw(`{"type":"array"}`) }, "object"},
		"schema no schema":  {func(d *Definition) { d.Schema = raw(`{"type":"object","properties":3}`) }, "schema"},
		"schema of a file":  {func(d *Definition) { d.Schema = raw(`{"type":"object","$ref":"file:///etc/hostname"}`) }, "cannot refer to other documents"},
		"metaschema":        {func(d *Definition) { d.Schema = raw(`{"type":"object","$schema":"file:///etc/hostname"}`) }, "cannot refer to other documents"},
		"large schema":      {func(d *Definition) { d.Schema = raw(`{"type":"object","title":"` + strings.Repeat("a", 9000) + `"}`) }, "at most 8192"},
		"strange domain":    {func(d *Definition) { d.Domains = []string{"A b"} }, "domain"},
		"many domains":      {func(d *Definition) { d.Domains = strings.Split(strings.Repeat("a", 17), "") }, "17 domains"},
		"no source":         {func(d *Definition) { d.Source = "\n" }, "the source is empty"},
		"large source":      {func(d *Definition) { d.Source = strings.Repeat("#", MaxSource+1) }, "at most 8192"},
		"null byte":         {func(d *Definition) { d.Source = "\n# \x00" }, "line 2 of the source contains the byte 0x00"},
		"look-alike":        {func(d *Definition) { d.Source = "def run(аrgs): return 1" }, "printable ASCII"},
		"carriage return":   {func(d *Definition) { d.Source = "# a\rdef run(args): return 1" }, "0x0d"},
		"one test":          {func(d *Definition) { d.Tests = d.Tests[:1] }, "1 tests"},
		"many tests":        {func(d *Definition) { d.Tests = make([]Test, 21) }, "21 tests"},
		"same test":         {func(d *Definition) { d.Tests[1].Name = d.Tests[0].Name }, "twice"},
		"arguments no dict": {func(d *Definition) { d.Tests[0].Args = raw(`[1]`) }, "must have an object"},
		"large arguments":   {func(d *Definition) { d.Tests[0].Args = raw(`{"a":"` + strings.Repeat("a", 5000) + `"}`) }, "too large"},
		"wants nothing":     {func(d *Definition) { d.Tests[0].Want = nil }, "either a value or an error"},
		"wants both":        {func(d *Definition) { d.Tests[0].WantError = "x" }, "either a value or an error"},
		"wants errors":      {func(d *Definition) { d.Tests[0].Want, d.Tests[0].WantError = nil, "x" }, "no test expects a value"},
	} {
		d := definition(sum)
		c.change(&d)
		if _, err := ParseDraft(d.Draft()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("draft, %s: %v", name, err)
		}
		if _, err := Parse(d.Encode()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("files, %s: %v", name, err)
		}
	}
	_, good := definition(sum).Encode()
	for name, m := range map[string]string{
		"empty":         "",
		"null":          "null",
		"a list":        "[]",
		"more":          string(good) + "{}",
		"unknown field": strings.Replace(string(good), `"name"`, `"effect":"write","name"`, 1),
		"no UTF-8":      strings.Replace(string(good), "Adds", "\xff", 1),
		"large":         string(good) + strings.Repeat(" ", MaxManifest),
	} {
		if d, err := Parse([]byte(sum), []byte(m)); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	star, m := definition(sum).Encode()
	f.Add(star, m)
	f.Add([]byte("def run(args): return 1\n"), []byte(`{"name":"a","tests":[{"args":{},"want":null}]}`))
	f.Fuzz(func(t *testing.T, star, m []byte) {
		d, err := Parse(star, m)
		if err != nil {
			return
		}
		again, err := Parse(d.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParseDraft(f *testing.F) {
	f.Add(definition(sum).Draft())
	f.Add([]byte(`{"name":"a_tool","description":"d","schema":{"type":"object","$ref":"#/a"},"tests":[],"source":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDraft(data)
		if err != nil {
			return
		}
		again, err := ParseDraft(d.Draft())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatal(diff)
		}
		if len(d.Source) > MaxSource || len(d.Tests) < minTests || Reserved(d.Name) {
			t.Fatalf("%+v", d)
		}
	})
}
