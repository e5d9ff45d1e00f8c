// Package limits computes the number of evaluations that a nightly run can make for an
// agent, and the limit that binds. It computes them from the run's optional limits
// (evaluations, money, time, a deadline) and the agent's measured speed and price. It has
// no state and reads no clock.
package limits
