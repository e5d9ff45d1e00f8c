package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/text"
)

// review lets a person look through the tasks and drop some of them before they are
// written.
func (o *builtSuite) review(sh *shell, c *cli.Context) error {
	who, ok := sh.asker()
	if !ok {
		return exit.Errorf(exit.Usage, "--dry-run lists the tasks; --yes writes them without a review", "nothing was written: there is no terminal to review on")
	}
	con := sh.on(who.out)
	if sh.json {
		o.print(con)
	}
	o.list(con)
	for {
		line, err := who.ask(c.Context, "\nN shows a task, d N drops it, [l]ist, [a]ccept, [q]uit: ")
		if errors.Is(err, errGone) {
			return exit.Errorf(exit.Usage, "", "the tasks were not accepted; nothing was written")
		}
		if err != nil {
			return err
		}
		word, rest, _ := strings.Cut(strings.ToLower(line), " ")
		switch word {
		case "a", "accept":
			if len(o.Tasks) == 0 {
				_, _ = fmt.Fprintln(who.out, "there are no tasks left to accept")
				continue
			}
			return o.write(c.Bool("force"))
		case "q", "quit":
			return exit.Errorf(exit.Usage, "", "the tasks were not accepted; nothing was written")
		case "l", "list":
			o.list(con)
		case "d", "drop":
			if at, ok := o.number(rest); ok {
				o.drop(at)
				o.list(con)
				continue
			}
			_, _ = fmt.Fprintf(who.out, "drop which task? type d and a number from 1 to %d\n", len(o.Tasks))
		default:
			if at, ok := o.number(word); ok {
				printTask(con, o.Tasks[at])
				continue
			}
			_, _ = fmt.Fprintf(who.out, "type a number from 1 to %d, d with a number, l, a or q\n", len(o.Tasks))
		}
	}
}

// number converts a task's number in the list, as typed, to the task's index. It reports
// false if there is no task with this number.
func (o *builtSuite) number(word string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	return n - 1, err == nil && n >= 1 && n <= len(o.Tasks)
}

// drop removes a task and counts it as dropped.
func (o *builtSuite) drop(at int) {
	t := o.Tasks[at]
	o.Tasks = slices.Delete(o.Tasks, at, at+1)
	o.Dropped++
	s := &o.Summary
	s.Kept--
	holdout := t.Split == bench.Holdout
	if holdout {
		s.Holdout--
	} else {
		s.Search--
	}
	for i := range s.Domains {
		if d := &s.Domains[i]; d.Domain == t.Domain {
			d.Kept--
			if holdout {
				d.Holdout--
			} else {
				d.Search--
			}
		}
	}
}

// printTask prints a task in full.
func printTask(con *console, t bench.Task) {
	con.printf("%s\n", text.Visible(t.ID))
	for _, m := range t.Fixtures.Turns {
		con.printf("  %s:\n", text.Visible(m.Role))
		con.printLines("    ", m.Content)
	}
	for i, u := range t.Turns {
		con.printf("  user, turn %d:\n", i+1)
		con.printLines("    ", u.User)
		if u.Answer != nil {
			con.printf("  its answer:\n")
			con.printLines("    ", *u.Answer)
		}
	}
	if len(t.Turns) == 0 {
		con.printf("  the user's goal:\n")
		con.printLines("    ", t.Goal)
	}
	con.printf("  the answer:\n")
	con.printLines("    ", *t.Answer)
	var graders []string
	for _, g := range t.Graders {
		graders = append(graders, g.Type)
	}
	source := t.Source.File
	if t.Source.Line > 0 {
		source += fmt.Sprintf(":%d", t.Source.Line)
	}
	con.printFacts([][2]string{
		{"domain", t.Domain},
		{"split", string(t.Split)},
		{"cluster", t.Cluster},
		{"grader", strings.Join(graders, ", ")},
		{"tools", strings.Join(t.Tags, ", ")},
		{"session", t.Source.Session},
		{"file", source},
		{"approved", strings.TrimPrefix(t.Source.Author+": "+t.Source.Approval, ": ")},
	})
}
