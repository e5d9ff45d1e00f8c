package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/backup"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// statusView is the output of `evolve status --json`.
type statusView struct {
	Workspace string `json:"workspace"`
	Running   bool   `json:"running"`
	// Faulty lists the mistakes in the workspace's files. A run refuses such files, but the
	// status still shows the recorded data.
	Faulty *faultyFiles `json:"faulty,omitempty"`
	// Refused is the reason why an archive that its last writer did not close could not be
	// repaired; the archive is then read in its present state.
	Refused string `json:"refused,omitempty"`
	// Watch describes what the latest nights showed about the active configs, if there is
	// anything to report.
	Watch []model.Watch `json:"watch,omitempty"`
	// Waiting lists the proposals of configs that await a person, the oldest first.
	Waiting  []model.Waiting `json:"waiting"`
	Awaiting []proposalLine  `json:"awaiting"`
	// Drafts lists the patches that are waiting for their gates in this workspace.
	Drafts []draftLine `json:"drafts,omitempty"`
	// Requests is the number of open change requests.
	Requests int `json:"open_requests"`
	// Levels lists the agents with a level of autonomy above the lowest.
	Levels []levelOf `json:"levels"`
	// Confirming lists the candidates whose confirmation continues. Entries describes how
	// many more candidates of each agent may enter the confirmation.
	Confirming []confirmingLine `json:"confirming"`
	Entries    []entriesLine    `json:"entries"`
	Runs       []runLine        `json:"runs"`
	Adopted    []proposalLine   `json:"adopted"`
	// Backup describes the last backup that a night made, and the reason if the latest
	// night made no backup.
	Backup backup.State `json:"backup"`
	// Notify holds the messages that have not been delivered; it is absent if there are
	// none.
	Notify *notify.State `json:"notify,omitempty"`
	// Unfinished lists the decisions whose process was killed before everything was done.
	Unfinished []wire.Unfinished `json:"unfinished,omitempty"`
	// Live describes the effect of limits and breakers on the live turns of recent days.
	Live []policy.Saturation `json:"live,omitempty"`
	// Schedule describes what starts the nights; it is absent if no schedule is installed.
	Schedule *scheduleLine `json:"schedule,omitempty"`
	// Signed describes the signature of the ledger's head; it is absent if evolve.yaml
	// requires no signature.
	Signed *signedLine `json:"signed,omitempty"`

	latest archive.Run
	// moved is [review.Reviewer.Moved].
	moved func(archive.ProposalRecord) (string, bool)
}

// faultyFiles describes why a workspace cannot be loaded.
type faultyFiles struct {
	Problems []string `json:"problems"`
	Hint     string   `json:"hint,omitempty"`
}

// faultyOf returns the mistakes listed in an error from loading a workspace.
func faultyOf(err error) *faultyFiles {
	if err == nil {
		return nil
	}
	_, hint := exit.Of(err)
	return &faultyFiles{Problems: strings.Split(err.Error(), "\n"), Hint: hint}
}

// printFaulty prints the mistakes in the workspace at the beginning of the status.
func printFaulty(con *console, f *faultyFiles) {
	const most = 5
	if f == nil {
		return
	}
	con.printf("! the workspace cannot be loaded, so a run is refused\n")
	for i, problem := range f.Problems {
		if i == most {
			con.printf("  %d more: %s\n", len(f.Problems)-most, con.command("evolve doctor"))
			break
		}
		con.printf("  %s\n", text.Visible(problem))
	}
	if f.Hint != "" {
		con.printf("  %s\n", con.localHint(f.Hint))
	}
	con.printf("\n")
}

type runLine struct {
	Run     string           `json:"run"`
	Number  int              `json:"number"`
	State   archive.RunState `json:"state"`
	Exit    int              `json:"exit"`
	Started time.Time        `json:"started"`
	Ended   time.Time        `json:"ended,omitzero"`
	Reason  string           `json:"reason,omitempty"`
	// Next is the command that continues the run; it is empty for a run that cannot
	// continue.
	Next   string `json:"next,omitempty"`
	Budget int    `json:"budget_evals,omitempty"`
	// Limits holds the run's limits, and how much of each is spent.
	Limits []limitLine `json:"limits"`
	Agents []agentLine `json:"agents"`
}

type agentLine struct {
	Agent    string          `json:"agent"`
	Verdict  archive.Verdict `json:"verdict,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Champion string          `json:"champion"`
	// Evaluations is the number of evaluations in all stages so far.
	Evaluations int `json:"evaluations"`
	// Limit is the name of the limit that constrained the work on the agent; it is empty
	// until the work has ended.
	Limit string `json:"limit,omitempty"`
}

// draftLine is a patch that waits for its gates.
type draftLine struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Waits is the reason why the patch waits. It is empty while the patch's gates run, or
	// if a crash ended them.
	Waits string `json:"waits,omitempty"`
	// Moved has the same meaning as in a proposal's line.
	Moved string `json:"moved,omitempty"`
}

// These are three limits of the status: how many of the latest runs it shows, how many
// runs it reads to fill its other sections, and how many of the latest ledger entries it
// verifies. With these limits, the status takes no longer after years of use.
const (
	statusRuns    = 5
	statusLooks   = 100
	statusEntries = 500
)

func statusCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "show what awaits a decision, the last runs, and what was adopted",
		Description: "Also works during a run.",
		Action: func(c *cli.Context) error {
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			view := statusView{Workspace: root, Waiting: []model.Waiting{}, Awaiting: []proposalLine{}, Levels: []levelOf{}, Confirming: []confirmingLine{}, Entries: []entriesLine{}, Runs: []runLine{}, Adopted: []proposalLine{}, moved: sh.PatchReader(root).Moved}
			w, err := wire.Load(root)
			if err != nil {
				w = nil
			}
			view.Faulty = faultyOf(err)
			look := func(a *archive.Archive) error {
				view.Signed = signedStatus(c.Context, sh, a, root)
				return view.fill(c.Context, a, w, sh.Now())
			}
			if err := wire.LookIfThere(root, look); err != nil {
				return err
			}
			view.Schedule = scheduleStatus(c.Context, sh, root, view.latest)
			view.Backup = backup.Look(filepath.Join(root, ".evolve"))
			if view.Notify, err = notifyState(root); err != nil {
				return err
			}
			if view.Live, err = wire.LiveLimits(root, sh.Now()); err != nil {
				sh.Log.Warn("cannot show how limits affected live turns", "error", err)
			}
			return sh.show(view, func() { printStatus(sh.console, view) })
		},
	}
}

// fill reads all parts of the status from the archive.
func (v *statusView) fill(ctx context.Context, a *archive.Archive, w *workspace.Workspace, now time.Time) error {
	if err := a.VerifyLatest(ctx, statusEntries); err != nil {
		return fmt.Errorf("verifying the ledger: %w", err)
	}
	if err := a.Refused(); errors.Is(err, archive.ErrDisk) {
		v.Refused = err.Error()
	}
	proposals, err := allProposals(ctx, a)
	if err != nil {
		return err
	}
	if err := v.fillDecisions(ctx, readOnce{a, proposals}, w, now); err != nil {
		return err
	}
	src, err := asTheyAre(ctx, a)
	if err != nil {
		return err
	}
	var runs []archive.Run
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if runs = append(runs, r); len(runs) == statusLooks {
			break
		}
	}
	if len(runs) > 0 {
		v.latest = runs[0]
	}
	if err := v.confirmation(ctx, a, w, runs, now); err != nil {
		return err
	}
	if v.Watch, err = watched(ctx, readOnce{a, proposals}, runs); err != nil {
		return err
	}
	for i, r := range runs[:min(statusRuns, len(runs))] {
		line, err := runLineOf(ctx, a, r, now)
		if err != nil {
			return err
		}
		if i == 0 && r.State == archive.RunInterrupted { // only the latest run can continue
			line.Next = "evolve run --resume"
		}
		v.Running = v.Running || r.State == archive.RunRunning
		v.Runs = append(v.Runs, line)
	}
	return nil
}

// readOnce is an archive whose proposals were already read.
type readOnce struct {
	*archive.Archive
	proposals []archive.ProposalRecord
}

// Proposals is [archive.Archive.Proposals].
func (r readOnce) Proposals(context.Context) iter.Seq2[archive.ProposalRecord, error] {
	return func(yield func(archive.ProposalRecord, error) bool) {
		for _, p := range r.proposals {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// fillDecisions reads the proposals that await a decision, the adopted ones, and the
// unfinished decisions.
func (v *statusView) fillDecisions(ctx context.Context, read readOnce, w *workspace.Workspace, now time.Time) (err error) {
	a := read.Archive
	if v.Waiting, err = model.ListWaiting(ctx, read, "", now); err != nil {
		return fmt.Errorf("reading the waiting proposals: %w", err)
	}
	for i := range v.Waiting {
		moved, known, err := movedSince(ctx, loaded(w), a, v.Waiting[i].Proposal)
		if err != nil {
			return err
		}
		if known {
			v.Waiting[i].Stale = moved
		}
	}
	if v.Awaiting, err = linesIn(ctx, a, read.proposals, undecided); err != nil {
		return err
	}
	if err := markStale(ctx, w, a, v.Awaiting); err != nil {
		return err
	}
	for _, p := range read.proposals {
		if i := slices.IndexFunc(v.Awaiting, func(l proposalLine) bool { return l.ID == p.ID }); i >= 0 {
			v.Awaiting[i].Moved, v.Awaiting[i].Blocked = v.moved(p)
		}
		if p.Patch != nil && p.State == archive.Drafted && p.Imported == "" {
			moved, _ := v.moved(p)
			v.Drafts = append(v.Drafts, draftLine{p.ID, p.Title, p.Patch.Waits, moved})
		}
	}
	if v.Adopted, err = linesIn(ctx, a, read.proposals, func(p archive.ProposalRecord) bool {
		return p.State == archive.Adopted && p.Kind != archive.KindAutonomy
	}); err != nil {
		return err
	}
	if v.Unfinished, err = wire.UnfinishedDecisions(ctx, a); err != nil {
		return err
	}
	if err := v.fillLevels(ctx, a, now); err != nil {
		return err
	}
	return forEach("change requests", a.Requests(ctx), func(r archive.ChangeRequestRecord) {
		if r.State == archive.RequestOpen {
			v.Requests++
		}
	})
}

// runLineOf returns the line of a run, with its limits and agents.
func runLineOf(ctx context.Context, a *archive.Archive, r archive.Run, now time.Time) (runLine, error) {
	line := runLine{Run: r.ID, Number: r.Number, State: r.State, Exit: r.Exit, Started: r.Started, Ended: r.Ended, Reason: r.Reason, Budget: r.BudgetEval, Agents: []agentLine{}}
	var err error
	if line.Limits, err = limitLines(ctx, a, r, now); err != nil {
		return line, err
	}
	for _, id := range r.Agents {
		found, err := agentLineOf(ctx, a, r.ID, id)
		if err != nil {
			return line, err
		}
		for _, l := range r.Limits {
			if l.Agent == id && !r.Ended.IsZero() {
				found.Limit = model.LimitWords(l)
			}
		}
		line.Agents = append(line.Agents, found)
	}
	return line, nil
}

// confirmation adds to v the candidates and entries of every agent in the runs. w is nil if
// the workspace cannot be loaded.
func (v *statusView) confirmation(ctx context.Context, a *archive.Archive, w *workspace.Workspace, runs []archive.Run, now time.Time) error {
	var seen []string
	for _, r := range runs {
		for _, id := range r.Agents {
			if slices.Contains(seen, id) {
				continue
			}
			seen = append(seen, id)
			lines, left, err := confirmations(ctx, a, id, championOf(w, id), runs, now)
			if err != nil {
				return err
			}
			v.Confirming = append(v.Confirming, lines...)
			if left != nil {
				v.Entries = append(v.Entries, *left)
			}
		}
	}
	return nil
}

func agentLineOf(ctx context.Context, a *archive.Archive, run, id string) (agentLine, error) {
	line := agentLine{Agent: id}
	plan, err := a.Plan(ctx, run, id)
	if errors.Is(err, archive.ErrNotFound) {
		return line, nil
	}
	if err != nil {
		return line, fmt.Errorf("reading a plan: %w", err)
	}
	tally, err := a.Tally(ctx, run, id)
	if err != nil {
		return line, err
	}
	line.Evaluations = tally.Used()
	champion, err := a.Variant(ctx, id, plan.Champion)
	if err == nil {
		line.Champion = fmt.Sprintf("v%d", champion.Number)
	} else if !errors.Is(err, archive.ErrNotFound) {
		return line, fmt.Errorf("reading the champion: %w", err)
	}
	result, err := a.Result(ctx, run, id)
	if errors.Is(err, archive.ErrNotFound) {
		return line, nil
	}
	if err != nil {
		return line, fmt.Errorf("reading a result: %w", err)
	}
	line.Reason = named(ctx, a, id, result.Reason)
	if plan.Metric != nil {
		line.Reason = stats.OfCases(line.Reason)
	}
	var proposals []archive.ProposalRecord
	for _, proposal := range result.Proposals {
		p, err := a.Proposal(ctx, proposal)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return line, fmt.Errorf("reading a proposal: %w", err)
		}
		proposals = append(proposals, p)
	}
	line.Verdict = model.VerdictNow(result.Verdict, proposals)
	if line.Verdict == archive.Refused && result.Verdict != archive.Refused {
		line.Reason = model.RefusedLater(proposals[0].ID)
	}
	waited, err := model.Waited(ctx, a, plan.Waits)
	if err != nil {
		return line, err
	}
	line.Reason = model.SinceDecided(line.Reason, waited) + model.OutdatedWords(proposals) + model.WithdrawnWords(proposals)
	return line, nil
}

func printStatus(con *console, v statusView) {
	printFaulty(con, v.Faulty)
	unsigned := v.Signed != nil && v.Signed.Fault != ""
	if unsigned {
		printSigned(con, v.Signed)
	}
	if v.Refused != "" {
		con.printf("! the archive was not closed, and it could not be repaired: %s\n  the archive is shown as it is now; nothing that was recorded is lost\n\n", text.Visible(v.Refused))
	}
	for _, u := range v.Unfinished {
		con.printf("unfinished: %s\n            %s finishes it, and so does any command that records something\n", u.String(), con.command(u.Next))
	}
	printWatch(con, v.Watch)
	printWaiting(con, v.Waiting)
	if len(v.Runs)+len(v.Awaiting)+len(v.Drafts)+len(v.Adopted) == 0 {
		con.printf("nothing has run in this workspace yet\n\n  next    %s\n", con.command(orElse("evolve run", "evolve doctor", v.Faulty == nil)))
	} else {
		printAwaiting(con, v.Awaiting)
		printDrafts(con, v.Drafts)
		printConfirmation(con, v)
		printRuns(con, v.Runs)
		printBackup(con, v.Backup)
		printAdopted(con, v.Adopted)
	}
	printSchedule(con, v.Schedule)
	printNotify(con, v.Notify)
	printLiveLimits(con, v.Live)
	printLevels(con, v.Levels)
	if v.Requests > 0 {
		con.printf("\n%s from agents %s open: %s\n", count(v.Requests, "change request"), orElse("is", "are", v.Requests == 1), con.command("evolve requests list"))
	}
	if !unsigned {
		printSigned(con, v.Signed)
	}
}

func printAwaiting(con *console, list []proposalLine) {
	if len(list) == 0 {
		con.printf("nothing awaits a decision\n")
	}
	for _, p := range list {
		con.printf("%s awaits a decision: %s\n", p.ID, text.Visible(p.Title))
		printLost(con, p)
		if words := claimWords(p.Claim, p.broken); words != "" {
			con.printf("    %s\n", words)
		}
		printPrice(con, "    ", p.Price)
		if p.Moved != "" {
			con.printf("    %s\n", text.Visible(p.Moved))
		}
		if p.Branch != nil && len(p.Stale) == 0 {
			con.printf("    %s\n    %s\n", text.Visible(p.Branch.Words()), con.command("evolve show "+p.ID))
			continue
		}
		next := "evolve approve " + p.ID
		if p.State == archive.HumanLane {
			next += ` --override-reason "…"`
		}
		next = con.command(next)
		if len(p.Stale) > 0 {
			next = "stale: it cannot be approved; " + con.command("evolve run") + " may measure it again"
		}
		if p.Blocked {
			next = "it cannot be approved as it is; reject it: " + con.command("evolve reject "+p.ID+` --reason "…"`)
		}
		con.printf("    %s\n    %s\n", con.command("evolve show "+p.ID), next)
	}
}

func printDrafts(con *console, list []draftLine) {
	for _, d := range list {
		con.printf("%s waits for its gates: %s\n", d.ID, text.Visible(d.Title))
		con.printf("    %s; the next night resumes the patch\n", text.Visible(orElse(d.Waits, "its gates are running or were interrupted", d.Waits != "")))
		if d.Moved != "" {
			con.printf("    %s\n", text.Visible(d.Moved))
		}
		con.printf("    %s\n", con.command("evolve show "+d.ID))
	}
}

func printRuns(con *console, runs []runLine) {
	if len(runs) > 0 {
		con.printf("\nlast runs\n")
	}
	for _, r := range runs {
		con.printf("  %-12s  %s  %s", r.Run, r.Started.Local().Format("_2 Jan 15:04"), r.State)
		if r.Exit != 0 && !r.Ended.IsZero() { // a process that died left no exit code
			con.printf(" (exit %d)", r.Exit)
		}
		con.printf("\n")
		if words := limitWords(r.Limits); words != "" {
			con.printf("      limits  %s\n", words)
		}
		if r.Next != "" {
			con.printf("      %s; %s continues it\n", text.Visible(r.Reason), con.command(r.Next))
		} else if r.State != archive.RunDone && r.Reason != "" && !slices.ContainsFunc(r.Agents, func(a agentLine) bool { return strings.Contains(a.Reason, r.Reason) }) {
			con.printf("      %s\n", text.OneLine(r.Reason))
		}
		for _, a := range r.Agents {
			con.printf("      %s  %s", text.Visible(a.Agent), orDash(a.Champion))
			if a.Verdict != "" {
				printReason(con, a)
			}
			con.printf("\n")
			if a.Limit != "" {
				con.printf("      limit   %s\n", text.Visible(a.Limit))
			}
		}
	}
}

func printAdopted(con *console, list []proposalLine) {
	if len(list) > 0 {
		con.printf("\nadopted\n")
	}
	for _, p := range list {
		next := con.command("evolve rollback " + p.ID)
		if p.Imported {
			next = "imported, as stated in the export; " + con.command("evolve show "+p.ID)
		}
		con.printf("  %-4s %s     %s\n", p.ID, text.Visible(p.Title), next)
	}
}

// printWaiting begins the status with what awaits a person, the oldest first.
func printWaiting(con *console, list []model.Waiting) {
	const most = 3
	for i, w := range list {
		if i == most {
			con.printf("%d more: %s\n", len(list)-most, con.command("evolve proposals"))
			break
		}
		line := con.localHint(w.Words())
		if len(w.Stale) == 0 {
			line += ", " + con.command(w.Command)
		}
		con.printf("%s\n", line)
	}
	if len(list) > 0 {
		con.printf("\n")
	}
}

// printReason ends an agent's line with the verdict and its reason. If lines are folded,
// it prints the verdict and the reason below the line.
func printReason(con *console, a agentLine) {
	reason := fmt.Sprintf("%s: %s", a.Verdict, text.Visible(a.Reason))
	con.printf("%s%s", orElse("  ", "\n        ", con.width() == 0), reason)
}

// printConfirmation shows the candidates whose confirmation continues, and how many more
// may enter the confirmation.
func printConfirmation(con *console, v statusView) {
	if len(v.Confirming)+len(v.Entries) == 0 {
		return
	}
	con.printf("\nconfirmation\n")
	for _, c := range v.Confirming {
		name := fmt.Sprintf("v%d", c.Number)
		if c.Number == 0 {
			name = text.Visible(agent.ConfigID(c.Variant).Short())
		}
		con.printf("  %s  %s  each task has run %s so far, which gives %d %% of the evidence needed", text.Visible(c.Agent), name, text.Times(c.Blocks), c.share())
		if c.State == stats.Parked {
			con.printf(", parked")
		}
		con.printf("\n")
	}
	for _, e := range v.Entries {
		con.printf("  %s  %d confirmations left of the %d allowed within any %d days\n", text.Visible(e.Agent), e.Left, e.Most, e.Days)
	}
}
