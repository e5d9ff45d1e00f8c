//go:build !race

package authored

// growth is the number of bytes by which a child may grow beyond its initial size. weight
// is the factor by which a child's memory use exceeds that without the race detector.
const (
	growth = 128 << 20
	weight = 1
)
