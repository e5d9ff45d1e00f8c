package sessions

// Role is the author of a message.
type Role string

// The roles. Tool messages are results of calls; their text is not stored.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Conversation is one conversation of a log.
type Conversation struct {
	// ID is the id in the log; it is empty if there is none.
	ID string
	// File is the log's name without its folder; Line is the line in the log, or 0 if there
	// is none.
	File   string
	Line   int
	Format Format
	// Digest is the SHA-256 of the conversation's messages, in hexadecimal.
	Digest   string
	Messages []Message
	// Verdict is the log's own verdict on the conversation as a whole.
	Verdict Verdict
	// Target is the reference answer in the log itself.
	Target Target
	// Family is shared by the conversations that are runs of one problem; it is empty for
	// other conversations.
	Family string
	// Domain is the domain in the log; it is empty if there is none.
	Domain string
}

// Message is one message.
type Message struct {
	Role Role
	Text string
	// Tools are the names of the tools that an assistant's message calls.
	Tools []string
	// Partial reports whether parts of the message, such as images, are not text.
	Partial bool
	// Verdict is the log's own verdict on this answer.
	Verdict Verdict
}

// Verdict is the verdict of the log itself on an answer, such as a reward. The zero value
// means that there is no verdict.
type Verdict struct {
	Given, Approved bool
	// How is the log's wording of the verdict, such as "reward 1", and By is the person who
	// gave the verdict, if named.
	How, By string
}
