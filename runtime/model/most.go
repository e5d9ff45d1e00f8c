package model

// Most bounds what one request can use: the tokens of its input and output, and what they
// cost in USD, 0 where the price is unknown.
type Most struct {
	Input, Output       int64
	InputUSD, OutputUSD float64
}

// Tokens returns the tokens of input and output together.
func (m Most) Tokens() int64 { return m.Input + m.Output }

// USD returns the cost of input and output together.
func (m Most) USD() float64 { return m.InputUSD + m.OutputUSD }

// Bounded is a model that bounds what a request to it can use.
type Bounded interface {
	AtMost(req *Request) Most
}

// AtMost returns what a request to a model can use; zero where the model gives no bound.
func AtMost(m Model, req *Request) Most {
	if b, ok := m.(Bounded); ok {
		return b.AtMost(req)
	}
	return Most{}
}
