package model

// Most is an upper limit on what one request can use: the tokens of its input and output,
// and their cost in USD, which is 0 if the price is unknown.
type Most struct {
	Input, Output       int64
	InputUSD, OutputUSD float64
}

// Tokens returns the total number of input and output tokens.
func (m Most) Tokens() int64 { return m.Input + m.Output }

// USD returns the total cost of input and output.
func (m Most) USD() float64 { return m.InputUSD + m.OutputUSD }

// Bounded is a model with an upper limit on what a request to it can use.
type Bounded interface {
	AtMost(req *Request) Most
}

// AtMost returns the most that a request to a model can use, or zero if the model states no
// limit.
func AtMost(m Model, req *Request) Most {
	if b, ok := m.(Bounded); ok {
		return b.AtMost(req)
	}
	return Most{}
}
