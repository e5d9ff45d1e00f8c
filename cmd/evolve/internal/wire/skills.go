package wire

import (
	"fmt"
	"maps"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/skill"
)

const (
	// skillsSection is the name of the prompt section with the approved skills. The section
	// is placed among the workspace's files.
	skillsSection = "SKILLS.md"
	// skillsBudget is the maximum number of tokens in the section of skills.
	skillsBudget = 4000
)

// withSkills returns the files for the prompt. For a language model they include the
// approved skills; the heuristic does not read skills.
func withSkills(a *workspace.Agent) (map[string]string, error) {
	if a.Adapter.Model == workspace.ModelHeuristic || len(a.SkillFiles) == 0 {
		return a.Bootstrap, nil
	}
	var skills []skill.Definition
	for _, file := range workspace.SortedNames(a.SkillFiles) {
		d, err := skill.Parse(a.SkillFiles[file])
		if err != nil {
			return nil, fmt.Errorf("skill %s: %w", file, err)
		}
		// The files are the same in every domain, so that a provider's cache of the
		// prompt's beginning serves all domains; each skill names its domain.
		if d.Domain != globalDomain {
			d.Text = "For tasks of the domain " + d.Domain + ".\n\n" + d.Text
			d.Domain = globalDomain
		}
		skills = append(skills, d)
	}
	files := maps.Clone(a.Bootstrap)
	if files == nil {
		files = map[string]string{}
	}
	files[skillsSection] = skill.Section(skills, globalDomain, skillsBudget)
	return files, nil
}

// globalDomain is the domain of skills that apply to all domains.
const globalDomain = "_global"
