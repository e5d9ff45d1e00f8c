//go:build race

package authored

// Under the race detector every byte has several of shadow, mapped in large pieces
// at unforeseeable times, and everything is slower.
const (
	growth = 2 << 30
	weight = 4
)
