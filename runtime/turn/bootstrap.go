package turn

import (
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/session"
)

// bootstrapFiles returns the workspace's files without the strategy, which is a
// parameter of the config.
func bootstrapFiles(files map[string]string) map[string]string {
	out := make(map[string]string, len(files))
	for name, text := range files {
		if strings.TrimSuffix(name, ".md") != session.StrategySection {
			out[name] = text
		}
	}
	return out
}

// bootstrap loads the parts of the prompt that do not depend on the goal: the workspace's
// files, the lessons of live turns, the strategy, the notes within their own budget, and
// the working state.
func (r *run) bootstrap() {
	strategy, working := r.settings.strategy, session.BoundWorking(r.req.Session.Working)
	notes := session.Inject(r.env.Notes, r.settings.notes)
	if len(r.agent.files) == 0 && r.agent.lessons == "" && working == "" && len(notes) == 0 {
		r.strategy = strategy
		return
	}
	kept, dropped := r.load([]session.Section{
		{Name: session.StrategySection, Text: strategy},
		{Name: session.NotesSection, Text: strings.Join(notes, "\n")},
		{Name: session.WorkingSection, Text: working},
	})
	var names []string
	for _, s := range kept {
		names = append(names, s.Name)
		switch s.Name {
		case session.StrategySection:
			if !r.agent.language { // the prompt of a language model has the strategy among the files
				r.strategy = s.Text
				continue
			}
		case session.NotesSection:
			r.notes = notes
			continue
		case session.WorkingSection:
			r.working = s.Text
			continue
		}
		r.system = append(r.system, model.Section{Name: s.Name, Text: s.Text})
	}
	text := "loaded " + strings.Join(names, ", ")
	if len(dropped) > 0 {
		text += "; dropped " + strings.Join(dropped, ", ")
	}
	r.event(agent.Event{Kind: agent.EventBootstrap, Text: text})
}

// load loads the workspace's files and other sections within the budget. The lessons of
// live turns are in the section of EVAL_FEEDBACK.md, after the text that a person wrote
// there. They are left out if anything else would be dropped because of them, so they never
// displace the strategy.
func (r *run) load(sections []session.Section) (kept []session.Section, dropped []string) {
	kept, dropped = session.Load(r.agent.files, sections, r.settings.bootstrap)
	if r.agent.lessons == "" {
		return kept, dropped
	}
	both := r.agent.lessons
	if own := r.agent.files[session.FeedbackFile]; own != "" {
		both = strings.TrimRight(own, "\n") + "\n\n" + both
	}
	with, lost := session.Load(r.agent.files, append(sections, session.Section{Name: session.FeedbackFile, Text: both}), r.settings.bootstrap)
	if len(lost) > len(dropped) {
		return kept, append([]string{lessonsName}, dropped...)
	}
	return with, lost
}

// lessonsName is the name of the lessons in the list of dropped parts.
const lessonsName = "lessons of live turns"
