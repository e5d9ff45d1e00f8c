package scaffold

import (
	"slices"
	"strings"
	"testing"
)

// mentions reports whether a text contains one of the words.
func mentions(text string, words ...string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
}

// letterDesk is the house rule for letters: a letter about an invoice goes to billing
// whatever else it mentions, a letter about frost to warning, a letter about the phone to
// app, and all others to parts.
func letterDesk(letter string) string {
	switch {
	case mentions(letter, "invoice"):
		return "billing"
	case mentions(letter, "frost", "froze"):
		return "warning"
	case mentions(letter, "phone"):
		return "app"
	}
	return "parts"
}

// alertTeam is the house rule for alerts: alerts that customers see go to customer,
// alerts about disks and backups go to storage, and all others go to platform.
func alertTeam(alert string) string {
	switch {
	case mentions(alert, "invoice", "dashboard"):
		return "customer"
	case mentions(alert, "disk", "backup"):
		return "storage"
	}
	return "platform"
}

func TestPrecedentsFollowTheRuleOfTheHouse(t *testing.T) {
	rules := map[string]func(string) string{"operations": alertTeam, "marketing": letterDesk}
	seen := map[string]int{}
	for _, task := range suiteTasks(t) {
		if !slices.Contains(task.Tags, "precedent") {
			continue
		}
		rule := rules[task.Domain]
		if rule == nil {
			t.Fatalf("%s: no rule for %s", task.ID, task.Domain)
		}
		seen[task.Domain]++
		if got := rule(task.Goal); got != *task.Answer {
			t.Errorf("%s: %q belongs to %s, the suite says %s", task.ID, task.Goal, got, *task.Answer)
		}
		for _, m := range task.Fixtures.Memories {
			if got := rule(m.Text); got != m.Answer {
				t.Errorf("%s: the precedent %q belongs to %s, the suite says %s", task.ID, m.Text, got, m.Answer)
			}
		}
	}
	for domain := range rules {
		if seen[domain] < 3 {
			t.Errorf("%d tasks by precedent in %s, at least 3 are wanted", seen[domain], domain)
		}
	}
}
