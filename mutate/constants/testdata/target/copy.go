// Package target copies data piece by piece, and counts what that costs.
package target

// chunk is how many bytes are copied at once.
const chunk = 16 //evolve:param min=16 max=1024 log step=4

// overhead is what a piece costs beside its bytes.
const overhead = 16

// Work is the cost of copying size bytes: every piece has its overhead, and the last one
// is cleared to its full length first.
func Work(size int) int {
	cost := 0
	for at := 0; at < size; at += chunk {
		cost += overhead + min(chunk, size-at)
	}
	return cost + chunk
}
