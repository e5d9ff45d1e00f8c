package cli

import (
	"cmp"
	"fmt"

	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/runtime/agent"
)

// codeBaseline is the code against which a version was measured, and from which its diff
// starts.
type codeBaseline struct {
	Variant agent.ConfigID `json:"variant"`
	// Commit is the commit that holds that code; it is empty if the night did not record
	// the commit.
	Commit string `json:"commit,omitempty"`
	// Now describes the present code, if it is at a commit other than Commit.
	Now string `json:"now,omitempty"`

	config agent.Config
	// code is the target as of Commit, or the present target if Commit cannot be read.
	code *coding.Prospect
	// night is the date of the latest night on that code; it is empty for the present code.
	night string
}

// baseline returns the code against which nights measured a version on the given state of
// the code. If the state is empty, that is the present code.
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

// movedTo describes how the present code relates to the base of a version.
func (b *codeBook) movedTo(base, version agent.ConfigID) string {
	where := fmt.Sprintf("HEAD is %.12s, ", b.Commit())
	switch b.Current().ID() {
	case version:
		return where + "which contains this version"
	case base:
		return where + "where only code outside the blocks changed"
	}
	return where + "where the blocks differ from the base and from this version"
}

// name returns the commit that holds the code or, if it is not recorded, the night that
// measured the code.
func (l codeBaseline) name() string {
	if l.Commit == "" {
		return "the code measured on the night of " + l.night + ", at a commit that was not recorded"
	}
	return fmt.Sprintf("%.12s", l.Commit)
}

// describe describes the base, and how the present code differs from it.
func (l codeBaseline) describe() string {
	if l.Now == "" {
		return l.name() + ", the code as it is"
	}
	return l.name() + "; " + l.Now
}
