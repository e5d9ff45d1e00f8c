package provider

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"evolve/runtime/model"
)

// openaiClient uses the chat completions API.
type openaiClient struct {
	exchanger
	quirks quirks
}

func newOpenAI(e Endpoint, scrub func(string) string) *openaiClient {
	return &openaiClient{exchanger: newExchanger(e, scrub)}
}

// ask sends the question, and sends it again without a parameter if the model refuses that
// parameter. Such a refusal costs nothing, occurs once per model, and does not count as an
// attempt.
func (c *openaiClient) ask(ctx context.Context, q question) (answer, error) {
	for known := c.quirks.get(q.model); ; {
		a, more, err := c.once(ctx, q, known)
		if err == nil {
			c.quirks.learn(q.model, known)
			return a, nil
		}
		if more&^known == 0 {
			return a, err
		}
		known |= more
	}
}

func (c *openaiClient) once(ctx context.Context, q question, known quirk) (answer, quirk, error) {
	x := c.exchange()
	config := openai.DefaultConfig(c.endpoint.Key)
	config.BaseURL, config.HTTPClient = c.endpoint.BaseURL, x
	resp, err := openai.NewClientWithConfig(config).CreateChatCompletion(ctx, openaiRequest(q, known))
	if err == nil && x.ok() {
		var a answer
		if a, err = openaiAnswer(&resp); err == nil {
			a.notes, a.untempered, a.bound = known.notes(q), known.untempers(q), q.schema != nil && known&noSchema == 0
			return a, 0, nil
		}
	}
	f := c.fault(ctx, x, err)
	more := openaiQuirk(f, x, err)
	if more == 0 && f.Trouble == Rejected && x.status != 0 && q.schema != nil {
		more = noSchema // the least common parameter
	}
	return answer{}, more, f
}

// openaiQuirk returns the quirk that made a request fail, that is, the refused parameter.
// It returns 0 if there is none. The library has rules for some models and refuses to
// send parameters that these models do not accept.
func openaiQuirk(f *Fault, x *exchange, err error) quirk {
	if known := libraryQuirk(err); known != 0 {
		return known
	}
	if f.Trouble == Rejected && x.status != 0 {
		return refused(complaintOf(x.body))
	}
	return 0
}

func libraryQuirk(err error) quirk {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return newMaxTokens
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return noTemperature
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return noEffort
	}
	return 0
}

// TakesTemperature reports whether requests to a model may set a temperature, judging only
// by the model's name, before any request.
func TakesTemperature(kind Kind, name string) bool {
	if kind != OpenAI {
		return true
	}
	half, known := .5, quirk(0)
	q := question{chat: &Chat{Tools: []Tool{referTool()}}, model: name, temperature: &half, maxTokens: 1}
	for {
		more := libraryQuirk(openai.NewReasoningValidator().Validate(openaiRequest(q, known)))
		if more&^known == 0 {
			return known&noTemperature == 0
		}
		known |= more
	}
}

func openaiRequest(q question, known quirk) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: q.model, Messages: openaiMessages(q.chat)}
	if q.temperature != nil && known&noTemperature == 0 {
		// The library omits a zero. A millionth has the same effect as zero, and causes no
		// overflow in servers that divide by the temperature.
		r.Temperature = float32(max(*q.temperature, 1e-6))
	}
	if q.seed != nil && known&noSeed == 0 {
		seed := int(*q.seed)
		r.Seed = &seed
	}
	if known&newMaxTokens != 0 {
		r.MaxCompletionTokens = q.maxTokens
	} else {
		r.MaxTokens = q.maxTokens //nolint:staticcheck // many servers know no other
	}
	if known&noEffort != 0 {
		r.ReasoningEffort = openai.ReasoningEffortNone
	}
	if q.schema != nil && known&noSchema == 0 {
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: q.schema, Strict: true},
		}
	}
	if q.chat.Final { // some servers ignore tool_choice
		return r
	}
	for _, t := range q.chat.Tools {
		r.Tools = append(r.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Schema,
		}})
	}
	return r
}

func openaiMessages(c *Chat) []openai.ChatCompletionMessage {
	var out []openai.ChatCompletionMessage
	add := func(m openai.ChatCompletionMessage) { out = append(out, m) }
	if len(c.System) > 0 { // one message, because some servers accept only one
		texts := make([]string, len(c.System))
		for i, b := range c.System {
			texts[i] = b.Text
		}
		add(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: strings.Join(texts, "\n\n")})
	}
	for _, m := range c.Messages {
		for _, r := range m.Results {
			add(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: r.ID, Content: r.Text})
		}
		switch {
		case m.Role == Assistant:
			said := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: m.Text}
			for _, call := range m.Calls {
				said.ToolCalls = append(said.ToolCalls, openai.ToolCall{
					ID: call.ID, Type: openai.ToolTypeFunction,
					Function: openai.FunctionCall{Name: call.Tool, Arguments: string(call.Arguments)},
				})
			}
			add(said)
		case m.Text != "":
			add(openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: m.Text})
		}
	}
	return out
}

func openaiAnswer(r *openai.ChatCompletionResponse) (answer, error) {
	if len(r.Choices) == 0 {
		return answer{}, errors.New("it has no choices")
	}
	choice := &r.Choices[0]
	if choice.FinishReason == "error" { // the value from a gateway whose provider failed halfway
		return answer{}, errors.New("the provider reported an error in the middle of the reply")
	}
	a := answer{text: choice.Message.Content, stop: model.StopEnd}
	for _, part := range choice.Message.MultiContent {
		a.text += part.Text
	}
	for _, call := range choice.Message.ToolCalls {
		a.calls = append(a.calls, reported{call.Function.Name, json.RawMessage(call.Function.Arguments)})
	}
	switch {
	case choice.Message.Refusal != "":
		a.stop, a.text = model.StopRefusal, choice.Message.Refusal
	case choice.FinishReason == openai.FinishReasonContentFilter:
		a.stop = model.StopRefusal
	case choice.FinishReason == openai.FinishReasonLength:
		a.stop = model.StopLength
	case len(a.calls) > 0: // calls take effect, whatever the finish reason is
		a.stop = model.StopCalls
	}
	a.usage = usage{input: int64(r.Usage.PromptTokens), output: int64(r.Usage.CompletionTokens)}
	if d := r.Usage.PromptTokensDetails; d != nil {
		a.usage.cached = int64(d.CachedTokens)
	}
	a.usage = a.usage.sane()
	return a, nil
}
