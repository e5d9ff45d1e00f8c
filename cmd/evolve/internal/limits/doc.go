// Package limits turns the limits of a night (evaluations, money, time, a deadline, each
// of them optional) and what is known of an agent's speed and price into the number of
// evaluations that the night can make for it, and names the limit that binds. It has no
// state and reads no clock.
package limits
