package nights

import "slices"

// highest keeps the items with the highest values, at most as many as the field most
// allows, in descending order. Of two items with equal values, the earlier one comes first.
type highest[T any] struct {
	most   int
	items  []T
	values []float64
}

// takes reports whether add would keep an item of this value.
func (h *highest[T]) takes(value float64) bool {
	return len(h.values) < h.most || h.most > 0 && value > h.values[h.most-1]
}

// add inserts an item for which the method takes must have returned true, and drops the
// last item if the limit is exceeded.
func (h *highest[T]) add(item T, value float64) {
	at, _ := slices.BinarySearchFunc(h.values, value, func(kept, value float64) int {
		if kept >= value {
			return -1
		}
		return 1
	})
	h.items, h.values = slices.Insert(h.items, at, item), slices.Insert(h.values, at, value)
	h.items, h.values = h.items[:min(h.most, len(h.items))], h.values[:min(h.most, len(h.values))]
}
