// Package notify informs people about nights. It provides messages in an outbox on disk,
// the channels by which they are sent (a program, a webhook, e-mail), and the heartbeat
// of a dead man's switch.
//
// A message is written to the outbox before it is sent, and each delivery is recorded
// afterwards. If a process is killed in between, that one message is sent once more,
// under the same id, and no message is lost. As long as an event persists, each channel
// sends it only once.
package notify
