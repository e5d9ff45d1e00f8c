package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestMedoids checks that the medoids of well-separated topics are one task of each topic,
// whatever the order of the tasks.
func TestMedoids(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	topics := likeWords(random, 6, 30, 30)
	var tasks []Task
	for n, words := range topics {
		for i := range 5 + n {
			goal := fmt.Sprintf("topic%d ", n)
			for range 12 {
				goal += words[random.IntN(len(words))] + fmt.Sprint("w", n, " ")
			}
			tasks = append(tasks, Task{ID: fmt.Sprintf("%d-%d", n, i), Goal: goal})
		}
	}
	var first []string
	for round := range 3 {
		got := Medoids(tasks, nil, len(topics))
		var names, seen []string
		for _, i := range got {
			names = append(names, tasks[i].ID)
			topic, _, _ := strings.Cut(tasks[i].ID, "-")
			seen = append(seen, topic)
		}
		slices.Sort(names)
		slices.Sort(seen)
		if want := []string{"0", "1", "2", "3", "4", "5"}; !slices.Equal(seen, want) {
			t.Fatalf("medoids of the topics %v", seen)
		}
		if round == 0 {
			first = names
		} else if !slices.Equal(first, names) {
			t.Errorf("%v in another order, not %v", names, first)
		}
		random.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	}
}

func TestMedoidsOfFew(t *testing.T) {
	tasks := []Task{{Goal: "send ten dollars"}, {Goal: "send ten dollars now"}, {Goal: "..."}}
	for k, want := range [][]int{nil, {0}, {0, 2}, {0, 1, 2}, {0, 1, 2}} {
		if got := Medoids(tasks, nil, k); !slices.Equal(got, want) {
			t.Errorf("%d medoids: %v, not %v", k, got, want)
		}
	}
	if got := Medoids(tasks, []float64{1, 1, 50}, 1); !slices.Equal(got, []int{2}) {
		t.Errorf("the medoid by weight is %v", got)
	}
	if got := Medoids(nil, nil, 3); len(got) != 0 {
		t.Errorf("medoids of nothing: %v", got)
	}
}
