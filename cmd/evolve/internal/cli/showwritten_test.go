package cli

import (
	"bytes"
	"strings"
	"testing"

	"evolve/archive"
)

// TestWrittenIsShownEscaped checks that text from the archive is shown escaped, because an
// archive that came from elsewhere may contain anything.
func TestWrittenIsShownEscaped(t *testing.T) {
	const evil = "\x1b[2J\u202e\r"
	for _, path := range []string{"agents/clerk/tools/" + evil + ".star", "agents/clerk/skills/" + evil + ".md"} {
		skill := "---\nname: look\ndomain: research\nshape: grep(path)\nevidence: t1\n---\nLook" + evil + " first.\n"
		p := archive.ProposalRecord{
			ID: "P1", Kind: archive.KindTool, State: archive.Awaiting, Agent: "clerk", Title: "tool " + evil, Rationale: evil,
			Files: []archive.FileChange{{Path: path, New: []byte(skill)}},
		}
		var out bytes.Buffer
		sh := &shell{console: &console{stdout: &out}}
		printProposal(sh.console, claimed{ProposalRecord: p}, false)
		printDiff(sh.console, p)
		if strings.ContainsAny(out.String(), "\x1b\u202e\r") || !strings.Contains(out.String(), `\x1b`) {
			t.Errorf("%q", out.String())
		}
	}
}
