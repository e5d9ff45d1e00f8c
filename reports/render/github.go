package render

import (
	"io"
	"strconv"
	"strings"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// maxAnnotation is the number of characters of an agent's sentence in an annotation.
const maxAnnotation = 300

// GitHub writes the night as one line that a job of GitHub Actions shows as an annotation: a
// warning if a person is needed, else a notice.
func GitHub(w io.Writer, r model.Report) error {
	kind := "notice"
	if needsPerson(r) {
		kind = "warning"
	}
	var verdicts, words []string
	for _, s := range subjects(r) {
		b := decisionBox(s)
		name := text.Clip(text.Visible(s.agent.Agent), 60, text.Runes, text.Ellipsis)
		verdicts = append(verdicts, b.Verdict+" "+name)
		words = append(words, name+": "+text.Clip(text.Visible(s.agent.Decision.Sentence), maxAnnotation, text.Runes, text.Ellipsis))
		for _, p := range s.agent.Decision.Proposals {
			if p.Awaits() && len(s.agent.Decision.Commands) > 0 {
				words[len(words)-1] += "; " + text.Visible(s.agent.Decision.Commands[0])
				break
			}
		}
	}
	if line := patchLine(r.Volatile.Patches); len(line) > 0 {
		words = append(words, "patches: "+line.raw())
	}
	if n := len(r.Volatile.Waiting); n > 0 {
		words = append(words, strconv.Itoa(n)+" of earlier nights: evolve proposals")
	}
	title := "evolve run " + strconv.Itoa(r.Run.Number) + ": " + strings.Join(model.First(verdicts, 4), ", ")
	if n := len(verdicts) - 4; n > 0 {
		title += " and " + strconv.Itoa(n) + " more"
	}
	_, err := io.WriteString(w, "::"+kind+" title="+githubProperty.Replace(title)+"::"+githubData.Replace(strings.Join(words, " | "))+"\n")
	return err
}

// needsPerson reports whether something of a night waits for a person, or the night has no verdict.
func needsPerson(r model.Report) bool {
	if len(r.Volatile.Waiting)+len(r.Volatile.Branches) > 0 {
		return true
	}
	for _, p := range r.Volatile.Patches {
		if p.Awaits() {
			return true
		}
	}
	for _, s := range subjects(r) {
		if s.agent.Decision.Verdict == "" || len(s.volatile.Watch.Alarms()) > 0 {
			return true
		}
		for _, p := range s.agent.Decision.Proposals {
			if p.Awaits() {
				return true
			}
		}
	}
	return false
}

// The escapes of GitHub for what follows a command and for its properties.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
