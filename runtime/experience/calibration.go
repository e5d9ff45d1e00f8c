package experience

import (
	"fmt"
	"math"
	"strings"

	"evolve/runtime/text"
)

// Stated is a turn's stated confidence beside its success.
type Stated struct {
	Turn       string  `json:"turn,omitempty"`
	Domain     string  `json:"domain"`
	Confidence float64 `json:"confidence"` // in (0,1]
	// Success reports whether the outcome was ok and that no correction followed.
	Success bool `json:"success"`
}

// calibrationBins is the number of bins of a calibration's curve.
const calibrationBins = 10

// Calibration compares the stated confidence of turns with their success. All its numbers
// but counts are in [0,1]; without turns they are 0.
type Calibration struct {
	// Turns is the number of turns that stated a confidence.
	Turns int `json:"turns"`
	// Confidence is the mean of what was stated, and Success the share that succeeded.
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
	// Brier is the mean of (confidence − success)² with success 1 or 0: 0 is perfect, and
	// .25 is the value of a constant confidence of .5. It is half of the sum over both
	// classes in Brier, Verification of forecasts expressed in terms of probability,
	// Monthly Weather Review 78 (1950) 1–3.
	Brier float64 `json:"brier"`
	// ECE is the expected calibration error Σ n/N·|success − confidence| over the bins,
	// with the means of each bin: Naeini, Cooper and Hauskrecht, Obtaining well calibrated
	// probabilities using Bayesian binning, AAAI 2015, with the ten bins (0, .1], (.1, .2],
	// … of Guo, Pleiss, Sun and Weinberger, On calibration of modern neural networks, ICML
	// 2017, equation 3. It is 0 for perfect calibration. With few turns a bin it is above
	// that even for a perfectly calibrated agent.
	ECE float64 `json:"ece"`
	// Curve holds the bins that have turns, in the order of their confidence.
	Curve []CalibrationBin `json:"curve,omitempty"`
}

// CalibrationBin is the part of a calibration whose confidence is in (Over, To].
type CalibrationBin struct {
	Over       float64 `json:"over"`
	To         float64 `json:"to"`
	Turns      int     `json:"turns"`
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
}

// CalibrationIn returns the calibration of the last 1,000 turns that stated a confidence, as
// far as they are of a domain; of all of them for [Global] and an empty domain.
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

// binOf returns the bin of a confidence. It compares with i/10 itself, so that .3 is the
// end of a bin and not the start of the next by an error of rounding.
func binOf(confidence float64) int {
	for i := range calibrationBins - 1 {
		if confidence <= float64(i+1)/calibrationBins {
			return i
		}
	}
	return calibrationBins - 1
}

// CalibrationText describes the calibration in a domain, and that over all domains beside
// it, in at most 4,000 bytes. It returns false if no turn stated a confidence.
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

// text describes a calibration in a line, and its curve in a line for each bin.
func (c Calibration) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the last %s with a stated confidence had a mean confidence of %.2f and a success rate of %.2f (%d succeeded)",
		counted(c.Turns, "turn"), c.Confidence, c.Success, int(math.Round(c.Success*float64(c.Turns))))
	switch gap := c.Confidence - c.Success; {
	case gap >= .005:
		fmt.Fprintf(&b, ", so the confidence was too high by %.2f", gap)
	case gap <= -.005:
		fmt.Fprintf(&b, ", so the confidence was too low by %.2f", -gap)
	}
	fmt.Fprintf(&b, ". Brier score %.3f (0 is perfect, .25 a constant .5), expected calibration error %.3f in ten bins.\n", c.Brier, c.ECE)
	for _, bin := range c.Curve {
		fmt.Fprintf(&b, "  confidence over %.1f to %.1f: %s, mean confidence %.2f, success rate %.2f\n",
			bin.Over, bin.To, counted(bin.Turns, "turn"), bin.Confidence, bin.Success)
	}
	return b.String()
}

// CalibrationOf returns the calibration of the turns that stated a confidence and for which
// counts is true.
func (e *Experience) CalibrationOf(counts func(turn string) bool) Calibration {
	var list []Stated
	for _, s := range e.Stated {
		if counts(s.Turn) {
			list = append(list, s)
		}
	}
	return calibrate(list)
}
