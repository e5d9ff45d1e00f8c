//go:build !race

package authored

// growth is the number of bytes by which a child may grow beyond its initial size, and
// weight the factor by which its memory is larger than usual.
const (
	growth = 128 << 20
	weight = 1
)
