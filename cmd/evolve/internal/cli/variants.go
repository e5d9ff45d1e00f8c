package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// agentFlag returns the flag that names the agent that a command concerns. The flag may be
// left out if there is only one agent.
func agentFlag() cli.Flag {
	return &cli.StringFlag{Name: "agent", Usage: "the agent `ID`; needed if there are several agents"}
}

// agentOf determines the agent that a command concerns, from the recorded data. It is for
// commands that only read.
func agentOf(c *cli.Context, a *archive.Archive) (string, error) {
	var ids []string
	for r, err := range a.Runs(c.Context) {
		if err != nil {
			return "", fmt.Errorf("reading the runs: %w", err)
		}
		for _, id := range r.Agents {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if name := c.String("agent"); name != "" && len(ids) > 0 {
		if !slices.Contains(ids, name) {
			return "", &batch.UnknownAgentError{Name: name, Known: ids}
		}
		return name, nil
	}
	switch len(ids) {
	case 0:
		return "", exit.Errorf(exit.Usage, "`evolve run` records the first results", "nothing is recorded in this workspace yet")
	case 1:
		return ids[0], nil
	}
	return "", exit.Errorf(exit.Usage, agentFlags(ids), "there are %d agents", len(ids))
}

// findVariant returns the variant with the name that a person typed.
func findVariant(c *cli.Context, a *archive.Archive, agentID, name string) (archive.Variant, error) {
	v, err := a.FindVariant(c.Context, agentID, name)
	if errors.Is(err, archive.ErrNotFound) {
		return v, exit.Errorf(exit.Usage, nearVariant(c.Context, a, agentID, name), "agent %s has no variant %q", agentID, name)
	}
	return v, err
}

// namedVariant returns the variant that the first argument names, and its agent.
func namedVariant(c *cli.Context, a *archive.Archive) (string, archive.Variant, error) {
	id, err := agentOf(c, a)
	if err != nil {
		return "", archive.Variant{}, err
	}
	v, err := findVariant(c, a, id, c.Args().First())
	return id, v, err
}

func variantsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "variants", Usage: "list the configs that were tried",
		Flags: []cli.Flag{
			agentFlag(),
			&cli.IntFlag{Name: "last", Usage: "only the last `N` variants or, if ordered by score, the best N", Value: 30},
			&cli.StringFlag{Name: "sort", Value: byNumber, Usage: "the `ORDER`: " + byNumber + ", or " + byScore + ", with the mean scores and their intervals"},
		},
		Action: func(c *cli.Context) error {
			return reading(sh, c, func(_ string, a *archive.Archive) error {
				switch order := c.String("sort"); order {
				case byNumber:
					return listVariants(sh.console, c, a)
				case byScore:
					return listScored(sh, c, a)
				default:
					hint := exit.Suggest("the sort orders are "+strings.Join(variantOrders(), " and "), "--sort %s", order, variantOrders())
					return exit.Errorf(exit.Usage, hint, "there is no sort order %s", text.Quote(order))
				}
			})
		},
		Subcommands: []*cli.Command{{
			Name: "show", Usage: "show one variant: its config and where it came from", ArgsUsage: "VARIANT",
			Flags: []cli.Flag{agentFlag()},
			Action: func(c *cli.Context) error {
				return reading(sh, c, func(_ string, a *archive.Archive) error {
					_, v, err := namedVariant(c, a)
					if err != nil {
						return err
					}
					return sh.show(viewVariant(v), func() { printVariant(sh.console, v, parentsOf(c.Context, a, v)) })
				})
			},
		}},
	}
}

func listVariants(con *console, c *cli.Context, a *archive.Archive) error {
	if c.Int("last") < 1 {
		return exit.Misuse(errors.New("--last must be 1 or more"))
	}
	id, err := agentOf(c, a)
	if err != nil {
		return err
	}
	list, all := []archive.Variant{}, 0
	for v, err := range a.Variants(c.Context, id) {
		if err != nil {
			return fmt.Errorf("reading the variants: %w", err)
		}
		list = append(list, v)
		all++
		if len(list) > c.Int("last") {
			list = list[1:]
		}
	}
	return con.show(map[string]any{"agent": id, "total": all, "variants": viewVariants(list)}, func() {
		if all > len(list) {
			con.printf("the last %d of %d variants, including those not yet tried on any search task; --last %d shows all\n", len(list), all, all)
		}
		for _, v := range list {
			con.printf("v%-5d %-14s %s\n", v.Number, text.Visible(model.OperatorName(v.Operator)), text.Visible(v.Rationale))
			con.printAddressed("       ", addressedIn(v))
		}
	})
}

// listScored lists the best variants with their scores.
func listScored(sh *shell, c *cli.Context, a *archive.Archive) error {
	if c.Int("last") < 1 {
		return exit.Misuse(errors.New("--last must be 1 or more"))
	}
	id, err := agentOf(c, a)
	if err != nil {
		return err
	}
	scores, err := variantScores(c.Context, a, id, basisOf(sh, c, id).tasks)
	if err != nil {
		return err
	}
	list := []archive.Variant{}
	for v, err := range a.Variants(c.Context, id) {
		if err != nil {
			return fmt.Errorf("reading the variants: %w", err)
		}
		list = append(list, v)
	}
	sortByScore(list, scores)
	all := len(list)
	list = list[:min(all, c.Int("last"))]
	views := viewVariants(list)
	for i := range views {
		views[i].Score = scores[views[i].ID]
	}
	return sh.show(map[string]any{"agent": id, "total": all, "variants": views}, func() {
		if all > len(list) {
			sh.printf("the best %d of %d variants, including those not yet tried on any search task; --last %d shows all\n", len(list), all, all)
		}
		printScored(sh.console, list, scores)
	})
}

// variantView is a variant together with the places in its rationale that address a
// reviewer. In a list sorted by score, it also has the variant's score.
type variantView struct {
	archive.Variant
	Score     *variantScore `json:"score,omitempty"`
	Addressed []string      `json:"addressed_to_reviewers,omitempty"`
}

func viewVariant(v archive.Variant) variantView {
	return variantView{Variant: v, Addressed: addressedIn(v)}
}

func viewVariants(list []archive.Variant) []variantView {
	out := make([]variantView, len(list))
	for i, v := range list {
		out[i] = viewVariant(v)
	}
	return out
}

// addressedIn lists the locations in a variant's rationale that address a reviewer.
func addressedIn(v archive.Variant) []string {
	return model.AddressedIn(fmt.Sprintf("the reason for v%d", v.Number), v.Rationale)
}

func printVariant(con *console, v archive.Variant, parents []string) {
	con.printf("v%d of %s  %s\n", v.Number, text.Visible(v.Agent), v.ID)
	con.printf("  made by  %s, generation %d, run %s\n", text.Visible(model.OperatorName(v.Operator)), v.Generation, orDash(v.Run))
	if v.Author != "" {
		con.printf("  author   %s\n", text.Visible(v.Author))
	}
	if len(parents) > 0 {
		con.printf("  parents  %s\n", strings.Join(parents, ", "))
	}
	if v.Rationale != "" {
		con.printf("  why      %s\n", text.Visible(v.Rationale))
		con.printAddressed("           ", addressedIn(v))
	}
	con.printf("\n")
	for _, name := range slices.Sorted(maps.Keys(v.Config)) {
		con.printf("  %-26s %s\n", text.Visible(name), shown(v.Config[name]))
	}
}

// parentsOf names the parents of a variant by their numbers. It names a parent without a
// record by its id.
func parentsOf(ctx context.Context, a *archive.Archive, v archive.Variant) []string {
	parts := make([]string, len(v.Parents))
	for i, id := range v.Parents {
		parts[i] = id.Short()
		if parent, err := a.Variant(ctx, v.Agent, id); err == nil {
			parts[i] = model.Ref{ID: id, Number: parent.Number}.Name()
		}
	}
	return parts
}

func lineageCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "lineage", Usage: "show a variant's lineage: its first parent, that parent's first parent, and so on", ArgsUsage: "VARIANT",
		Flags: []cli.Flag{agentFlag()},
		Action: func(c *cli.Context) error {
			return reading(sh, c, func(_ string, a *archive.Archive) error {
				id, v, err := namedVariant(c, a)
				if err != nil {
					return err
				}
				line, err := ancestors(c.Context, a, v)
				if err != nil {
					return err
				}
				return sh.show(map[string]any{"agent": id, "lineage": viewVariants(line)}, func() {
					for depth, v := range line {
						sh.printf("%sv%d  %s  %s\n", strings.Repeat("  ", depth), v.Number, text.Visible(model.OperatorName(v.Operator)), text.Visible(v.Rationale))
						sh.printAddressed(strings.Repeat("  ", depth), addressedIn(v))
					}
				})
			})
		},
	}
}

// ancestors returns a variant followed by its line of first parents. It lists each variant
// only once, even if the records form a cycle.
func ancestors(ctx context.Context, a *archive.Archive, v archive.Variant) ([]archive.Variant, error) {
	line := []archive.Variant{v}
	seen := map[agent.ConfigID]bool{v.ID: true}
	for len(v.Parents) > 0 && !seen[v.Parents[0]] {
		parent, err := a.Variant(ctx, v.Agent, v.Parents[0])
		if err != nil {
			return nil, fmt.Errorf("reading the parent %s: %w", v.Parents[0].Short(), err)
		}
		v = parent
		seen[v.ID] = true
		line = append(line, v)
	}
	return line, nil
}
