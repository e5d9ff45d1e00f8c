package archive

import (
	"bytes"
	"context"
	"errors"
	"slices"
)

// maxQuestion limits the length of each text of a stored question, in bytes; longer texts
// are truncated.
const maxQuestion = 4 << 10

// Question is the request of a holdout task and its expected answer, which a person reads
// next to the answers. A SearchView does not contain it, because a search must not see
// holdout tasks.
type Question struct {
	// SuiteHash identifies the suites, as in the plan of a run.
	SuiteHash string `json:"suite_hash"`
	Task      string `json:"task"`
	Goal      string `json:"goal"`
	Expected  string `json:"expected,omitempty"`
}

func questionKey(suiteHash, task string) key {
	return newKey(tableQuestion).text(suiteHash).text(task)
}

// PutQuestions stores the questions of an agent's suites. Those that are stored already
// are not written again.
func (a *Archive) PutQuestions(ctx context.Context, list []Question) error {
	for some := range slices.Chunk(list, 100) {
		err := a.change(ctx, "store the holdout questions", func(b *batch) error {
			for _, q := range some {
				if err := putQuestion(b, q); err != nil {
					return err
				}
			}
			return a.dropStored(ctx, b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropStored removes from a batch the pairs that are already stored with the same value.
func (a *Archive) dropStored(ctx context.Context, b *batch) error {
	keys := make([][]byte, len(b.pairs))
	for i, p := range b.pairs {
		keys[i] = p.key
	}
	had, err := a.store.get(ctx, keys...)
	if err != nil {
		return err
	}
	kept := b.pairs[:0]
	for i, p := range b.pairs {
		if had[i] == nil || !bytes.Equal(had[i], p.value) {
			kept = append(kept, p)
		}
	}
	b.pairs = kept
	return nil
}

func putQuestion(b *batch, q Question) error {
	if q.SuiteHash == "" || q.Task == "" {
		return errors.New("a question needs a task and the hash of its suites")
	}
	q.Goal, q.Expected = truncate(q.Goal, maxQuestion), truncate(q.Expected, maxQuestion)
	return putDocument(b, questionKey(q.SuiteHash, q.Task), q)
}

// Question returns the question of a holdout task, or ErrNotFound if none is stored. Older
// versions of evolve stored none.
func (a *Archive) Question(ctx context.Context, suiteHash, task string) (Question, error) {
	return named[Question](ctx, a, questionKey(suiteHash, task), "question of task %q", task)
}
