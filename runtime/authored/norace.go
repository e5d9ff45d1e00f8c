//go:build !race

package authored

// growth is the number of bytes by which a child may grow beyond its initial size. weight
// is the factor by which the race detector increases a child's memory use.
const (
	growth = 128 << 20
	weight = 1
)
