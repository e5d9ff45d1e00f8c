package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// episodeList serves as the list key for the records of an InterCode log, whose episodes
// are not in a list but in an object, by number.
const episodeList = "episodes"

// step is one action of an episode, with the output of the environment.
type step struct {
	action      string
	observation string
	reward      float64
}

// intercode reads an episode of InterCode: a request, actions with observations and
// rewards, and the reward of the whole episode. The action that earned the reward 1 is the
// answer; the actions before it are calls of the environment. The episodes of a task are
// one family.
func (r *reader) intercode(rec record) error {
	steps, err := episodeSteps(rec.fields)
	if err != nil {
		return err
	}
	request := strings.TrimSpace(rec.fields.text("query", "task", "instruction", "question"))
	if request == "" {
		return errors.New("has no query")
	}
	environment := strings.TrimPrefix(rec.fields.text("environment"), "ic_")
	task := rec.fields.text("task_id")
	c := Conversation{
		ID: strings.TrimSpace("task " + task), Messages: []Message{{Role: User, Text: request}},
		Domain: orElse(domainIn(rec.fields), environment),
	}
	if task != "" {
		c.Family = "intercode " + orElse(rec.fields.text("dataset"), r.log.File) + " " + name(task)
	}
	best, earned := earning(steps, rec.fields)
	tool := orElse(name(environment), "environment")
	for _, s := range steps[:best] {
		c.Messages = append(c.Messages, Message{Role: Assistant, Text: s.action, Tools: []string{tool}}, Message{Role: Tool, Text: s.observation})
	}
	answer := Message{Role: Assistant, Text: steps[best].action}
	if gold := strings.TrimSpace(rec.fields.text("gold")); gold != "" {
		answer.Text, c.Verdict = gold, Verdict{Given: true, Approved: true, How: "gold"}
	} else {
		c.Verdict = reward(earned, "")
	}
	c.Messages = append(c.Messages, answer)
	return r.give(rec, c)
}

// earning returns the index of the step that is the answer, and the reward of the
// episode. If no step has the reward 1, the answer is the last step, and the reward is
// taken from the summary. If the step only submits, the answer is the step before it.
func earning(steps []step, episode row) (best int, earned float64) {
	best = slices.IndexFunc(steps, func(s step) bool { return reward(s.reward, "").Approved })
	if best >= 0 {
		earned = 1
	} else {
		best = len(steps) - 1
		raw := episode.inner("summary").first("max_reward")
		if !present(raw) {
			raw = episode.first("reward", "final_reward")
		}
		if json.Unmarshal(raw, &earned) != nil {
			earned = steps[best].reward
		}
	}
	for best > 0 && submission.MatchString(steps[best].action) {
		best--
	}
	steps[best].action = submitted(steps[best].action)
	return best, earned
}

var (
	submission = regexp.MustCompile(`(?i)^submit$`)
	handedIn   = regexp.MustCompile(`(?is)^submit\s+(.+)$`)
	executed   = regexp.MustCompile(`(?s)^execute\[(.*)\]$`)
	fenced     = regexp.MustCompile("(?s)^```[\\w+-]*\\n(.*?)\\n?```$")
)

// submitted returns an action without the wrapping that InterCode's policies put around it:
// execute[…], submit …, or a fenced block.
func submitted(action string) string {
	action = strings.TrimSpace(action)
	for _, form := range []*regexp.Regexp{executed, handedIn, fenced} {
		if m := form.FindStringSubmatch(action); m != nil {
			action = strings.TrimSpace(m[1])
		}
	}
	return action
}

// episodeSteps reads the steps of an episode: lists of actions, observations and rewards
// under turn_history, or a list of objects with action, observation and reward.
func episodeSteps(episode row) ([]step, error) {
	var out []step
	if history := episode.inner("turn_history"); len(history) > 0 {
		actions, seen, rewards := history.list("actions"), history.list("observations"), history.list("rewards")
		for i, raw := range actions {
			s := step{action: scalar(raw)}
			if i < len(seen) {
				s.observation = scalar(seen[i])
			}
			if i < len(rewards) {
				_ = json.Unmarshal(rewards[i], &s.reward) // 0 for another value
			}
			out = append(out, s)
		}
	} else {
		for _, raw := range episode.list("trajectory", "steps") {
			fields, err := object(raw)
			if err != nil {
				return nil, fmt.Errorf("has a step that %w", err)
			}
			s := step{action: fields.text("action"), observation: fields.text("observation")}
			_ = json.Unmarshal(fields.first("reward"), &s.reward) // 0 for another value
			out = append(out, s)
		}
	}
	switch {
	case len(out) == 0:
		return nil, errors.New("has no actions")
	case len(out) > maxMessages/2:
		return nil, fmt.Errorf("has %d actions; the limit is %d", len(out), maxMessages/2)
	case slices.ContainsFunc(out, func(s step) bool { return strings.TrimSpace(s.action) == "" }):
		return nil, errors.New("has an action that is not text")
	}
	return out, nil
}

// isEpisode reports whether a record is an episode.
func isEpisode(r row) bool {
	if r.has("turn_history") {
		return true
	}
	if !r.has("query", "task", "instruction", "question") {
		return false
	}
	steps := r.list("trajectory", "steps")
	if len(steps) == 0 {
		return false
	}
	first, err := object(steps[0])
	return err == nil && first.has("action") && first.has("observation", "reward")
}

// episodes takes the episodes in one value of a log's object. The value is either one
// episode or an object that contains several episodes, keyed by number. It returns the
// number of episodes.
func (r *reader) episodes(rec record, raw json.RawMessage) (count int, err error) {
	if !slices.ContainsFunc([]string{"turn_history", "trajectory", "steps"}, func(key string) bool { return bytes.Contains(raw, []byte(`"`+key+`"`)) }) {
		return 0, nil
	}
	fields := row{"": raw}.inner("") // empty for another value
	if isEpisode(fields) {
		rec.list, rec.fields, rec.size = episodeList, fields, len(raw)
		return 1, r.take(rec)
	}
	if rec.list == episodeList { // nested deeper than in any log
		return 0, nil
	}
	rec.list = episodeList
	for _, key := range byNumber(fields) {
		one, err := r.episodes(rec, fields[key])
		if err != nil {
			return count, err
		}
		count += one
		rec.number += one
	}
	return count, nil
}

// byNumber returns the keys of an object, the shorter ones first, so that numbers are in
// order.
func byNumber(fields row) []string {
	return slices.SortedFunc(maps.Keys(fields), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}
