// Package notify informs people about nights: messages in an outbox on disk, the channels that
// they are sent by (a program, a webhook, e-mail), and the heartbeat of a dead man's switch.
//
// A message is written to the outbox before it is sent, and each delivery is recorded after
// it. A process that is killed in between sends that one message once more, under the same
// id, and loses none. An event is sent once by each channel for as long as it holds.
package notify
