package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// console prints a command's output, asks questions, and determines the form of the output.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// json reports whether --json is set. Errors are then printed as an object.
	json bool
	// quiet suppresses progress output, and color reports whether output may be coloured.
	quiet, color bool
	// place is the workspace as named in printed commands; it is empty if the workspace is
	// found from the current folder.
	place string
}

// on returns a console that prints to out for a person to read.
func (con *console) on(out io.Writer) *console {
	return &console{stdin: con.stdin, stdout: out, stderr: con.stderr, place: con.place}
}

// whole returns a copy of the console that does not fold lines, for example for code.
func (con *console) whole() *console {
	out := *con
	out.stdout = unfolded(con.stdout)
	return &out
}

// printf writes to standard output, which records its first error.
func (con *console) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(con.stdout, format, args...)
}

// eprintf writes to standard error.
func (con *console) eprintf(format string, args ...any) {
	_, _ = fmt.Fprintf(con.stderr, format, args...)
}

// printJSON writes one indented JSON value.
func (con *console) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	_, err := unfolded(con.stdout).Write(text.JSON(b.Bytes()))
	return err
}

// show prints a command's result v as JSON or, without --json, calls print to print it as
// text.
func (con *console) show(v any, print func()) error {
	if con.json {
		return con.printJSON(v)
	}
	print()
	return nil
}

// printList prints lines as JSON under a name or, for people, calls row for each line. If
// there are no lines, people see the text in the parameter called none.
func printList[T any](con *console, name string, lines []T, none string, row func(T) error) error {
	if con.json || len(lines) == 0 {
		return con.result(map[string]any{name: lines}, "%s\n", none)
	}
	var err error
	for _, l := range lines {
		err = row(l)
	}
	return err
}

// printFacts prints names and their values, which are untrusted text. It omits empty
// values.
func (con *console) printFacts(facts [][2]string) {
	for _, f := range facts {
		if f[1] != "" {
			con.printf("  %-10s %s\n", f[0], text.Visible(f[1]))
		}
	}
}

// printLines prints the lines of a foreign text, each after an indent.
func (con *console) printLines(indent, body string) {
	for line := range strings.Lines(body) {
		con.printf("%s%s\n", indent, text.Visible(strings.TrimRight(line, "\n")))
	}
}

// result prints a command's result as JSON, or as the formatted text.
func (con *console) result(v any, format string, args ...any) error {
	if con.json {
		return con.printJSON(v)
	}
	_, err := fmt.Fprintf(con.stdout, format, args...)
	return err
}

// terminal reports whether a stream is a terminal, and returns the width of its lines: the
// value of COLUMNS, the width of the terminal or, if neither is known, 80.
func terminal(stream any) (bool, int) {
	if f, ok := stream.(*foldWriter); ok {
		return f.tty, f.width
	}
	if o, ok := stream.(*errWriter); ok {
		stream = o.Writer
	}
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, 80
	}
	if width, ok := sizeOf(stream); ok {
		return true, width
	}
	return true, 80
}

// sizeOf returns the width of a terminal, if the terminal reports one.
func sizeOf(stream any) (int, bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil && width > 0
}

// width returns the width to which lines are folded, or 0 if they are not folded.
func (con *console) width() int {
	if f, ok := con.stdout.(*foldWriter); ok {
		return f.width
	}
	return 0
}

// person is the user at the terminal.
type person struct {
	in  *bufio.Reader
	out io.Writer
}

// asker returns the user at the terminal, if questions can be asked there.
func (con *console) asker() (*person, bool) {
	if in, _ := terminal(con.stdin); !in {
		return nil, false
	}
	for _, out := range []io.Writer{con.stderr, con.stdout} {
		if tty, _ := terminal(out); tty {
			return &person{bufio.NewReader(con.stdin), out}, true
		}
	}
	return nil, false
}

// mustAsk returns the person at the terminal, or an error if there is no terminal. The
// error's hint names the command (first) that shows what the question is about.
func (con *console) mustAsk(first string) (*person, error) {
	if who, ok := con.asker(); ok {
		return who, nil
	}
	return nil, exit.Errorf(exit.Usage, "run `"+first+"` first, then add --yes", "there is no terminal to confirm on")
}

// errGone reports that the input ended before an answer was given.
var errGone = errors.New("the input ended")

// ask asks a question and returns the line that the person types as the answer.
func (p *person) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(p.out, question)
	_ = flush(p.out)
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := p.in.ReadString('\n')
		answers <- answer{strings.TrimSpace(line), err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(p.out)
		return "", context.Cause(ctx)
	case a := <-answers:
		if a.err != nil && a.line == "" {
			_, _ = fmt.Fprintln(p.out)
			return "", errGone
		}
		return a.line, nil
	}
}

// confirm asks whether to go on with an action (what). It returns nil for y or yes, in
// upper or lower case, and an error for n, no or an empty line. The error names the action
// that was not taken. After any other line, confirm asks again.
func (p *person) confirm(ctx context.Context, what string) error {
	for {
		line, err := p.ask(ctx, "continue? y or yes, n or no [no]: ")
		if errors.Is(err, night.ErrInterrupted) {
			return err
		}
		answer, known := text.YesOrNo(line)
		switch {
		case err == nil && answer:
			return nil
		case err != nil || known:
			return exit.Errorf(exit.Usage, "", "not confirmed; nothing was %s", what)
		}
		_, _ = fmt.Fprintf(p.out, "%q is neither yes nor no: type y or yes to continue, n or no to stop\n", text.Visible(oneLine(line, 40)))
	}
}

// command returns a form of the command that works in the current folder.
func (con *console) command(command string) string {
	if con.place == "" {
		return command
	}
	return command + " --workspace " + text.ShellQuote(con.place)
}

// inHints matches the commands in a hint.
var inHints = regexp.MustCompile("`evolve [^`]*`")

// localHint adapts the commands in a hint to the current folder.
func (con *console) localHint(hint string) string {
	if con.place == "" {
		return hint
	}
	return inHints.ReplaceAllStringFunc(hint, func(command string) string {
		command = strings.Trim(command, "`")
		for _, free := range []string{"evolve help", "evolve demo", "--help", "--workspace"} {
			if strings.Contains(command, free) {
				return "`" + command + "`"
			}
		}
		return "`" + con.command(command) + "`"
	})
}

// localReport adapts the commands in a report to the current folder.
func (con *console) localReport(r model.Report) model.Report {
	if con.place == "" {
		return r
	}
	r.Agents, r.Volatile.Patches, r.Volatile.Waiting = slices.Clone(r.Agents), slices.Clone(r.Volatile.Patches), slices.Clone(r.Volatile.Waiting)
	for i := range r.Agents {
		r.Agents[i].Decision.Commands = con.commandList(r.Agents[i].Decision.Commands)
	}
	for i := range r.Volatile.Waiting {
		r.Volatile.Waiting[i].Command = con.command(r.Volatile.Waiting[i].Command)
	}
	for i := range r.Volatile.Patches {
		r.Volatile.Patches[i].Commands = con.commandList(r.Volatile.Patches[i].Commands)
	}
	return r
}

func (con *console) commandList(commands []string) []string {
	out := make([]string, len(commands))
	for i, command := range commands {
		out[i] = con.command(command)
	}
	return out
}

// fail prints an error with its hint and returns the error's exit code. With --json, the
// last line of standard error is an object with the error and the hint.
func (con *console) fail(err error) int {
	var q exit.Silent
	if errors.As(err, &q) {
		return int(q)
	}
	code, hint := exit.Of(err)
	if errors.Is(err, syscall.EPIPE) { // the reader has ended, as in `| head`
		return code
	}
	hint = con.localHint(hint)
	if con.json {
		line, _ := json.Marshal(struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitempty"`
			Exit  int    `json:"exit"`
		}{shortened(err.Error()), shortened(hint), code})
		_, _ = fmt.Fprintf(unfolded(con.stderr), "%s\n", text.JSON(line))
		return code
	}
	for i, l := range strings.Split(strings.TrimRight(shortened(err.Error()), "\n"), "\n") {
		lead := "error: "
		if i > 0 {
			lead = "       "
		}
		_, _ = fmt.Fprintln(con.stderr, lead+text.Visible(l))
	}
	if hint != "" {
		con.eprintf("hint: %s\n", text.Visible(shortened(hint)))
	}
	return code
}

// mostLine is the maximum length of a line of a message, in characters. It is needed
// because text from a file, an argument or an answer can have any length.
const mostLine = 2000

// shortened removes the middle of each long line of a message.
func shortened(message string) string {
	if len(message) <= mostLine {
		return message
	}
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = workspace.Shorten(l, mostLine)
	}
	return strings.Join(lines, "\n")
}
