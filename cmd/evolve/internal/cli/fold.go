package cli

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"evolve/runtime/text"
)

// foldWriter is standard output or standard error for a person to read. It folds each line
// at spaces to a width. A line that has not ended yet is retained until flush.
type foldWriter struct {
	// file is the stream itself, tty reports whether the stream is a terminal, and draws
	// reports whether the cursor can be moved there.
	file       io.Writer
	tty, draws bool
	width      int

	mu sync.Mutex
	// above receives whole lines in place of the file while bars are drawn on the file;
	// it is nil if no bars are drawn.
	above io.Writer
	part  []byte
}

// leastColumns and mostColumns are the smallest and the largest value of COLUMNS that is
// accepted.
const leastColumns, mostColumns = 20, 1000

// columns returns the width that COLUMNS sets for output to people, or 0 if it sets no
// valid width.
func columns(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < leastColumns || n > mostColumns {
		return 0
	}
	return n
}

// foldTo returns a stream that folds lines to the width that COLUMNS sets or, without it,
// to the width of the terminal. A stream with neither, such as a pipe, is returned
// unchanged. On a dumb terminal the cursor cannot be moved.
func foldTo(stream io.Writer, set int, dumb bool) io.Writer {
	tty, width := terminal(stream)
	_, known := sizeOf(stream)
	if set > 0 {
		width = set
	} else if !tty {
		return stream
	}
	return &foldWriter{file: stream, tty: tty, draws: known && !dumb, width: width}
}

// Write prints the whole lines of p, folded.
func (f *foldWriter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.part = append(f.part, p...)
	end := strings.LastIndexByte(string(f.part), '\n')
	if end < 0 {
		return len(p), nil
	}
	var out strings.Builder
	for line := range strings.Lines(string(f.part[:end+1])) {
		for _, l := range foldLine(strings.TrimSuffix(line, "\n"), f.width) {
			out.WriteString(l + "\n")
		}
	}
	f.part = append([]byte(nil), f.part[end+1:]...)
	return len(p), f.print(out.String())
}

// print writes to the bars, or to the file if no bars are drawn.
func (f *foldWriter) print(s string) error {
	if f.above != nil {
		if _, err := io.WriteString(f.above, s); err == nil {
			return nil
		}
	}
	_, err := io.WriteString(f.file, s)
	return err
}

// flush prints the part of a line that has no end yet, such as a question.
func (f *foldWriter) flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.part) == 0 {
		return nil
	}
	s := strings.Join(foldLine(string(f.part), f.width), "\n")
	if strings.HasSuffix(string(f.part), " ") && !strings.HasSuffix(s, " ") {
		s += " " // separates a question from its answer
	}
	f.part = nil
	return f.print(s)
}

// drawAbove sends further lines to bars, which print the lines and draw themselves below.
// If bars is nil, lines go to the file again.
func (f *foldWriter) drawAbove(bars io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.above = bars
}

// drawn reports whether bars are drawn on the stream now.
func (f *foldWriter) drawn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.above != nil
}

// flush prints the unfinished line that a stream retains.
func flush(stream io.Writer) error {
	if f, ok := stream.(*foldWriter); ok {
		return f.flush()
	}
	return nil
}

// unfolded returns the stream to which the folding stream writes. It is for output that
// programs read or people copy as a whole (JSON, differences, Markdown, units, exports) and
// for the output of other programs.
func unfolded(stream io.Writer) io.Writer {
	f, ok := stream.(*foldWriter)
	if !ok {
		return stream
	}
	_ = f.flush()
	return f.file
}

var (
	// lastCommand matches a command at the end of a line, or a command that is the whole
	// line. In the last alternative, a value has no spaces.
	lastCommand = regexp.MustCompile("(?:^|  |[^a-z` ] )(evolve(?: [a-z-]+){1,3}(?: [A-Z0-9][^\\s`]*| --[a-z-]+(?: (?:'[^']*'|\"[^\"]*\"|[^\\s`-][^\\s`]*))?)*)$")
	// foldWord matches a word and the spaces before it, or a text in backquotes together
	// with the characters that adjoin it.
	foldWord = regexp.MustCompile(" *(?:`[^`]*`|[^ ])+")
	// label matches the part of a line that precedes its text: a message word such as
	// "error:", or columns that end with two spaces.
	label = regexp.MustCompile(`^(?:(?:error|hint|warning): |\S+(?: \S+)*?  +)`)
	// colour matches a terminal's colour command, which takes up no cell.
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// cellsOf returns the number of cells that a line takes up on a terminal.
func cellsOf(s string) int {
	if strings.Contains(s, "\x1b") {
		s = colour.ReplaceAllString(s, "")
	}
	return text.Width(s)
}

// deep is the smallest indent of a line whose continuation lines have the same indent as
// the line.
const deep = 8

// foldLine breaks a line of more than width cells at spaces. The continuation lines are
// aligned with the text after the line's label if that leaves half of the width and room
// for each word. Otherwise they have the line's indent, plus two cells if the indent is
// less than the constant deep. The spaces between columns are preserved within a line. A
// command stays in one piece so that it can be copied, and so does a word such as a path;
// the terminal itself wraps them if they are too long.
func foldLine(line string, width int) []string {
	if cellsOf(line) <= width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(body)]
	further := lead
	if len(lead) < deep {
		further += "  "
	}
	words, labelled := foldWords(body), 0
	if n := cellsOf(lead + label.FindString(body)); n > len(lead) && n <= width/2 && !slices.ContainsFunc(words, func(word string) bool {
		cells := cellsOf(strings.TrimLeft(word, " "))
		return cells > width-n && cells <= width-len(further)
	}) {
		further, labelled = strings.Repeat(" ", n), n
	}
	var parts []string
	part, empty := lead, true
	for _, word := range words {
		at := cellsOf(part) + len(word) - len(strings.TrimLeft(word, " "))
		if !empty && at > labelled && cellsOf(part+word) > width { // if the part has only the label, the next line has no more room
			parts, part, empty = append(parts, part), further, true
		}
		if empty {
			word = strings.TrimLeft(word, " ")
		}
		part, empty = part+word, false
	}
	return append(parts, part)
}

// foldWords splits a line into the pieces that must not be broken, each with the spaces
// before it.
func foldWords(body string) []string {
	command := ""
	if at := lastCommand.FindStringSubmatchIndex(body); at != nil {
		start := len(strings.TrimRight(body[:at[2]], " "))
		body, command = body[:start], body[start:]
	}
	words := foldWord.FindAllString(body, -1)
	if command != "" {
		words = append(words, command)
	}
	return words
}
