package batch

import "fmt"

// NoSearchTasksError names an agent whose suites have no search tasks.
type NoSearchTasksError struct{ Agent string }

func (e *NoSearchTasksError) Error() string {
	return fmt.Sprintf("the suites of agent %s have no search tasks", e.Agent)
}

// requireSearchTasks returns an error if the suites of an agent have no search tasks,
// because a run could only fail.
func (r *runner) requireSearchTasks() error {
	for _, p := range r.plans {
		if p.SearchTasks == 0 {
			return &NoSearchTasksError{Agent: p.Agent}
		}
	}
	return nil
}
