package stats

import "regexp"

// ofTasks matches the phrases about tasks that must be reworded to turn a sentence about
// tasks into one about cases.
var ofTasks = regexp.MustCompile(`\b((?:on|new|these|search|holdout|independent|held-out|more|confirm|[0-9]+) )(task)(s?)\b`)

// OfCases turns a sentence about tasks into one about the cases that a command scores.
// Names in it stay as they are, because only phrases such as "new tasks" and "30 tasks"
// change.
func OfCases(sentence string) string { return ofTasks.ReplaceAllString(sentence, "${1}case${3}") }
