package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

// TestGSM8K imports a real set of questions and grades the recorded answers of four models.
// The file also has grades for them by its authors.
func TestGSM8K(t *testing.T) {
	dir := sharedData()
	if dir == "" {
		t.Skip("gsm8k-model-solutions.jsonl is not on this machine: set EVOLVE_SHARED_DATA to the folder that has it")
	}
	data, err := os.ReadFile(filepath.Join(dir, "gsm8k-model-solutions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tasks, notes, err := Read(bytes.NewReader(data), Options{Columns: Columns{Answer: "ground_truth"}, Grader: "numeric", Prefix: "gsm"})
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0].Text, "not read") || len(tasks) != 1319 {
		t.Fatalf("%d tasks, notes %v, error %v", len(tasks), notes, err)
	}
	graders := grade.New(nil, nil)
	published := map[string]float64{"6b_finetuning": .2168, "6b_verification": .3904, "175b_finetuning": .3472, "175b_verification": .5625}
	solved := map[string]int{}
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, 1<<20)
	for i := 0; scan.Scan(); i++ {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(scan.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		for model := range published {
			var said struct {
				Correct  bool   `json:"is_correct"`
				Solution string `json:"solution"`
			}
			if err := json.Unmarshal(line[model], &said); err != nil {
				t.Fatal(err)
			}
			got, err := graders.Grade(context.Background(), bench.GradeInput{
				Task: &tasks[i], Result: agent.Result{Answer: &said.Solution, Outcome: agent.OK},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.Pass {
				solved[model]++
			}
			if got.Pass != said.Correct {
				t.Errorf("%s on %s: %s; the authors say %v: %q", model, tasks[i].ID, got.Grades[0].Reason, said.Correct, said.Solution[max(0, len(said.Solution)-60):])
			}
		}
	}
	for model, want := range published {
		share := float64(solved[model]) / float64(len(tasks))
		if math.Abs(share-want) > .00005 {
			t.Errorf("%s solved %.4f of the tasks, published are %.4f", model, share, want)
		}
	}
}
