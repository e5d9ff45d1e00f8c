package cli

import (
	"fmt"
	"strings"
	"time"

	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// barState is the information that a bar shows about a stage under way.
type barState struct {
	now night.Progress
	// best describes the best config so far; it is empty while no config is known.
	best string
	// began is when the stage was first shown, and already is the number of evaluations
	// that were done by then.
	began   time.Time
	already int
}

// widestBar and narrowestBar are the maximum and the minimum width of a bar, in cells,
// including its brackets.
const widestBar, narrowestBar = 32, 12

// line returns the bar with its labels, in a line of no more than the given width in cells.
// If there is not enough room, it leaves out first the bar, then the best config, the
// money, and finally the remaining time.
func (b *barState) line(width int, at time.Time) string {
	now := b.now
	labels := []string{now.Agent + " " + model.StageName(now.Stage), fmt.Sprintf("%s of %s", text.Whole(now.Done), count(now.Planned, "evaluation"))}
	if text.Width(strings.Join(labels, "  ")) > width {
		labels[1] = fmt.Sprintf("%d of %d", now.Done, now.Planned)
	}
	further := []string{b.left(at)}
	if now.SpentUSD > 0 {
		further = append(further, number.Dollars(now.SpentUSD)+" spent")
	}
	for _, label := range append(further, b.best) {
		if label != "" && text.Width(strings.Join(append(labels, label), "  ")) <= width {
			labels = append(labels, label)
		}
	}
	line := strings.Join(labels, "  ")
	if room := min(widestBar, width-text.Width(line)-2); room >= narrowestBar && now.Planned > 0 {
		filled := (room - 2) * min(now.Done, now.Planned) / now.Planned
		bar := "[" + strings.Repeat("=", filled) + strings.Repeat("-", room-2-filled) + "]"
		line = strings.Join(append([]string{labels[0], bar}, labels[1:]...), "  ")
	}
	return line[:text.FirstCells(line, width)]
}

// left estimates how long the stage will still take, at its speed so far. It returns ""
// before the first evaluation and after the last one.
func (b *barState) left(at time.Time) string {
	done, took := b.now.Done-b.already, at.Sub(b.began).Seconds()
	if done <= 0 || b.now.Done >= b.now.Planned || took < 1 {
		return ""
	}
	return number.Duration(max(1, took/float64(done)*float64(b.now.Planned-b.now.Done))) + " left"
}
