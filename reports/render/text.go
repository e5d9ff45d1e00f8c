package render

import (
	"slices"
	"strings"

	"evolve/runtime/text"
)

// style is the emphasis of a span. Each rendering expresses it in its own way, and none
// relies only on colour.
type style int

const (
	plainStyle style = iota
	strong
	good
	bad
	dim
	// aside is a remark after a value; each rendering sets it apart.
	aside
	// command is a command to type.
	command
)

// span is a piece of text in one style. Foreign spans come from agents, tasks and tools and
// have already been made visible (see [text.Visible]); each rendering also prevents foreign
// text from acting as markup.
type span struct {
	Text    string
	Style   style
	Foreign bool
}

// spans is one line or paragraph.
type spans []span

// say joins its parts into one text. A part is a string (the report's own words), a span or
// a list of spans.
func say(parts ...any) spans {
	var out spans
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			if p != "" {
				out = append(out, span{Text: p})
			}
		case span:
			if p.Text != "" {
				out = append(out, p)
			}
		case spans:
			out = append(out, p...)
		default:
			panic("say accepts only string, span and spans values")
		}
	}
	return out
}

// foreign makes a span of foreign text.
func foreign(s string) span { return span{Text: text.Visible(s), Foreign: true} }

// clipped makes a span from foreign text, truncated to at most n characters.
func clipped(s string, n int) span { return foreign(text.Clip(s, n, text.Runes, text.Ellipsis)) }

// stateSpan makes a span from the name of a state or outcome, whose words are joined by
// underscores; it replaces the underscores with spaces.
func stateSpan(s string) span { return foreign(strings.ReplaceAll(s, "_", " ")) }

// theirs makes a span of untrusted text with a style.
func theirs(s string, st style) span { return span{Text: text.Visible(s), Style: st, Foreign: true} }

// remark makes a remark that follows a value.
func remark(s string) span { return span{Text: "  " + s, Style: aside} }

// styled makes a span of the report's own words with a style.
func styled(s string, st style) span { return span{Text: s, Style: st} }

// changed returns a copy of the text in which the function change has been applied to every
// span.
func (t spans) changed(change func(*span)) spans {
	out := slices.Clone(t)
	for i := range out {
		change(&out[i])
	}
	return out
}

// raw returns the text without styles.
func (t spans) raw() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// list joins texts with a separator.
func list(items []spans, sep string) spans {
	var out spans
	for i, it := range items {
		if i > 0 {
			out = append(out, span{Text: sep})
		}
		out = append(out, it...)
	}
	return out
}

func foreignList(items []string) spans {
	texts := make([]spans, len(items))
	for i, s := range items {
		texts[i] = say(foreign(s))
	}
	return list(texts, ", ")
}
