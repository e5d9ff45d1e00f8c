package wire

import (
	"fmt"
	"slices"

	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/session"
)

// blackboardFile, below .evolve, holds the entries that agents share between their turns.
const blackboardFile = "blackboard.json"

// maxBlackboard limits the size of the file, in bytes: the board's own limit, plus room for
// the JSON around its content.
const maxBlackboard = 8 * session.MaxBoardBytes

// ReadBlackboard returns the posted entries; it returns none if there is no file.
func ReadBlackboard(root string) ([]session.Posted, error) {
	posted, err := readState[[]session.Posted](root, blackboardFile, maxBlackboard)
	if err != nil {
		return nil, exit.Errorf(exit.Infrastructure, "remove the file: its entries expire within hours anyway", "the blackboard .evolve/%s cannot be read: %w", blackboardFile, err)
	}
	return posted, nil
}

// WriteBlackboard replaces an agent's entries with those that the agent has posted. It
// preserves the entries of other agents, which may have been written meanwhile.
func WriteBlackboard(root, agentID string, board *session.Board) error {
	own := board.Posted()
	isOwn := func(p session.Posted) bool { return p.Owner == agentID }
	if !slices.ContainsFunc(own, isOwn) {
		return nil
	}
	err := changeState(root, blackboardFile, func() ([]session.Posted, error) {
		posted, err := ReadBlackboard(root)
		if err != nil {
			return nil, err
		}
		posted = slices.DeleteFunc(posted, isOwn)
		for _, p := range own {
			if isOwn(p) {
				posted = append(posted, p)
			}
		}
		return posted, nil
	})
	if err != nil {
		return fmt.Errorf("writing the blackboard: %w", err)
	}
	return nil
}
