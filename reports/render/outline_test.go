package render

import (
	"io"
	"strings"
	"testing"

	"evolve/reports/model"
	"evolve/runtime/agent"
)

func TestReadable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"3", "3"},
		{`{"a":1,"b":{"c":"x\ny","d":null},"e":[]}`, "a: 1\nb.c: x\n  y\nb.d: null\ne: (empty)"},
		{`{"a":["x","y"],"b":[{"c":1},{"c":2}],"d":["x · y","z"]}`, "a: x · y\nb[0].c: 1\nb[1].c: 2\nd[0]: x · y\nd[1]: z"},
		{`{"number":13,"text":"13","empty":"","yes":true}`, "number: 13\ntext: \"13\"\nempty: \"\"\nyes: true"},
		{`{"a":1}; json_path: answer 1, path $.a`, "a: 1\njson_path: answer 1, path $.a"},
		{`{"a":1,"b":"cut of…`, "a: 1\n…"},
		{`{"a":1,"b":"no end`, `{"a":1,"b":"no end`},
		{`{no JSON}`, `{no JSON}`},
		{`["a","b"]`, "[0]: a\n[1]: b"},
	} {
		if got := readable(c.in); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

// TestAnswersAreReadable checks that a task with structured answers and multi-line results
// is shown without JSON and without escaped line breaks, and that differences in the
// answers are marked.
func TestAnswersAreReadable(t *testing.T) {
	r := adoptWorld(t, 0).report()
	d := &r.Agents[0].Details[0]
	d.Goal = "Who is it?\nAnswer as JSON.\n{\"ticket\": 7}"
	d.Expected = `{"customer": 13, "lines": ["c/o", "floor 2"]}; json_path: answer 13, path $.customer`
	d.Before = model.Attempt{Answer: `{"customer":14,"lines":["c/o","floor 2"]}`, Events: []agent.Event{{Kind: "tool", Name: "find", Data: []byte(`{"k":3}`), Text: "row 1\n  row 2"}}}
	d.After = model.Attempt{Answer: `{"customer":13,"lines":["c/o","floor 2"]}`, Events: []agent.Event{{Kind: "tool", Name: "find", Data: []byte(`{"k":9}`), Text: "row 1\n  row 2"}}}
	d.Steps, d.Diverge = []model.Step{{Before: "find", After: "find"}}, -1
	d.Transcript, d.Differs = []model.EventPair{{Before: 0, After: 0}}, 0
	r.Agents[0].Details = r.Agents[0].Details[:1]

	page := rendered(t, HTML, r)
	for _, want := range []string{
		"<dd><bdi>Who is it?\nAnswer as JSON.</bdi></dd>", "<dd><bdi>ticket: 7</bdi></dd>", "<dd><bdi>json_path: answer 13, path $.customer</bdi></dd>",
		`<tr class="row-diverge"><th scope="row" class="wrap"><bdi>customer</bdi><strong> ◂ differs</strong></th><td class="wrap"><bdi>13</bdi></td><td class="wrap"><bdi>14</bdi></td><td class="wrap"><bdi>13</bdi></td></tr>`,
		"<bdi>c/o · floor 2</bdi>", "<strong>◂ first difference</strong>\n<strong><bdi>tool</bdi></strong> <bdi>find</bdi>\n<bdi>k: 9</bdi>\n<bdi>row 1\n  row 2</bdi>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	md := rendered(t, Markdown, r)
	terminal := rendered(t, func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{}) }, r)
	if want := "| customer **◂ differs** | 13 | 14 | 13 |"; !strings.Contains(strings.ReplaceAll(md, "`", ""), want) {
		t.Errorf("the Markdown lacks %s", want)
	}
	if want := "Who is it?\n               Answer as JSON.\n"; !strings.Contains(terminal, want) {
		t.Error("the terminal does not show the lines of the goal")
	}
	for name, got := range map[string]string{"page": page, "Markdown": md, "terminal": terminal} {
		for _, raw := range []string{`\n`, `{"`, "&#34;customer"} {
			if strings.Contains(got, raw) {
				t.Errorf("the %s has %s", name, raw)
			}
		}
	}
}
