package cli

import (
	"context"

	"evolve/archive"
	"evolve/cmd/evolve/internal/view"
)

// decisionsOf returns all decisions on a proposal in the order in which they were made,
// such as its approval and its rollback.
func decisionsOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]archive.DecisionRecord, error) {
	if p.Decision == nil {
		return nil, nil
	}
	var list []archive.DecisionRecord
	for d, err := range a.Decisions(ctx) {
		if err != nil {
			return nil, err
		}
		if d.Proposal == p.ID {
			list = append(list, d)
		}
	}
	list = orLatest(list, p.ID, p.Decision)
	for i := len(list) - 1; i >= 0; i-- { // an approval is recorded before its commit is made
		if list[i].Action == "approve" {
			if list[i].Commit == "" {
				list[i].Commit = p.AdoptedCommit
			}
			break
		}
	}
	return list, nil
}

// orLatest returns the decisions in the list or, if the list is empty, the latest decision
// in the record of a proposal.
func orLatest(list []archive.DecisionRecord, id string, d *archive.DecisionBrief) []archive.DecisionRecord {
	if len(list) > 0 || d == nil {
		return list
	}
	return []archive.DecisionRecord{{Proposal: id, Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time, Commit: d.Commit, Merge: d.Merge}}
}

// historyLines describes the decisions on a proposal, one per line. If there are several
// decisions, each line names the decision's commit; if there is only one, its commit is
// among the facts of the proposal.
func historyLines(list []archive.DecisionRecord) []string {
	var lines []string
	for _, d := range list {
		commit := ""
		if len(list) > 1 {
			commit = d.Commit
		}
		lines = append(lines, decidedWords(d.Action, d.By, d.Time, commit, d.Reason))
	}
	return lines
}

// printDecisions prints the decisions on a proposal.
func printDecisions(con *console, list []archive.DecisionRecord) {
	for _, line := range historyLines(list) {
		con.printf("  %-10s %s\n", "decision", line)
	}
}

// decisionFacts returns the decisions on a proposal for the pages.
func decisionFacts(list []archive.DecisionRecord) []view.Fact {
	if len(list) == 0 {
		return nil
	}
	return []view.Fact{fact("decision", historyLines(list)...)}
}
