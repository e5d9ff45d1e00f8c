package sessions

import (
	"encoding/json"
	"strings"
)

// tauEnd ends the last message of a simulated user.
const tauEnd = "###STOP###"

// tau reads a simulation of tau-bench, with its trajectory and reward. The trials of a
// task are one family.
func (r *reader) tau(rec record) error {
	messages, err := chatMessages(rec.fields.list("traj", "messages"))
	if err != nil {
		return err
	}
	for i := range messages {
		if m := &messages[i]; m.Role == User {
			m.Text = strings.TrimSpace(strings.ReplaceAll(m.Text, tauEnd, ""))
		}
	}
	task, trial := rec.fields.text("task_id"), rec.fields.text("trial")
	c := Conversation{ID: strings.TrimSpace("task " + task + " trial " + trial), Messages: messages, Domain: domainIn(rec.fields)}
	if task != "" {
		c.Family = r.log.File + " " + name(task)
	}
	var share float64
	raw := rec.fields.first("reward")
	if !present(raw) {
		raw = rec.fields.inner("reward_info").first("reward")
	}
	if json.Unmarshal(raw, &share) == nil {
		c.Verdict = reward(share, "")
	}
	return r.give(rec, c)
}
