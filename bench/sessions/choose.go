package sessions

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

const (
	// contextWords is the number of words below which a message has a meaning only together
	// with the previous messages.
	contextWords = 8
	// maxCompared limits the number of tasks of a domain among which the representatives
	// are found, because finding them takes quadratic time.
	maxCompared = 2000
)

// Tasks returns the representatives of all candidates, in the order of the conversations,
// with their clusters and splits, and the counts. Of several nearly equal tasks, only one
// remains. Tasks have the same cluster and the same split if they come from one
// conversation or from runs of one problem, or if they have a long passage in common. Tasks
// that equal or resemble tasks of the existing suite get the split of those tasks.
//
// Tasks whose short answers to the same request contradict one another are dropped, because
// the answers are not ground truth. So are tasks with an answer that one user approved and
// another did not.
func (b *Builder) Tasks() ([]bench.Task, Summary) {
	b.settle()
	sure, torn, disputed := b.consistent()
	left, crossing := b.o.Existing.sides(distinct(sure))
	clusters := cluster(left)
	domains := map[string]*DomainSummary{}
	var chosen []candidate
	for _, domain := range domainsOf(left) {
		d := &DomainSummary{Domain: domain}
		domains[domain] = d
		var of []candidate
		units := map[string]bool{}
		for _, c := range left {
			if c.task.Domain == domain {
				of = append(of, c)
				units[c.cluster] = true
			}
		}
		d.Tasks, d.Clusters = len(of), len(units)
		of = representatives(of, b.o.PerDomain)
		d.Kept = len(of)
		chosen = append(chosen, of...)
	}
	slices.SortStableFunc(chosen, func(a, b candidate) int { return cmp.Compare(a.conversation, b.conversation) })
	cluster(chosen) // again: a passage that many share may be shared by few of the remaining tasks
	part(chosen)
	tasks := split(chosen)
	s := b.summary
	s.Duplicates += len(sure) - len(left)
	s.LeftOut = maps.Clone(s.LeftOut)
	if torn > 0 {
		s.LeftOut["answers to the same request contradict one another"] = torn
	}
	if disputed > 0 {
		s.LeftOut["one user approved an answer that another user corrected"] = disputed
	}
	if crossing > 0 {
		s.LeftOut["they resemble tasks in both splits of the existing suite"] = crossing
	}
	s.Clusters, s.Kept = clusters, len(tasks)
	if len(b.o.Existing) > 0 {
		stay := b.o.Existing.known(tasks)
		s.Existing = &ExistingSummary{Stay: stay, New: len(tasks) - stay, Gone: len(b.o.Existing) - stay}
	}
	for i := range tasks {
		d := domains[tasks[i].Domain]
		if tasks[i].Split == bench.Holdout {
			d.Holdout++
			s.Holdout++
		} else {
			d.Search++
			s.Search++
		}
	}
	s.Domains = []DomainSummary{}
	for _, name := range slices.Sorted(maps.Keys(domains)) {
		s.Domains = append(s.Domains, *domains[name])
	}
	return tasks, s
}

func domainsOf(list []candidate) []string {
	set := map[string]bool{}
	for _, c := range list {
		set[c.task.Domain] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// consistent returns the candidates except for two kinds, which it only counts: torn is
// the number of candidates whose short answers to the same request contradict one
// another, and disputed is the number of candidates with a request for which one user
// approved an answer that another user corrected.
func (b *Builder) consistent() (list []candidate, torn, disputed int) {
	first, differ, disagree := map[string]string{}, map[string]bool{}, map[string]bool{} // by request
	for said, asked := range b.approved {
		if b.corrected[said] {
			disagree[asked] = true
		}
	}
	for _, c := range b.candidates {
		request, answer := c.request(), plain(*c.task.Answer)
		if len(strings.Fields(answer)) > shortAnswer {
			continue
		}
		if one, ok := first[request]; !ok {
			first[request] = answer
		} else if !strings.Contains(one, answer) && !strings.Contains(answer, one) {
			differ[request] = true
		}
	}
	for _, c := range b.candidates {
		switch {
		case disagree[c.asked] && !c.given:
			disputed++
		case differ[c.request()]:
			torn++
		default:
			list = append(list, c)
		}
	}
	return list, torn, disputed
}

// request returns a candidate's request with the messages before it, normalized.
func (c candidate) request() string {
	var words strings.Builder
	for _, m := range c.task.Fixtures.Turns {
		words.WriteString(m.Role + " " + plain(m.Content) + "\n")
	}
	return words.String() + plain(c.task.Request())
}

// exchanged returns digests of a request, and of the request with its answer. A short
// request has a meaning only together with the messages before it.
func exchanged(before []agent.Message, goal, answer string) (asked, said string) {
	list := []Message{{Text: plain(goal)}}
	if len(strings.Fields(goal)) < contextWords {
		for _, m := range before {
			list = append(list, Message{Role: Role(m.Role), Text: plain(m.Content)})
		}
	}
	return digest(list), digest(append(list, Message{Role: Assistant, Text: plain(answer)}))
}

// plain returns a text in lower case, without outer punctuation and with single spaces.
func plain(s string) string {
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(s), " ")), " .!?,;:")
}

// distinct returns the candidates without near-duplicates: the medoid of each group, with
// the weight of the whole group. A long message is compared by itself, because exchanges
// of one conversation share all earlier messages; a short message is compared together
// with the earlier messages.
func distinct(candidates []candidate) []candidate {
	tasks := make([]bench.Task, len(candidates))
	for i, c := range candidates {
		tasks[i] = bench.Task{ID: c.task.ID, Goal: c.task.Goal, Turns: c.task.Turns}
		if len(strings.Fields(c.task.Request())) < contextWords {
			tasks[i].Fixtures.Turns = c.task.Fixtures.Turns
		}
	}
	u := newUnion(len(tasks))
	for _, g := range bench.FindDuplicates(tasks) {
		for _, i := range g.Tasks[1:] {
			u.join(g.Tasks[0], i)
		}
	}
	first := map[string]int{}
	for i, c := range candidates {
		if c.family == "" {
			continue
		}
		if j, ok := first[c.family]; ok {
			u.join(j, i)
		} else {
			first[c.family] = i
		}
	}
	var out []candidate
	for _, group := range u.groups() {
		best := group[0]
		if len(group) > 2 {
			members := make([]bench.Task, 0, len(group))
			for _, i := range group[:min(len(group), maxCompared)] {
				members = append(members, tasks[i])
			}
			best = group[bench.Medoids(members, nil, 1)[0]]
		}
		c := candidates[best]
		c.weight = float64(len(group))
		out = append(out, c)
	}
	return out
}

// cluster sets the clusters, in place, and returns their number. The name of each cluster
// is the smallest id of its tasks.
func cluster(list []candidate) int {
	tasks := make([]bench.Task, len(list))
	u := newUnion(len(list))
	first := map[string]int{}
	for i, c := range list {
		tasks[i] = c.task
		tasks[i].Cluster = ""
		keys := []string{"conversation " + strconv.Itoa(c.conversation)}
		if c.cluster != "" {
			keys = append(keys, "cluster "+c.cluster)
		}
		for _, key := range keys {
			if j, ok := first[key]; ok {
				u.join(j, i)
			} else {
				first[key] = i
			}
		}
	}
	for _, g := range bench.FindDuplicates(tasks) {
		for _, i := range g.Tasks[1:] {
			u.join(g.Tasks[0], i)
		}
	}
	groups := u.groups()
	for _, group := range groups {
		name := list[group[0]].task.ID
		for _, i := range group {
			name = min(name, list[i].task.ID)
		}
		for _, i := range group {
			list[i].cluster = name
		}
	}
	return len(groups)
}

// representatives returns k candidates of one domain: the medoids of clusters whose tasks
// have similar words.
func representatives(list []candidate, k int) []candidate {
	if k <= 0 || len(list) <= k {
		return list
	}
	if len(list) > maxCompared { // ids are hashes, so the first ones are a sample
		list = slices.SortedFunc(slices.Values(list), func(a, b candidate) int { return strings.Compare(a.task.ID, b.task.ID) })[:maxCompared]
	}
	tasks, weights := make([]bench.Task, len(list)), make([]float64, len(list))
	for i, c := range list {
		tasks[i], weights[i] = c.task, c.weight
	}
	var out []candidate
	for _, i := range bench.Medoids(tasks, weights, k) {
		out = append(out, list[i])
	}
	return out
}

// split returns the tasks with their clusters and declared splits.
func split(list []candidate) []bench.Task {
	size := map[string]int{}
	for _, c := range list {
		size[c.cluster]++
	}
	tasks := make([]bench.Task, len(list))
	for i, c := range list {
		tasks[i] = c.task
		if size[c.cluster] > 1 {
			tasks[i].Cluster = c.cluster
		}
	}
	bench.AssignSplits(tasks) // without declared splits there are no conflicts
	return tasks
}

// union joins indexes into groups.
type union struct{ up []int }

func newUnion(n int) *union {
	u := &union{make([]int, n)}
	for i := range u.up {
		u.up[i] = i
	}
	return u
}

func (u *union) root(i int) int {
	for u.up[i] != i {
		u.up[i] = u.up[u.up[i]]
		i = u.up[i]
	}
	return i
}

func (u *union) join(i, j int) {
	a, b := u.root(i), u.root(j)
	u.up[max(a, b)] = min(a, b)
}

// groups returns all groups, including those with one member, in the order of their first
// members.
func (u *union) groups() [][]int {
	at := map[int]int{}
	var out [][]int
	for i := range u.up {
		r := u.root(i)
		n, ok := at[r]
		if !ok {
			n = len(out)
			at[r], out = n, append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out
}
