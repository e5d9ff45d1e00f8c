package irt

// anchor is a point near which predictions are made, with the parts from which its
// covariances with the items are computed.
type anchor struct {
	point Point
	parts parts
}

// Approach prepares [Model.Predict] for points that differ in only a few dimensions from
// one of the given points. It changes predictions only by rounding errors.
func (m *Model) Approach(points []Point) {
	m.anchors = m.anchors[:0]
	for _, x := range points {
		a := anchor{x, newParts(m.items)}
		m.kernel.gather(x, m.columns, a.parts)
		m.anchors = append(m.anchors, a)
	}
}

// near sets p to the parts of the covariances between x and the items. It starts from the
// parts of the nearest anchor if that is less work.
func (m *Model) near(x Point, p parts) {
	a := m.anchorOf(x)
	if a == nil {
		m.kernel.gather(x, m.columns, p)
		return
	}
	copy(p.sum, a.parts.sum)
	copy(p.squares, a.parts.squares)
	copy(p.exponent, a.parts.exponent)
	m.kernel.move(a.point, x, m.columns, p)
}

// anchorOf returns the nearest anchor, or nil if every anchor differs from the point in a
// third of the dimensions or more. Starting from an anchor costs two sums for each
// differing dimension, instead of one sum for every dimension.
func (m *Model) anchorOf(x Point) *anchor {
	var nearest *anchor
	least := (len(x) + 2) / 3
	for i := range m.anchors {
		if d := different(x, m.anchors[i].point, least); d < least {
			nearest, least = &m.anchors[i], d
		}
	}
	return nearest
}

// different returns the number of dimensions in which two points differ, or most as soon as
// the count reaches it.
func different(x, y Point, most int) int {
	n := 0
	for i, v := range x {
		if v != y[i] {
			if n++; n >= most {
				break
			}
		}
	}
	return n
}
