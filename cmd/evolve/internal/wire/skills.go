package wire

import (
	"fmt"
	"maps"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/skill"
)

const (
	// skillsSection is the name of the section of the prompt with the approved skills,
	// which stands among the workspace's files.
	skillsSection = "SKILLS.md"
	// skillsBudget is the maximum number of tokens of that section.
	skillsBudget = 4000
)

// withSkills returns the files of the prompt, with the approved skills among them for a
// language model; the heuristic reads none.
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
		// prompt's beginning serves all: each skill names its domain.
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

// globalDomain is the domain of skills for all domains.
const globalDomain = "_global"
