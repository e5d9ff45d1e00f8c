package gates

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/authored"
	"evolve/runtime/skill"
	"evolve/runtime/text"
)

// The limits on a tool or skill that an agent wrote.
const (
	maxToolBytes  = authored.MaxSource + authored.MaxManifest
	maxSkillBytes = skill.MaxFile
	// maxParts is the maximum number of files of one kind that a workspace loads for one
	// agent.
	maxParts = 200
)

// WrittenChange is the common input to the gates for proposals of kind tool.
type WrittenChange struct {
	// Measured and Now are the hashes, by name, of everything on which the proposal
	// depends. Measured is from the time when the proposal was drawn up, and Now is from
	// the present.
	Measured, Now map[string]string
	// Bytes is the total length of the files that the proposal would write. Parts is the
	// number of files of this kind that the agent would then have.
	Bytes, Parts int
	// Answers indexes the reference answers to every task.
	Answers *bench.AnswerIndex
	// Rehearse applies and reverts the change in a scratch folder.
	Rehearse func() error
}

// ToolChange is a proposed change to a tool that an agent wrote.
type ToolChange struct {
	WrittenChange
	// Reload reads the definition again from the files that the proposal would write.
	Reload func() (authored.Definition, error)
	// Registered lists the names of the tools that the proposed tool must not replace: all
	// tools except those that an agent wrote.
	Registered []string
	// Before reads the definition that the proposal replaces or deletes; Before is nil if
	// there is no such definition.
	Before func() (authored.Definition, error)
	// Check runs the tests in the hermetic child process; if it is nil, no tests run.
	Check func(context.Context, authored.Definition) authored.Report
}

// Tool lists the gates for a tool that an agent wrote. They do not judge whether the tool's
// tests are correct, because a person reads them.
func Tool(c ToolChange) []Gate {
	list := []Gate{
		base(c.Measured, c.Now),
		{Name: "definition", Check: func(context.Context) (Verdict, string) {
			d, err := c.Reload()
			if err != nil {
				return Failed, "the files are not a tool: " + oneLine(err)
			}
			return Passed, fmt.Sprintf("the files load as the tool %s, source hash %s", d.Name, d.Hash()[:12])
		}},
		{Name: "name", Check: func(context.Context) (Verdict, string) {
			d, err := c.Reload()
			switch {
			case err != nil:
				return NotRun, "the files do not load as a tool, so there is no name to check"
			case slices.Contains(c.Registered, d.Name) || authored.Reserved(d.Name):
				return Failed, fmt.Sprintf("%s is the name of a registered tool, which this tool would replace", d.Name)
			}
			return Passed, fmt.Sprintf("none of the %d registered tools is called %s", len(c.Registered), d.Name)
		}},
		{Name: "tests", Check: func(ctx context.Context) (Verdict, string) {
			d, err := c.Reload()
			if err != nil || c.Check == nil {
				return NotRun, "no test was run"
			}
			return tested(c.Check(ctx, d))
		}},
		overlap(c.Answers, func() (map[string]string, error) {
			d, err := c.Reload()
			if err != nil {
				return nil, err
			}
			texts := map[string]string{"its source": d.Source, "its description": d.Description}
			for _, t := range d.Tests {
				texts[fmt.Sprintf("its test %q", t.Name)] = string(t.Args) + "\n" + string(t.Want) + "\n" + t.WantError
			}
			return texts, nil
		}),
		size(c.WrittenChange, maxToolBytes),
		rollback(c.Rehearse),
	}
	if c.Before != nil {
		list = append(list, earlierTests(c))
	}
	return list
}

// earlierTests returns the gate that runs the tests of the version in use on both that
// version and the new one. If only the version in use passes a test, the gate flags the
// change for a person, because the change may be intended.
func earlierTests(c ToolChange) Gate {
	return Gate{Name: "earlier tests", Check: func(ctx context.Context) (Verdict, string) {
		before, err := c.Before()
		if err != nil {
			return Flagged, "the version in use does not load: " + oneLine(err)
		}
		d, err := c.Reload()
		if err != nil || c.Check == nil {
			return NotRun, "no test was run"
		}
		after := d
		after.Tests = before.Tests
		old, now := c.Check(ctx, before), c.Check(ctx, after)
		if old.Problem != "" || now.Problem != "" {
			return NotRun, "the tests could not be run: " + cmp.Or(old.Problem, now.Problem)
		}
		var broken []string
		for i, t := range now.Tests {
			if !t.Passed && old.Tests[i].Passed {
				broken = append(broken, fmt.Sprintf("%s: %s", t.Name, t.Reason))
			}
		}
		if len(broken) > 0 {
			return Flagged, fmt.Sprintf("the version in use passes %d of its tests that the new version does not pass: %s", len(broken), strings.Join(broken, "; "))
		}
		return Passed, "the new version passes every test that the version in use passes; the version in use has " + text.Count(len(now.Tests), "test")
	}}
}

// ToolDeletion lists the gates for the deletion of a tool that an agent wrote. unused
// returns an error with the reason if the tool cannot be deleted.
func ToolDeletion(c ToolChange, unused func(context.Context) error) []Gate {
	return []Gate{
		base(c.Measured, c.Now),
		{Name: "definition", Check: func(context.Context) (Verdict, string) {
			d, err := c.Before()
			if err != nil {
				return Failed, "the files are not a tool: " + oneLine(err)
			}
			return Passed, fmt.Sprintf("the files define the tool %s, source hash %s", d.Name, d.Hash()[:12])
		}},
		{Name: "earlier tests", Check: func(ctx context.Context) (Verdict, string) {
			d, err := c.Before()
			if err != nil || c.Check == nil {
				return NotRun, "no test was run"
			}
			verdict, evidence := tested(c.Check(ctx, d))
			if verdict == Failed { // a tool that fails its tests may be deleted
				verdict = Passed
			}
			return verdict, "the tool to be deleted: " + evidence
		}},
		{Name: "use", Check: func(ctx context.Context) (Verdict, string) {
			if err := unused(ctx); err != nil {
				return Failed, oneLine(err)
			}
			return Passed, "nothing in the workspace names it, and it is not shared"
		}},
		rollback(c.Rehearse),
	}
}

// tested returns the verdict on a report of a tool's tests, with the result of each test as
// evidence.
func tested(r authored.Report) (Verdict, string) {
	if r.Problem != "" {
		return NotRun, "the tests could not be run: " + r.Problem
	}
	if len(r.Tests) == 0 {
		return NotRun, "no test was run"
	}
	var list []string
	for _, t := range r.Tests {
		if t.Passed {
			list = append(list, fmt.Sprintf("%s (%s)", t.Name, text.Count(int(t.Steps), "step")))
		} else {
			list = append(list, fmt.Sprintf("%s FAILED: %s", t.Name, t.Reason))
		}
	}
	if !r.Passed() {
		return Failed, strings.Join(list, "; ")
	}
	return Passed, fmt.Sprintf("%s passed, each run twice without files or network: %s", text.Count(len(list), "test"), strings.Join(list, "; "))
}

// SkillChange is a skill drafted from transcripts.
type SkillChange struct {
	WrittenChange
	// Reload reads the definition again from the file that the proposal would write.
	Reload func() (skill.Definition, error)
	// Again drafts skills again from the transcripts to which this skill refers.
	Again func(context.Context) ([]skill.Candidate, error)
}

// Skill lists the gates for a skill. The text of a skill becomes part of the prompt, so a
// skill passes only if drafting again reproduces it exactly, without a veto.
func Skill(c SkillChange) []Gate {
	return []Gate{
		base(c.Measured, c.Now),
		{Name: "definition", Check: func(context.Context) (Verdict, string) {
			d, err := c.Reload()
			if err != nil {
				return Failed, "the file is not a skill: " + oneLine(err)
			}
			return Passed, fmt.Sprintf("the file loads as the skill %s of domain %s", d.Name, d.Domain)
		}},
		{Name: "vetoes", Check: func(ctx context.Context) (Verdict, string) {
			d, err := c.Reload()
			if err != nil {
				return NotRun, "the file does not load as a skill, so there is nothing to check"
			}
			list, err := c.Again(ctx)
			if err != nil {
				return NotRun, "the skill's transcripts could not be read: " + err.Error()
			}
			return vetoed(d, list)
		}},
		overlap(c.Answers, func() (map[string]string, error) {
			d, err := c.Reload()
			return map[string]string{"its text": d.Text}, err
		}),
		size(c.WrittenChange, maxSkillBytes),
		rollback(c.Rehearse),
	}
}

// vetoed returns the verdict on a skill by looking up the skill in list, which contains
// the skills that were drafted again from the skill's transcripts.
func vetoed(d skill.Definition, list []skill.Candidate) (Verdict, string) {
	for _, again := range list {
		if again.Definition.Name != d.Name {
			continue
		}
		switch {
		case len(again.Vetoes) > 0:
			return Failed, strings.Join(again.Vetoes, "; ")
		case string(again.Definition.Encode()) != string(d.Encode()):
			return Failed, "drafting the skill again from its transcripts gives a different text"
		}
		return Passed, fmt.Sprintf("drafting the skill again from its transcripts gives the same text, without a veto: its steps solved %d tasks in %d clusters and failed on %d others",
			again.Solved, again.Clusters, again.Failed)
	}
	return Failed, "drafting from the skill's transcripts again does not produce this skill"
}

// size returns the gate that fails a change that is too large for a person to read, or one
// with more files than a workspace loads.
func size(c WrittenChange, most int) Gate {
	return Gate{Name: "size", Check: func(context.Context) (Verdict, string) {
		switch {
		case c.Bytes > most:
			return Failed, fmt.Sprintf("%d bytes, but at most %d are allowed", c.Bytes, most)
		case c.Parts > maxParts:
			return Failed, fmt.Sprintf("the agent would have %d files of this kind, but at most %d are loaded", c.Parts, maxParts)
		}
		return Passed, fmt.Sprintf("%d bytes (at most %d); the agent would have %d files of this kind (at most %d)", c.Bytes, most, c.Parts, maxParts)
	}}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
