package problem

// Version changes whenever the same family and seed no longer make the same problem.
const Version = 1

// Family is a kind of problem. Every seed makes another problem of the kind.
type Family struct {
	Name string
	// About says in one line what is hard about it.
	About string
	Make  func(seed int64) *Problem
}

// Families lists all kinds.
func Families() []Family {
	var list []Family
	for _, r := range recipes() {
		list = append(list, Family{Name: r.name, About: r.about, Make: r.make})
	}
	return list
}

// span is a range of whole numbers, both ends included.
type span struct{ lo, hi int }

// stretch is a range of numbers.
type stretch struct{ lo, hi float64 }

// recipe is what is drawn for a problem of a family.
type recipe struct {
	name, about string

	// What there is to set. lines and tools are members of a text and a subset, 0: none.
	choices, switches, numbers span
	tools, lines               span

	// What it does. shape draws the effect of a number; matter is how many single
	// effects count fully, 0 for all, the rest at a fiftieth.
	shape  shapes
	matter int
	// Interactions: how many, and the weight of one beside a single effect's 1.
	pairs, bends, chains, teams, clashes span
	weight                               float64
	// catastrophes are regions of about a fifth of the space under which nearly
	// everything fails.
	catastrophes span

	// The tasks, search and holdout each, and their domains.
	tasks, domains span
	weighted       bool
	// conflict in [0,1] is the share of a skill's weights that is its domain's own.
	conflict float64
	// demands of one task; several must be met together.
	demands span
	// spread is the standard deviation of skill over uniform configs; difficulty that
	// of the tasks' thresholds and level their mean, in multiples of spread.
	spread, difficulty, level stretch
	// quirk is the standard deviation of a task's own likings, as a share of spread.
	quirk float64
	// guess and slip of the tasks.
	guess, slip stretch

	curve   curve
	grading grading
	drifts  bool
}
