package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Change is the old and the new value of one parameter as text; a value is "" if the
// parameter is inactive.
type Change struct {
	Param string `json:"param"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// Added and Removed are set for lists, Lines for longer texts.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Lines   []Line   `json:"lines,omitempty"`
	// Own is the effect of the change by itself; it is nil if it was not measured.
	Own *OwnEffect `json:"own_effect,omitempty"`
}

// Line is one line in a text diff. Op is "+", "-" or " ", or "…" in place of omitted lines.
type Line struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

const (
	MaxValue  = 200 // characters of a value
	maxLines  = 200 // maximum number of lines in a text diff
	minDiffed = 60  // minimum number of characters of a text that is shown as a diff
)

// change compares the stored configs of the champion and the variant, parameter by
// parameter.
func (b *builder) change() error {
	if b.headline < 0 {
		return nil
	}
	before := b.variant(b.plan.Champion).Config
	after := b.variant(b.result.Finalist[b.headline].Variant).Config
	if before == nil || after == nil {
		return nil
	}
	b.out.Changes = changes(before, after, b.plan.Params)
	return nil
}

// changes lists the parameters that differ: first those that the space names, in its order,
// then the others.
func changes(before, after agent.Config, order []string) []Change {
	names := append(sortedKeys(before), sortedKeys(after)...)
	rank := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	var out []Change
	for _, name := range slices.Compact(names) {
		x, y := before[name], after[name]
		c := Change{Param: name, Old: Value(x), New: Value(y)}
		a, isList := x.([]string)
		d, isList2 := y.([]string)
		s, isText := x.(string)
		u, isText2 := y.(string)
		switch {
		case isList && isList2:
			c.Removed, c.Added = missing(a, d), missing(d, a)
			if len(c.Removed)+len(c.Added) == 0 {
				continue
			}
		case x == nil || y == nil:
			if x == nil && y == nil {
				continue
			}
		case isText && isText2:
			if s == u {
				continue
			}
			if max(len(s), len(u)) > minDiffed || strings.Contains(s+u, "\n") {
				c.Lines = boundedLines(textDiff(s, u))
			}
		case !isList && !isList2 && x == y:
			continue
		}
		out = append(out, c)
	}
	return out
}

// missing lists the elements of a that are not in b.
func missing(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

func boundedLines(list []Line) []Line {
	out := make([]Line, 0, min(len(list), maxLines+1))
	for i, l := range list {
		if i == maxLines {
			return append(out, Line{Op: ellipsis})
		}
		out = append(out, Line{l.Op, clip(l.Text, maxEvent)})
	}
	return out
}

// Value formats a parameter's value; it returns "" for an inactive parameter.
func Value(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return number.Short(v)
	case []string:
		return clip("["+strings.Join(v, ", ")+"]", MaxValue)
	case string:
		if v == "" {
			return `""`
		}
		return clip(v, MaxValue)
	}
	return clip(fmt.Sprint(v), MaxValue)
}
