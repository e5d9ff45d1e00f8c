package stats

import "regexp"

// ofTasks are the phrases of sentences about tasks that differ in those about cases.
var ofTasks = regexp.MustCompile(`\b((?:on|new|these|search|holdout|independent|held-out|more|confirm|[0-9]+) )(task)(s?)\b`)

// OfCases returns a sentence about tasks as one about the cases that a command scores: names in it
// stay as they are, since only phrases such as "new tasks" and "30 tasks" change.
func OfCases(sentence string) string { return ofTasks.ReplaceAllString(sentence, "${1}case${3}") }
