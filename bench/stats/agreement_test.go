package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The grades that two raters gave to 40 answers on a scale of 1 to 5, with the lengths of
// the answers, and to 30 answers as pass or fail.
var (
	people  = []int{3, 2, 4, 1, 1, 5, 1, 3, 5, 1, 5, 2, 1, 1, 4, 4, 1, 2, 1, 5, 4, 1, 5, 1, 2, 5, 1, 5, 5, 4, 1, 2, 1, 5, 2, 3, 4, 2, 5, 1}
	judges  = []int{4, 2, 5, 3, 1, 4, 2, 4, 5, 1, 5, 1, 2, 3, 3, 5, 1, 3, 1, 5, 5, 2, 5, 1, 2, 5, 1, 5, 5, 4, 1, 4, 1, 4, 3, 3, 5, 2, 5, 3}
	lengths = []int{
		479, 314, 643, 94, 140, 544, 448, 188, 795, 370, 175, 520, 451, 60, 704, 99, 802, 591, 606, 828,
		857, 341, 368, 731, 378, 628, 528, 613, 836, 487, 90, 880, 115, 296, 505, 733, 700, 86, 82, 768,
	}
	peoplePass = []int{1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1}
	judgesPass = []int{0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}
)

func labels(human, judge, length []int, lo, hi float64) []Label {
	list := make([]Label, len(human))
	for i := range list {
		list[i] = Label{Human: (float64(human[i]) - lo) / (hi - lo), Judge: (float64(judge[i]) - lo) / (hi - lo)}
		if length != nil {
			list[i].Length = length[i]
		}
	}
	return list
}

// TestAgreementOracle compares with scikit-learn 1.9.1 (cohen_kappa_score, with quadratic
// weights for the scale) and SciPy 1.17.1 (spearmanr).
func TestAgreementOracle(t *testing.T) {
	const tolerance = 1e-12
	scale := Agree(labels(people, judges, lengths, 1, 5), 5, 0, 0)
	if math.Abs(scale.Kappa.Value-0.8507462686567164) > tolerance || math.Abs(scale.Length.Value+0.02014517229520702) > tolerance {
		t.Errorf("kappa %v, length %v", scale.Kappa, scale.Length)
	}
	pass := Agree(labels(peoplePass, judgesPass, nil, 0, 1), 2, 0, 0)
	if math.Abs(pass.Kappa.Value-.7) > tolerance || pass.Length != nil || pass.First != nil {
		t.Errorf("kappa %v, length %v, first %v", pass.Kappa, pass.Length, pass.First)
	}
	if d := cmp.Diff([][]int{{8, 2}, {2, 18}}, pass.Table); d != "" {
		t.Error(d)
	}
	if math.Abs(pass.Same.Value-26./30) > tolerance || pass.Same.Lo > .75 || pass.Same.Hi < .9 {
		t.Errorf("same %v", pass.Same)
	}
}

// TestAgreementBias checks that a judge's bias towards long answers, or towards the first
// position, is detected.
func TestAgreementBias(t *testing.T) {
	var list []Label
	for i := range 60 {
		list = append(list, Label{Human: .5, Judge: .4 + .004*float64(i), Length: 10 + 7*i})
	}
	a := Agree(list, 5, 36, 12)
	if a.Length == nil || a.Length.Lo < .9 || a.First == nil || a.First.Value != .75 || a.First.Lo < .5 {
		t.Errorf("length %v, first %v", a.Length, a.First)
	}
	if a.Bias.Lo > .018 || a.Bias.Hi < .018 {
		t.Errorf("bias %v", a.Bias)
	}
}

// TestAgreementCertainty checks that no interval has zero width, even if all grades agree
// or a judge always gives the same grade.
func TestAgreementCertainty(t *testing.T) {
	var agree, constant []Label
	for i := range 40 {
		h := float64(i % 2)
		agree, constant = append(agree, Label{Human: h, Judge: h}), append(constant, Label{Human: h, Judge: 1})
	}
	a := Agree(agree, 2, 0, 0)
	if k := a.Kappa; k == nil || k.Value != 1 || !(k.Lo > .7 && k.Lo < .9) || k.Hi != 1 {
		t.Errorf("kappa of 40 that agree: %v", k)
	}
	if b := a.Bias; b.Value != 0 || !(b.Lo < -.05 && b.Lo > -.15) || b.Hi != -b.Lo {
		t.Errorf("bias of 40 that agree: %v", b)
	}
	if k := Agree(constant, 2, 0, 0).Kappa; k == nil || k.Value != 0 || !(k.Lo < -.1 && k.Hi > .1) {
		t.Errorf("kappa of a judge with one grade: %v", k)
	}
}

// TestAgreementUndefined checks that without variation there is neither a kappa nor a
// correlation.
func TestAgreementUndefined(t *testing.T) {
	same := make([]Label, 25)
	if a := Agree(same, 2, 0, 0); a.Kappa != nil || a.Length != nil || a.Same.Value != 1 {
		t.Errorf("%+v", a)
	}
	one := []Label{}
	for i := range 40 {
		one = append(one, Label{Human: 1, Judge: float64(i % 2)})
	}
	if a := Agree(one, 2, 0, 0); a.Kappa != nil {
		t.Errorf("people who all give one grade: kappa %v", a.Kappa)
	}
	if a := Agree(nil, 2, 0, 0); a.Labels != 0 || a.Kappa != nil {
		t.Errorf("%+v", a)
	}
}

// TestJudgeNoise checks that the noise of a score is the noise of the mean of the draws,
// weighted by the weights of the graders.
func TestJudgeNoise(t *testing.T) {
	var n JudgeNoise
	n.Add([]Draws{{Weight: 1, SD: .2, Samples: 4}, {Weight: 1}})
	n.Add([]Draws{{Weight: 2, SD: 0, Samples: 4}})
	n.Add([]Draws{{Weight: 1}})
	if n.Answers != 2 || math.Abs(n.Variance-(.1*.1/4)/2) > 1e-12 {
		t.Errorf("%+v", n)
	}
	if got, want := n.Statement(), "the noise of the judges is 3.5 points (standard deviation) per score and 5.0 per pair, measured over 2 answers"; got != want {
		t.Errorf("%q", got)
	}
	n = JudgeNoise{}
	n.Add([]Draws{{Weight: 1, Samples: 1}})
	if !n.Any() || n.Answers != 0 {
		t.Errorf("%+v", n)
	}
}
