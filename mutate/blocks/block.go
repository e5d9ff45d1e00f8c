package blocks

import (
	"fmt"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Block is a marked block.
type Block struct {
	Name string
	// File and Line are the position of its first marker; lines count from 1.
	File string
	Line int
	// Text is the text between the markers. All of its lines, including the last, end in
	// "\n", even if those of the file end in "\r\n".
	Text string

	start, end int // of the text in the file, byte offsets
	crlf       bool
}

// Span returns the byte offsets of the text in its file.
func (b Block) Span() (start, end int) { return b.start, b.end }

// Problem is a marker that cannot be used.
type Problem struct {
	File string
	Line int
	// Text is the problem and Hint, which may be empty, a remedy.
	Text, Hint string
}

func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d: %s", foreign.Visible(p.File), p.Line, p.Text)
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Space returns blocks as parameters of kind text, with the config of their current texts.
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
