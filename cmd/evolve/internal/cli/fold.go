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

// foldWriter is standard output or standard error for a person to read: it folds each line at
// spaces to a width. The part of a line that has no end yet is kept until flush.
type foldWriter struct {
	// file is the stream itself, tty reports whether that is a terminal, and draws whether the cursor
	// can be moved there.
	file       io.Writer
	tty, draws bool
	width      int

	mu sync.Mutex
	// above receives whole lines in place of the file while bars are drawn on it; nil without.
	above io.Writer
	part  []byte
}

// leastColumns and mostColumns bound the values of COLUMNS that are followed.
const leastColumns, mostColumns = 20, 1000

// columns returns the width that COLUMNS sets for people's output, 0 for none.
func columns(value string) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < leastColumns || n > mostColumns {
		return 0
	}
	return n
}

// foldTo returns a stream that folds lines to the width that COLUMNS sets or the terminal has. A
// stream with neither, such as a pipe, is returned as it is. A dumb terminal has no cursor to move.
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

// print writes to the bars, or to the file once there are none.
func (f *foldWriter) print(s string) error {
	if f.above != nil {
		if _, err := io.WriteString(f.above, s); err == nil {
			return nil
		}
	}
	_, err := io.WriteString(f.file, s)
	return err
}

// flush prints the part of a line that has no end yet, as a question has none.
func (f *foldWriter) flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.part) == 0 {
		return nil
	}
	s := strings.Join(foldLine(string(f.part), f.width), "\n")
	if strings.HasSuffix(string(f.part), " ") && !strings.HasSuffix(s, " ") {
		s += " " // between a question and its answer
	}
	f.part = nil
	return f.print(s)
}

// drawAbove makes further lines go to bars that draw below them; nil ends it.
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

// flush prints what a stream keeps of a line without an end.
func flush(stream io.Writer) error {
	if f, ok := stream.(*foldWriter); ok {
		return f.flush()
	}
	return nil
}

// unfolded returns the stream below the one that folds, for what programs read or people copy
// whole: JSON, differences, Markdown, units, exports. It also returns the stream of other programs.
func unfolded(stream io.Writer) io.Writer {
	f, ok := stream.(*foldWriter)
	if !ok {
		return stream
	}
	_ = f.flush()
	return f.file
}

var (
	// lastCommand matches a command at the end of a line, or as the line. The last alternative of a
	// value is one without spaces.
	lastCommand = regexp.MustCompile("(?:^|  |[^a-z` ] )(evolve(?: [a-z-]+){1,3}(?: [A-Z0-9][^\\s`]*| --[a-z-]+(?: (?:'[^']*'|\"[^\"]*\"|[^\\s`-][^\\s`]*))?)*)$")
	// foldWord matches the spaces before a word and the word, or a text in backquotes with what
	// stands against it.
	foldWord = regexp.MustCompile(" *(?:`[^`]*`|[^ ])+")
	// label matches what stands before the text of a line: a word of a message, or columns that two
	// spaces end.
	label = regexp.MustCompile(`^(?:(?:error|hint|warning): |\S+(?: \S+)*?  +)`)
	// colour matches a terminal's command for colours, which takes no cell.
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// cellsOf returns the number of cells that a line takes on a terminal.
func cellsOf(s string) int {
	if strings.Contains(s, "\x1b") {
		s = colour.ReplaceAllString(s, "")
	}
	return text.Width(s)
}

// deep is the indent from which the further parts of a line have the same.
const deep = 8

// foldLine breaks a line of more than width cells at spaces. Its further parts stand below the text
// behind the line's label if that leaves half of the width and room for each word, else two cells
// further than a line that is not deep. Columns keep their distance within a part. A command stays
// in one piece, to be copied, and so does a word such as a path: the terminal itself wraps them.
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
		if !empty && at > labelled && cellsOf(part+word) > width { // behind the label alone the next line has no more room
			parts, part, empty = append(parts, part), further, true
		}
		if empty {
			word = strings.TrimLeft(word, " ")
		}
		part, empty = part+word, false
	}
	return append(parts, part)
}

// foldWords returns the words of a line that stay whole, each with the spaces before it.
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
