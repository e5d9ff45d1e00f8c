package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/text"
)

// print prints the counts.
func (o *builtSuite) print(con *console) {
	width := con.width()
	say := func(lead, format string, args ...any) { con.printf("%s%s\n", lead, fmt.Sprintf(format, args...)) }
	for _, l := range o.Logs {
		var formats []string
		for _, f := range l.Formats {
			formats = append(formats, string(f))
		}
		left := ""
		if l.Bad > 0 {
			left = fmt.Sprintf(", %s left out", count(l.Bad, "record"))
		}
		say("", "%s: %s (%s)%s", text.Visible(orDash(l.File)), count(l.Conversations, "conversation"), strings.Join(formats, ", "), left)
		for _, bad := range l.Named {
			say("  ", "%s", text.Visible(bad))
		}
		if more := l.Bad - len(l.Named); more > 0 {
			say("  ", "and %d more", more)
		}
	}
	s := o.Summary
	say("", "%s in %s: %d approved, %d corrected (%d where the user gave the answer), %d rejected according to the log",
		count(s.Exchanges, "exchange"), count(s.Conversations, "conversation"), s.Approved, s.Corrected, s.Stated, s.Refused)
	if s.Targets > 0 {
		say("  ", "%s whose answer is the target in the log", count(s.Targets, "exchange"))
	}
	if s.Repeated > 0 {
		say("  ", "%s skipped: an equal or longer record contains the same conversation", count(s.Repeated, "record"))
	}
	reasons := slices.SortedFunc(maps.Keys(s.LeftOut), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.LeftOut[b], s.LeftOut[a]), strings.Compare(a, b))
	})
	for _, reason := range reasons {
		say("  ", "left out: %d, %s", s.LeftOut[reason], reason)
	}
	if s.Scripted > 0 {
		say("", "%s of several turns became one task each", count(s.Scripted, "conversation"))
	}
	say("", "%s with a credential replaced, %s left out, %s",
		count(s.Scrubbed, "task"), count(s.Duplicates, "near-duplicate"), count(s.Clusters, "cluster"))
	say("", "%s with an e-mail address, a phone number, an SSN or an IBAN replaced", count(s.Personal, "task"))
	if s.BadDomains > 0 {
		say("", "%s without the domain named in the log, because no suite may use that name", count(s.BadDomains, "task"))
	}
	say("", "names, postal addresses and other personal data are not replaced: look through the tasks")
	say("", "%s kept: %s search, %s holdout", count(s.Kept, "task"), text.Whole(s.Search), text.Whole(s.Holdout))
	if e := s.Existing; e != nil {
		say("", "%s, %d new, %d removed", text.Count(e.Stay, "task of the existing suite keeps its split", "tasks of the existing suite keep their splits"), e.New, e.Gone)
	}
	for _, d := range s.Domains {
		line := fmt.Sprintf("%-16s %s of %s in %s: %s search, %s holdout",
			cell(orDash(d.Domain), 24), text.Whole(d.Kept), count(d.Tasks, "task"), count(d.Clusters, "cluster"), text.Whole(d.Search), text.Whole(d.Holdout))
		if width > 0 && text.Width(line)+2 > width {
			line = strings.Join(strings.Fields(line), " ")
		}
		say("  ", "%s", line)
	}
}

// The widths of the columns before the request in a list of tasks, the maximum widths of a
// request and of an answer in the list, and the minimum width of a terminal that fits them
// on one line.
const (
	listDomain              = 12
	listColumns             = 3 + 2 + 7 + 2 + listDomain + 2
	listRequest, listAnswer = 60, 40
	arrow                   = " → "
	narrowest, inParagraphs = 20, 72
)

// list prints each task on one line or, if the terminal is narrow, as a paragraph. Text
// that does not fit is truncated.
func (o *builtSuite) list(con *console) {
	width := con.width()
	request, answer := listRequest, listAnswer
	if room := width - listColumns - text.Width(arrow); width > 0 && room < request+answer {
		request = room * listRequest / (listRequest + listAnswer)
		answer = room - request
	}
	for i, t := range o.Tasks {
		if width > 0 && width < inParagraphs {
			con.printf("%3d  %s\n", i+1, fitting(describe(t), max(narrowest, width-5)))
			con.printf("     %s\n", fitting(t.Request(), max(narrowest, width-5)))
			con.printf("     → %s\n", fitting(*t.Answer, max(narrowest, width-7)))
			continue
		}
		domain := fitting(t.Domain, listDomain)
		domain += strings.Repeat(" ", listDomain-text.Width(domain))
		con.printf("%3d  %-7s  %s  %s%s%s\n", i+1, t.Split, domain, fitting(t.Request(), request), arrow, fitting(*t.Answer, answer))
	}
}

// describe describes a task by its side and its domain.
func describe(t bench.Task) string {
	if t.Domain == "" {
		return string(t.Split)
	}
	return string(t.Split) + ", " + t.Domain
}

// fitting returns untrusted text on one line of at most width columns.
func fitting(s string, width int) string {
	s = cell(s, width)
	if text.Width(s) <= width {
		return s
	}
	return s[:text.FirstCells(s, width-1)] + "…"
}
