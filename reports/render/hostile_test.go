package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// hostile lists texts with which agents, tasks and tools might attack a person who reads
// the report.
var hostile = []string{
	"\x1b[2J\x1b[H\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "\u009b31mred", "a\rb\nc\td\x00e\x7f",
	"\u202etxt.exe\u2066 hidden\u2069", "zero\u200bwidth\u200djoin\ufeff\u00ad", "\u3164\u2800\u115f", strings.Repeat("e\u0301\u0302\u0303\u0304\u0305", 9),
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</title></svg></style></pre><h1>x", "<!--", "&lt;b&gt;&#x202e;", "javascript:alert(1)",
	"[link](http://evil.example)", "![x](http://evil.example/a.png)", "http://evil.example www.evil.example a@evil.example", "[x]: http://evil.example",
	`{"a": "<b>|x|</b>", "b": ["*c*", "http://evil.example"]}`, "goal\n{\"a\": \"<b>\"}",
	"```\n# heading\n```", "`` ` ``", "``````", "|a|b|\\|c\\\\|d|", "# heading", "- item", "1. item", "> quote", "***bold*** ~~gone~~ __u__", "---", "===", "    code",
	"<details open>", "$x^2$ :smile: @someone #1", "{{.Secret}} {{template \"head\"}}", "%s%n%!d(MISSING)", strings.Repeat("wide", 100), strings.Repeat("字", 60),
	strings.Repeat("```\n<b>| # x</b>\n\x1b[31m", 20),
	"\xff\xfe\xc3(", "\U000e0041\U0001f468\u200d\U0001f469", "a\u2028b\u2029c", "CON", "../../etc/passwd", " ", "\\", "\\`", "`\\", "|", "\\|",
}

// own lists the fields that hold the report's own text.
var own = map[string]bool{
	"Report.Schema": true, "Decision.Verdict": true, "Threshold.Name": true, "Threshold.Unit": true, "Threshold.Sign": true,
	"Usage.Name": true, "Usage.Unit": true, "Domain.Flag": true, "TaskPair.Steady": true, "Finalist.Finding": true, "Honesty.Method": true,
	"Kind.Better": true, "Domain.Verdict": true, "Guard.Name": true, "Guard.Verdict": true, "Honesty.Advice": true, "Stage.Stage": true, "Outcome.Outcome": true, "Line.Op": true,
}

// poison sets every foreign text of a view model to s.
func poison(v reflect.Value, s string, field string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), s, field)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				poison(v.Field(i), s, v.Type().Name()+"."+f.Name)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return
		}
		for i := range v.Len() {
			poison(v.Index(i), s, field)
		}
	case reflect.String:
		if !own[field] && v.String() != "" {
			v.SetString(s)
		}
	}
}

// poisoned returns a deep copy of a report with every foreign text replaced.
func poisoned(t testing.TB, r model.Report, s string) model.Report {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var c model.Report
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	poison(reflect.ValueOf(&c).Elem(), s, "")
	return c
}

// small shortens the lists of a report.
func small(r model.Report) model.Report {
	for i := range r.Agents {
		a := &r.Agents[i]
		a.Details, a.Tasks, a.Rejected, a.Curve = model.First(a.Details, 1), model.First(a.Tasks, 2), model.First(a.Rejected, 2), model.First(a.Curve, 3)
		for _, d := range a.Details {
			a.Tasks = append(a.Tasks, d.TaskPair)
		}
	}
	return r
}

// TestHostileText uses a report with an undecided agent and an agent without a verdict. The
// seeds of the fuzz target use a report with an adoption.
func TestHostileText(t *testing.T) {
	for _, r := range []model.Report{small(undecidedWorld(t, 1).report()), measured(small(undecidedWorld(t, 1).report()))} {
		plain := baseline(t, r, "word")
		for _, s := range hostile {
			plain.check(t, r, s)
		}
	}
}

func FuzzForeignText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	r := small(adoptWorld(f, 1).report())
	plain := baseline(f, r, "word")
	f.Fuzz(func(t *testing.T, s string) { plain.check(t, r, s) })
}

// shape holds the structure that the renderings have if all foreign text in them is
// harmless.
type shape struct {
	markdown, html []string
}

func baseline(t testing.TB, r model.Report, harmless string) shape {
	c := poisoned(t, r, harmless)
	return shape{markdown: mdShape(rendered(t, Markdown, c)), html: htmlShape(t, rendered(t, HTML, c))}
}

func (plain shape) check(t *testing.T, r model.Report, s string) {
	t.Helper()
	if s == "" {
		return
	}
	if utf8.RuneCountInString(s) > maxShown { // long texts are shown line by line in collapsible sections
		plain = baseline(t, r, strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return 'o'
		}, s))
	}
	if alike, ok := documentLike(s); ok { // a document is shown field by field
		plain = baseline(t, r, alike)
	}
	c := poisoned(t, r, s)
	for _, width := range []int{40, 50, 80} {
		color := width == 50
		got := rendered(t, func(w io.Writer, r model.Report) error {
			return Terminal(w, r, TerminalOptions{Width: width, Color: color})
		}, c)
		if color {
			got = ownEscapes.ReplaceAllString(got, "")
		}
		visibleOnly(t, s, "terminal", got)
		for _, line := range strings.Split(got, "\n") {
			if w := text.Width(line); w > width {
				t.Fatalf("with %q a line of the terminal is %d wide, %d are there:\n%s", s, w, width, line)
			}
		}
	}
	md := rendered(t, Markdown, c)
	visibleOnly(t, s, "Markdown", md)
	if diff := cmp.Diff(plain.markdown, mdShape(md)); diff != "" {
		t.Fatalf("%q changes the structure of the Markdown (-harmless +hostile)\n%s", s, diff)
	}
	page := rendered(t, HTML, c)
	visibleOnly(t, s, "HTML", page)
	if diff := cmp.Diff(plain.html, htmlShape(t, page)); diff != "" {
		t.Fatalf("%q changes the structure of the page (-harmless +hostile)\n%s", s, diff)
	}
	data := rendered(t, JSON, c)
	visibleOnly(t, s, "JSON", data)
	var back model.Report
	if err := json.Unmarshal([]byte(data), &back); err != nil {
		t.Fatalf("with %q the JSON does not read back: %v", s, err)
	}
	if want := strings.ToValidUTF8(s, "\ufffd"); back.Run.ID != want && !strings.Contains(s, "\ufffd") && back.Run.ID != jsonValid(s) {
		t.Fatalf("JSON turned %q into %q", s, back.Run.ID)
	}
}

// documentLike returns a harmless text that is a JSON document, or ends in a JSON document,
// with as many fields as s. It returns false if s neither is nor ends in a JSON document.
func documentLike(s string) (string, bool) {
	words, input := request(s)
	fields, rest, ok := outline(s)
	switch {
	case ok && strings.TrimSpace(rest) == "":
		words, input = "", fields
	case input != nil:
		words += "\n"
	default:
		return "", false
	}
	alike := map[string]string{}
	for i, f := range input {
		alike[fmt.Sprintf("%d %s", i, strings.Repeat("o", len([]rune(f.Path))))] = f.Value
	}
	document, err := json.Marshal(alike)
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return 'o'
	}, words) + string(document), err == nil
}

// jsonValid replaces every invalid byte separately, as encoding/json does.
func jsonValid(s string) string { return string([]rune(s)) }

var ownEscapes = regexp.MustCompile("\x1b\\[(0|1|2|31|32|36)m")

func visibleOnly(t *testing.T, s, where, got string) {
	t.Helper()
	marks := 0
	for i, r := range got {
		if r == '\n' {
			continue
		}
		if !text.Shown(r) {
			t.Fatalf("with %q the %s holds %U: …%q", s, where, r, got[max(0, i-40):i])
		}
		marks++
	}
	if marks == 0 {
		t.Fatalf("with %q the %s is empty", s, where)
	}
}

var (
	mdMark     = regexp.MustCompile("^(#+ |- |\\||`{3,}[a-z]*$|\\*\\*|\\*)?")
	ownAddress = regexp.MustCompile(`(?i)https?:|www\.|\]\(|!\[|^\[[^\]]*\]:|<[a-z/!]|@`)
)

// mdShape returns the kind of each line in a Markdown text, with its number of cells.
// Outside code, a line must not contain anything that makes a link or a tag.
func mdShape(s string) []string {
	var out []string
	fence := ""
	for _, line := range strings.Split(s, "\n") {
		if fence != "" {
			if line == fence {
				out, fence = append(out, "end"), ""
			} else {
				out = append(out, "code")
			}
			continue
		}
		kind := mdMark.FindString(line)
		if strings.HasPrefix(kind, "```") {
			fence = strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz")
			kind = "fence"
		}
		bare := withoutCode(line)
		if kind == "|" {
			kind += strings.Repeat(" |", strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"))
		}
		if ownAddress.MatchString(bare) {
			kind += " with an address or a tag: " + bare
		}
		out = append(out, kind)
	}
	return out
}

// withoutCode removes the code spans in a line by CommonMark's rule: a run of backticks is
// closed by the next run of the same length.
func withoutCode(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '\\' && i+1 < len(line) {
			b.WriteString(line[i : i+2])
			i += 2
			continue
		}
		if line[i] != '`' {
			b.WriteByte(line[i])
			i++
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			m := len(line[j:]) - len(strings.TrimLeft(line[j:], "`"))
			if m == n {
				end = j
				break
			}
			j += m
		}
		if end < 0 {
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		i = end + n
	}
	return b.String()
}

// htmlShape returns every tag and comment in a page. Tags include their attributes, but not
// the values of attributes that hold foreign text.
func htmlShape(t testing.TB, s string) []string {
	t.Helper()
	var out []string
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return out
		case html.TextToken:
		default:
			token := z.Token()
			if token.Data == "wbr" { // their number depends on the separators in a name
				continue
			}
			for i := range token.Attr {
				switch token.Attr[i].Key {
				case "aria-label", "x", "x1", "x2", "cx", "d": // text, or coordinates that depend on the length of text
					token.Attr[i].Val = ""
				}
			}
			out = append(out, token.String())
		}
	}
}
