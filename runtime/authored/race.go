//go:build race

package authored

// The race detector needs several shadow bytes per byte of memory, maps them in large
// pieces at unpredictable times, and slows everything down.
const (
	growth = 2 << 30
	weight = 4
)
