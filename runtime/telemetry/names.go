package telemetry

// The attributes of spans that belong to the semantic conventions for generative AI. They
// are defined here because the Go package of the conventions no longer contains them.
const (
	Operation     = "gen_ai.operation.name"
	Provider      = "gen_ai.provider.name"
	RequestModel  = "gen_ai.request.model"
	AgentName     = "gen_ai.agent.name"
	ToolName      = "gen_ai.tool.name"
	InputTokens   = "gen_ai.usage.input_tokens"
	CachedTokens  = "gen_ai.usage.cache_read.input_tokens"
	OutputTokens  = "gen_ai.usage.output_tokens"
	ErrorType     = "error.type"
	OperationChat = "chat"
	OperationTool = "execute_tool"
	OperationTurn = "invoke_agent"
)

// The attributes that are specific to evolve. Waited is in seconds, Cost in USD.
const (
	Run      = "evolve.run"
	Exit     = "evolve.exit_code"
	Stage    = "evolve.stage"
	Seq      = "evolve.evaluation.seq"
	Variant  = "evolve.variant"
	Outcome  = "evolve.outcome"
	Score    = "evolve.score"
	Attempts = "evolve.attempts"
	Waited   = "evolve.waited"
	Cost     = "evolve.cost_usd"
	Origin   = "evolve.tool.origin"
	Gate     = "evolve.gate"
	Passed   = "evolve.gate.passed"
	Worker   = "evolve.worker"
)
