//go:build !race

package authored

// growth is by how many bytes a child may grow beyond what it has at its start, and
// weight by how much its memory is larger than usual.
const (
	growth = 128 << 20
	weight = 1
)
