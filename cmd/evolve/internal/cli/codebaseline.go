package cli

import (
	"cmp"
	"fmt"

	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/runtime/agent"
)

// codeBaseline is the code that a version was measured against, and that its diff is against.
type codeBaseline struct {
	Variant agent.ConfigID `json:"variant"`
	// Commit holds that code; empty if its night did not record it.
	Commit string `json:"commit,omitempty"`
	// Now describes the code as it is, if that is of another commit.
	Now string `json:"now,omitempty"`

	config agent.Config
	// code is the target at Commit; where that cannot be read, it is the target as it is.
	code *coding.Prospect
	// night is the date of the latest night on that code; empty for the code as it is.
	night string
}

// baseline returns the base of a version that nights on a state of the code measured; without a
// state it is the code as it is.
func (b *codeBook) baseline(s codeState, version agent.ConfigID) (codeBaseline, error) {
	now := b.Current()
	if s.hash == "" || s.hash == b.ID() {
		out := codeBaseline{Variant: now.ID(), Commit: cmp.Or(s.commit, b.Commit()), config: now, code: b.Prospect}
		if out.Commit != b.Commit() {
			out.Now = fmt.Sprintf("HEAD is %.12s, which has the same files", b.Commit())
		}
		return out, nil
	}
	v, err := b.archive.Variant(b.ctx, b.Target.Name, s.champion)
	if err != nil {
		return codeBaseline{}, fmt.Errorf("reading the code that a version was measured against: %w", err)
	}
	out := codeBaseline{Variant: v.ID, Commit: s.commit, Now: b.movedTo(v.ID, version), config: v.Config, code: b.Prospect, night: s.started.Local().Format("2006-01-02")}
	if s.commit != "" {
		if at, err := b.At(s.commit, v.Config); err == nil {
			out.code = at
		}
	}
	return out, nil
}

// movedTo describes the code as it is beside the base of a version.
func (b *codeBook) movedTo(base, version agent.ConfigID) string {
	where := fmt.Sprintf("HEAD is %.12s, ", b.Commit())
	switch b.Current().ID() {
	case version:
		return where + "which has this version"
	case base:
		return where + "where code outside the blocks changed"
	}
	return where + "where the blocks differ"
}

// name returns the commit, or which night it is of.
func (l codeBaseline) name() string {
	if l.Commit == "" {
		return "the code of the night of " + l.night + ", whose commit is not recorded"
	}
	return fmt.Sprintf("%.12s", l.Commit)
}

// describe returns the base in words, and how the code as it is differs from it.
func (l codeBaseline) describe() string {
	if l.Now == "" {
		return l.name() + ", the code as it is"
	}
	return l.name() + "; " + l.Now
}
