package experience

// judgeEarlier applies what a message means for the turn before it.
func (e *Experience) judgeEarlier(Turn) {}

// learnOutcome adds the outcome and the stated confidence of a turn.
func (e *Experience) learnOutcome(Turn) {}
