package provider

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"evolve/runtime/model"
)

// anthropicClient uses the Messages API.
type anthropicClient struct {
	exchanger
	messages sdk.MessageService
	quirks   quirks
}

func newAnthropic(e Endpoint, scrub func(string) string) *anthropicClient {
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithMaxRetries(0), option.WithRequestTimeout(longest),
		option.WithBaseURL(e.BaseURL),
	}
	if e.Key != "" {
		options = append(options, option.WithAPIKey(e.Key))
	}
	return &anthropicClient{exchanger: newExchanger(e, scrub), messages: sdk.NewClient(options...).Messages}
}

// ask sends the question, and sends it again without the temperature if the model
// refuses that.
func (c *anthropicClient) ask(ctx context.Context, q question) (answer, error) {
	for known := c.quirks.get(q.model); ; {
		x := c.exchange()
		resp, err := c.messages.New(ctx, anthropicRequest(q, known), option.WithHTTPClient(x))
		if err == nil && x.ok() {
			var a answer
			if a, err = anthropicAnswer(resp); err == nil {
				c.quirks.learn(q.model, known)
				a.notes = known.notes(q)
				return a, nil
			}
		}
		f := c.fault(ctx, x, err)
		if f.Trouble != Rejected || refused(complaintOf(x.body)) != noTemperature || known&noTemperature != 0 {
			return answer{}, f
		}
		known |= noTemperature
	}
}

func anthropicRequest(q question, known quirk) sdk.MessageNewParams {
	r := sdk.MessageNewParams{Model: q.model, MaxTokens: int64(q.maxTokens)}
	if q.temperature != nil && known&noTemperature == 0 {
		r.Temperature = sdk.Float(min(*q.temperature, 1))
	}
	stable := -1
	for i, b := range q.chat.System {
		r.System = append(r.System, sdk.TextBlockParam{Text: b.Text})
		if b.Stable {
			stable = i
		}
	}
	if stable >= 0 {
		r.System[stable].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	for _, m := range q.chat.Messages {
		r.Messages = append(r.Messages, anthropicMessage(m))
	}
	for _, t := range q.chat.Tools {
		r.Tools = append(r.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name: t.Name, Description: sdk.String(t.Description),
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Schema),
		}})
	}
	if q.chat.Final && len(r.Tools) > 0 {
		r.ToolChoice = sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	}
	return r
}

func anthropicMessage(m Message) sdk.MessageParam {
	out := sdk.MessageParam{Role: sdk.MessageParamRole(m.Role)}
	for _, r := range m.Results {
		out.Content = append(out.Content, sdk.NewToolResultBlock(r.ID, r.Text, r.Failed))
	}
	if m.Text != "" {
		out.Content = append(out.Content, sdk.NewTextBlock(m.Text))
	}
	for _, call := range m.Calls {
		out.Content = append(out.Content, sdk.NewToolUseBlock(call.ID, call.Arguments, call.Tool))
	}
	return out
}

func anthropicAnswer(r *sdk.Message) (answer, error) {
	if r == nil || r.StopReason == "" && len(r.Content) == 0 {
		return answer{}, errors.New("it is no message")
	}
	a := answer{stop: model.StopEnd}
	var texts []string
	for _, b := range r.Content {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_use":
			a.calls = append(a.calls, reported{b.Name, b.Input})
		}
	}
	a.text = strings.Join(texts, "")
	switch {
	case r.StopReason == sdk.StopReasonRefusal:
		a.stop = model.StopRefusal
	case r.StopReason == sdk.StopReasonMaxTokens, r.StopReason == sdk.StopReasonModelContextWindowExceeded:
		a.stop = model.StopLength
	case len(a.calls) > 0:
		a.stop = model.StopCalls
	}
	u := r.Usage
	// The count of the input excludes cached tokens.
	cached, written := bounded(u.CacheReadInputTokens), bounded(u.CacheCreationInputTokens)
	a.usage = usage{
		input: bounded(u.InputTokens) + cached + written, cached: cached, written: written, output: u.OutputTokens,
	}.sane()
	return a, nil
}
