package render

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// maxAnnotation is the maximum number of characters of an agent's sentence in an
// annotation.
const maxAnnotation = 300

// GitHub writes the night as one line, which a GitHub Actions job shows as an annotation.
// The annotation is an error if the run failed, a warning if the run ended early for
// another reason or needs a person, and otherwise a notice.
func GitHub(w io.Writer, r model.Report) error {
	kind := "notice"
	switch {
	case r.Run.State == model.RunFailed:
		kind = "error"
	case r.Run.Exit != 0, needsPerson(r): // interrupted, or a budget was too small
		kind = "warning"
	}
	var verdicts, words []string
	for _, s := range subjects(r) {
		b := decisionBox(s)
		name := text.Clip(text.Visible(s.agent.Agent), 60, text.Runes, text.Ellipsis)
		verdicts = append(verdicts, b.Verdict+" "+name)
		words = append(words, name+": "+text.Clip(text.Visible(s.agent.Decision.Sentence), maxAnnotation, text.Runes, text.Ellipsis))
		if s.agent.Decision.Verdict.Proposes() {
			for _, price := range prices(s) {
				words[len(words)-1] += "; " + price
			}
		}
		d := s.agent.Decision
		for _, p := range d.Proposals {
			if len(p.Stale) > 0 {
				words[len(words)-1] += "; " + text.Visible(p.ID) + " is " + model.StaleWords(p.Stale)
			}
		}
		if needed := r.Run.Exit != 0 || d.Verdict == model.Waits || slices.ContainsFunc(d.Proposals, model.Proposal.Awaits); len(d.Commands) > 0 && needed {
			words[len(words)-1] += "; " + text.Visible(d.Commands[0])
		}
	}
	if line := patchLine(r.Volatile.Patches); len(line) > 0 {
		words = append(words, "patches: "+line.raw())
	}
	if n := len(r.Volatile.Waiting); n > 0 {
		words = append(words, strconv.Itoa(n)+" waiting from earlier nights: evolve proposals")
	}
	title := "evolve run " + strconv.Itoa(r.Run.Number) + ": " + strings.Join(model.First(verdicts, 4), ", ")
	if n := len(verdicts) - 4; n > 0 {
		title += " and " + strconv.Itoa(n) + " more"
	}
	switch r.Run.State {
	case model.RunFailed:
		title += " (the run failed)"
	case model.RunInterrupted:
		title += " (the run was interrupted)"
	}
	_, err := io.WriteString(w, "::"+kind+" title="+githubProperty.Replace(title)+"::"+githubData.Replace(strings.Join(words, " | "))+"\n")
	return err
}

// needsPerson reports whether anything in a night waits for a person, or whether the night
// has no verdict.
func needsPerson(r model.Report) bool {
	if len(r.Volatile.Waiting)+len(r.Volatile.Branches) > 0 || slices.ContainsFunc(r.Volatile.Patches, model.Patch.Awaits) {
		return true
	}
	return slices.ContainsFunc(subjects(r), func(s subject) bool {
		return s.agent.Decision.Verdict == "" || len(s.volatile.Watch.Alarms()) > 0 || slices.ContainsFunc(s.agent.Decision.Proposals, model.Proposal.Awaits)
	})
}

// The escapes that GitHub uses for the text that follows a command, and for the command's
// properties.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
