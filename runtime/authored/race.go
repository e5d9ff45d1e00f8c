//go:build race

package authored

// The race detector has several shadow bytes per byte, mapped in large pieces at
// unpredictable times, and slows everything down.
const (
	growth = 2 << 30
	weight = 4
)
