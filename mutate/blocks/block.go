package blocks

import (
	"fmt"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Block is a block of source text between two markers.
type Block struct {
	Name string
	// File and Line are the position of the block's first marker; lines are counted from 1.
	File string
	Line int
	// Text is the text between the markers. All of its lines, including the last, end in
	// "\n", even if the lines of the file end in "\r\n".
	Text string

	start, end int // byte offsets of the text in the file
	crlf       bool
}

// Span returns the byte offsets of the text in the file.
func (b Block) Span() (start, end int) { return b.start, b.end }

// Problem is a marker that cannot be used.
type Problem struct {
	File string
	Line int
	// Text describes the problem. Hint describes a remedy and may be empty.
	Text, Hint string
}

func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d: %s", foreign.Visible(p.File), p.Line, p.Text)
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Space returns a space with each block as a parameter of kind text, and the config that
// holds the current texts.
func Space(list []Block) (agent.Space, agent.Config) {
	var s agent.Space
	for _, b := range list {
		s.Params = append(s.Params, agent.Param{
			Name: b.Name, Kind: agent.Text, Use: agent.Code, MaxChars: mostText, Default: b.Text,
			Description: "a marked block of " + b.File,
		})
	}
	return s, s.Default()
}
