package experience

import (
	"fmt"
	"math"
	"strings"

	"evolve/runtime/text"
)

// Stated is the confidence that a turn stated, together with its success.
type Stated struct {
	Turn       string  `json:"turn,omitempty"`
	Domain     string  `json:"domain"`
	Confidence float64 `json:"confidence"` // in (0,1]
	// Success reports whether the outcome was ok and no correction followed.
	Success bool `json:"success"`
}

// calibrationBins is the number of bins in a calibration curve.
const calibrationBins = 10

// Calibration compares the stated confidence of turns with their success. All its numbers
// except counts are in [0,1]; if there are no turns, they are 0.
type Calibration struct {
	// Turns is the number of turns that stated a confidence.
	Turns int `json:"turns"`
	// Confidence is the mean of the stated confidences, and Success is the share of turns
	// that succeeded.
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
	// Brier is the mean of (confidence − success)², where success is 1 or 0: 0 is perfect,
	// and .25 is the value of a constant confidence of .5. It is half of the sum over both
	// classes in Brier, Verification of forecasts expressed in terms of probability,
	// Monthly Weather Review 78 (1950) 1–3.
	Brier float64 `json:"brier"`
	// ECE is the expected calibration error Σ n/N·|success − confidence| over the bins,
	// with the means of each bin: Naeini, Cooper and Hauskrecht, Obtaining well calibrated
	// probabilities using Bayesian binning, AAAI 2015. The ten bins (0, .1], (.1, .2], …
	// are those of Guo, Pleiss, Sun and Weinberger, On calibration of modern neural
	// networks, ICML 2017, equation 3. ECE is 0 for perfect calibration. With few turns per
	// bin it is above 0 even for a perfectly calibrated agent.
	ECE float64 `json:"ece"`
	// Curve holds the bins that have turns, ordered by confidence.
	Curve []CalibrationBin `json:"curve,omitempty"`
}

// CalibrationBin covers the turns of a calibration whose confidence is in (Over, To].
type CalibrationBin struct {
	Over       float64 `json:"over"`
	To         float64 `json:"to"`
	Turns      int     `json:"turns"`
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
}

// CalibrationIn returns the calibration of a domain. It considers the last 1,000 turns
// with a stated confidence and covers those that belong to the domain, or all of them if
// the domain is [Global] or empty.
func (e *Experience) CalibrationIn(domain string) Calibration {
	return calibrate(among(e.Stated, domainName(domain), func(s Stated) string { return s.Domain }))
}

func calibrate(list []Stated) Calibration {
	out := Calibration{Turns: len(list)}
	if out.Turns == 0 {
		return out
	}
	var bins [calibrationBins]CalibrationBin // with sums instead of means
	for _, s := range list {
		success := 0.
		if s.Success {
			success = 1
		}
		out.Confidence += s.Confidence
		out.Success += success
		out.Brier += (s.Confidence - success) * (s.Confidence - success)
		b := &bins[binOf(s.Confidence)]
		b.Turns++
		b.Confidence += s.Confidence
		b.Success += success
	}
	all := float64(out.Turns)
	out.Confidence, out.Success, out.Brier = out.Confidence/all, out.Success/all, out.Brier/all
	for i, b := range bins {
		if b.Turns == 0 {
			continue
		}
		n := float64(b.Turns)
		b.Over, b.To = float64(i)/calibrationBins, float64(i+1)/calibrationBins
		b.Confidence, b.Success = b.Confidence/n, b.Success/n
		out.ECE += n / all * math.Abs(b.Success-b.Confidence)
		out.Curve = append(out.Curve, b)
	}
	return out
}

// binOf returns the index of the bin for a confidence. It compares with i/10 itself, so no
// rounding error moves .3, the end of a bin, into the next bin.
func binOf(confidence float64) int {
	for i := range calibrationBins - 1 {
		if confidence <= float64(i+1)/calibrationBins {
			return i
		}
	}
	return calibrationBins - 1
}

// CalibrationText describes the calibration in a domain and, for comparison, over all
// domains, in at most 4,000 bytes. It returns false if no turn stated a confidence.
func (e *Experience) CalibrationText(domain string) (string, bool) {
	all := e.CalibrationIn("")
	if all.Turns == 0 {
		return "", false
	}
	var b strings.Builder
	if !everywhere(domain) {
		if c := e.CalibrationIn(domain); c.Turns > 0 {
			fmt.Fprintf(&b, "In %s: %s", name(domain), c.text())
		} else {
			fmt.Fprintf(&b, "In %s no turn stated a confidence.\n", name(domain))
		}
	}
	fmt.Fprintf(&b, "Over all domains: %s", all.text())
	return text.Clip(b.String(), maxText, text.Ellipsis), true
}

// text describes a calibration on one line, and each bin of its curve on a further line.
func (c Calibration) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the last %s with a stated confidence had a mean confidence of %.2f and a success rate of %.2f (%d succeeded)",
		text.Count(c.Turns, "turn"), c.Confidence, c.Success, int(math.Round(c.Success*float64(c.Turns))))
	switch gap := c.Confidence - c.Success; {
	case gap >= .005:
		fmt.Fprintf(&b, ", so the confidence was too high by %.2f", gap)
	case gap <= -.005:
		fmt.Fprintf(&b, ", so the confidence was too low by %.2f", -gap)
	}
	fmt.Fprintf(&b, ". Brier score %.3f (0 is perfect; a constant confidence of .5 scores .25), expected calibration error %.3f in ten bins.\n", c.Brier, c.ECE)
	for _, bin := range c.Curve {
		fmt.Fprintf(&b, "  confidence above %.1f, up to %.1f: %s, mean confidence %.2f, success rate %.2f\n",
			bin.Over, bin.To, text.Count(bin.Turns, "turn"), bin.Confidence, bin.Success)
	}
	return b.String()
}

// CalibrationOf returns the calibration of the turns that stated a confidence and for
// which the function counts returns true.
func (e *Experience) CalibrationOf(counts func(turn string) bool) Calibration {
	var list []Stated
	for _, s := range e.Stated {
		if counts(s.Turn) {
			list = append(list, s)
		}
	}
	return calibrate(list)
}
