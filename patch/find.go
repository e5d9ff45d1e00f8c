package patch

import "errors"

// maxWalked is the maximum number of commits that Find examines.
const maxWalked = 10_000

// Find returns the latest commit in the history of the commit tip for which the given
// function (is) returns true, or "" if there is none. It stops at the commit base, which it
// does not examine; if base is empty, it does not stop early. The function is called with a
// commit's name and message. The history of a shallow clone ends at the earliest commit
// that the clone has.
func (r *Repository) Find(tip, base string, is func(commit, message string) (bool, error)) (found string, err error) {
	err = r.with(func(s *store) error {
		next, seen := []string{tip}, map[string]bool{base: true}
		for walked := 0; len(next) > 0 && walked < maxWalked; walked++ {
			at := next[0]
			next = next[1:]
			if seen[at] {
				continue
			}
			seen[at] = true
			c, err := s.commit(at)
			var missing *MissingError
			if errors.As(err, &missing) {
				continue
			}
			if err != nil {
				return err
			}
			ok, err := is(at, c.Message)
			if err != nil || ok {
				found = at
				return err
			}
			for _, p := range c.ParentHashes {
				next = append(next, p.String())
			}
		}
		return nil
	})
	return found, err
}
