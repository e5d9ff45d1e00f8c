package blocks

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Set writes the texts of a config into the blocks and returns all files, including
// unchanged ones. A text without a final line break gets one. The lines of a text end in
// the same way as the lines of the file. Blocks that the config does not mention keep their
// texts.
//
// It returns an error if a marker in the files cannot be used, if the config has a
// parameter that is not a block, or if [Check] refuses a text.
func Set(files map[string][]byte, config agent.Config) (map[string][]byte, error) {
	list, problems := Find(files)
	if len(problems) > 0 {
		return nil, fmt.Errorf("a mark cannot be used: %s", problems[0])
	}
	names := map[string]bool{}
	for _, b := range list {
		names[b.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if !names[name] {
			return nil, fmt.Errorf("parameter %s is not a marked block", foreign.Quote(name))
		}
	}
	out := maps.Clone(files)
	for _, b := range slices.Backward(list) { // from the end, so that earlier offsets stay valid
		v, there := config[b.Name]
		if !there {
			continue
		}
		text, _ := v.(string)
		if err := Check(text); err != nil {
			return nil, fmt.Errorf("block %s: %w", b.Name, err)
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if b.crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		was := out[b.File]
		out[b.File] = slices.Concat(was[:b.start], []byte(text), was[b.end:])
	}
	return out, nil
}

// Check returns the reason why a text cannot be the text of a block, or nil if it can. A
// text is refused if it is empty, too long or not UTF-8, or if it contains a marker or
// characters that control a terminal.
func Check(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the text is empty")
	case len(text) > mostText:
		return fmt.Errorf("the text has %d bytes, but at most %d are allowed", len(text), mostText)
	case !utf8.ValidString(text):
		return errors.New("the text is not UTF-8")
	}
	for number, line := range strings.Split(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
			return fmt.Errorf("line %d has the control character %q", number+1, line[i])
		}
		if _, marked := readMark(line); marked {
			return fmt.Errorf("line %d is a mark", number+1)
		}
	}
	return nil
}
