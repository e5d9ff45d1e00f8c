package turn

import "evolve/runtime/memory"

// DomainOf returns a function that finds the domain of a message by the keywords of a
// table, as a turn does; nil means the table of [DefaultDomains]. The function returns ""
// for a message that belongs to no single domain.
func DomainOf(table map[string][]string) func(message string) string {
	if len(table) == 0 {
		table = DefaultDomains()
	}
	c := newClassifier(memory.NewLexicon(), table)
	return func(message string) string {
		if d := c.classify(message); d != memory.GlobalDomain {
			return d
		}
		return ""
	}
}
