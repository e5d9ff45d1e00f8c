package irt

// anchor is a point near which predictions are made, with the parts of its covariances.
type anchor struct {
	point Point
	parts parts
}

// Approach prepares the predictions of [Model.Predict] for points that differ from one of the
// given points in few dimensions. Predictions change by rounding alone.
func (m *Model) Approach(points []Point) {
	m.anchors = m.anchors[:0]
	for _, x := range points {
		a := anchor{x, newParts(m.items)}
		m.kernel.gather(x, m.columns, a.parts)
		m.anchors = append(m.anchors, a)
	}
}

// near sets p to the parts of the covariances of x with the items, from those of the
// nearest anchor where that is less work.
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

// anchorOf returns the nearest anchor, or nil if each differs in a third of the dimensions
// or more: a dimension that differs costs two sums in place of one.
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

// different returns the number of dimensions in which two points differ; it stops at most.
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
