package hub

// bits is a set of numbers that occur in a few dense ranges.
type bits map[int64]*[64]uint64

const pageBits = 12

func (b bits) set(n int64) {
	page := b[n>>pageBits]
	if page == nil {
		page = new([64]uint64)
		b[n>>pageBits] = page
	}
	page[n>>6&63] |= 1 << (n & 63)
}

func (b bits) unset(n int64) {
	if page := b[n>>pageBits]; page != nil {
		page[n>>6&63] &^= 1 << (n & 63)
	}
}

func (b bits) has(n int64) bool {
	page := b[n>>pageBits]
	return page != nil && page[n>>6&63]&(1<<(n&63)) != 0
}
