// Package mutate owns the search: operators that change configs, selectors of
// parents, and searchers that are asked for the next trial and told its result.
// It sees the archive only through archive.SearchView, which cannot name a
// holdout task, and never knows how a task is run.
package mutate
