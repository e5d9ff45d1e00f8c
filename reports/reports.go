// Package reports leads to the parts of the morning report under their former names, until
// its callers use reports/model and reports/render.
package reports

import (
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/text"
)

type (
	Report          = model.Report
	Waiting         = model.Waiting
	Volatile        = model.Volatile
	Rulings         = model.Rulings
	TerminalOptions = render.TerminalOptions
)

var (
	Visible    = text.Visible
	Build      = model.Build
	Addressed  = model.Addressed
	Summaries  = model.Summaries
	LimitWords = model.LimitWords
	Awaiting   = model.ListWaiting
	Value      = model.Value
	Leading    = model.Leading
	Markdown   = render.Markdown
	JSON       = render.JSON
	HTML       = render.HTML
	Box        = render.Box
	Terminal   = render.Terminal
	IndexJSON  = render.IndexJSON
	Index      = render.Index
	FileName   = render.FileName
)
