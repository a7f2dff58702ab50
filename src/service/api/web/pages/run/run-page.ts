// The page of a run: folded from its stored events as log and summary are. Finished, it is complete without a script; of
// a run in flight, a script goes on from where it was drawn.

import { Hono } from "hono";
import { html, raw } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import type { Run } from "../../../../../contract/runs/run.ts";
import { type TurnUsage, turnUsageOf } from "../../../../../contract/runs/turn-usage.ts";
import { type Contents, el, toHtml } from "../../../../../render/html/element.ts";
import { aboutSection } from "../../../../../render/run-page/about-section.ts";
import { checksByTitle } from "../../../../../render/run-page/call-element.ts";
import { changesSection } from "../../../../../render/run-page/changes-section.ts";
import { openDiffColours } from "../../../../../render/run-page/diff/syntax/diff-colours.ts";
import { entriesOf } from "../../../../../render/run-page/entries.ts";
import { entryList } from "../../../../../render/run-page/entry-list.ts";
import {
  FORK_PARAMETER,
  type ForkPage,
  forkLinks,
  forkSection,
} from "../../../../../render/run-page/fork-section.ts";
import { groupEntries } from "../../../../../render/run-page/grouping.ts";
import { parkedOf } from "../../../../../render/run-page/parked-section.ts";
import { replySeq } from "../../../../../render/run-page/reply-section.ts";
import { runHeading } from "../../../../../render/run-page/run-heading.ts";
import {
  factsOf,
  isOver,
  liveText,
  type PageRun,
  sectionIds,
  sections,
} from "../../../../../render/run-page/sections.ts";
import { turnsSection } from "../../../../../render/run-page/turns-section.ts";
import { waterfall } from "../../../../../render/run-page/waterfall.ts";
import { RunReportFold } from "../../../../../report/fold-run.ts";
import { resumption } from "../../../../../report/resumption.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import { listApprovals } from "../../../../core/approvals/read-approvals.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { keptTurns } from "../../../../core/runs/fork-run.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { maskedRun } from "../../../shared/masked-events.ts";
import { toRun } from "../../../shared/run-view.ts";
import { scriptPath } from "../../assets.ts";
import { notFoundPage, page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { pendingCards } from "../approve/pending-cards.ts";
import { cancelForm, nextForm, retryForm } from "./action-forms.ts";
import { childrenSection } from "./children-section.ts";
import { continueForm } from "./continue-form.ts";
import { callText, eventsDownload, patchDownload } from "./downloads.ts";
import { expiredPage } from "./expired-page.ts";
import { filesUrlOf } from "./files-url.ts";
import { forkForm } from "./fork-form.ts";
import type { Hindrance } from "./own-form.ts";
import { pushHint } from "./push-hint.ts";
import { type Actions, actionBar, findActions, nextSection } from "./run-actions.ts";
import {
  findExpiredRun,
  findReadableRun,
  isOwn,
  maySendOwn,
  type ReadableRun,
  takeViewToken,
} from "./run-reader.ts";
import { storedEvents, toStoredRunEvent } from "./stored-events.ts";

const MAX_CHILDREN = 50;
/** Pending ones of its agent that are looked through for its own. */
const MAX_APPROVALS = 100;
const MAX_NAME_CHARS = 200;

export function runRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  const path = "/agent/:agentId/runs/:runId";
  const show =
    (answer: (context: WebContext, readable: ReadableRun) => Response | Promise<Response>) =>
    async (context: WebContext) => {
      const { agentId = "", runId = "" } = context.req.param() as Readonly<Record<string, string>>;
      const readable = await findReadableRun(context, { agentId, runId });
      if (readable === null) return await notFoundPage(context, await sessionOf(context));
      return await answer(context, readable);
    };
  routes.get(path, async (context) => {
    const address = context.req.param();
    const taken = takeViewToken(context, address);
    if (taken !== null) return taken;
    const readable = await findReadableRun(context, address);
    if (readable !== null) return await runPage(context, readable, { alert: null });
    const run = await findExpiredRun(context, address);
    if (run === null) return await notFoundPage(context, await sessionOf(context));
    const agent = await context.get("parts").core.store.committed.agents.find(run.agentId);
    return await expiredPage(context, { run, agent });
  });
  routes.post(`${path}/cancel`, cancelForm(runPage));
  routes.post(`${path}/retry`, retryForm(runPage));
  routes.post(`${path}/next`, nextForm(runPage));
  routes.post(`${path}/resume`, continueForm(runPage));
  routes.post(`${path}/fork`, forkForm(runPage));
  routes.get(`${path}/events`, show(eventsDownload));
  routes.get(`${path}/patch`, show(patchDownload));
  routes.get(
    `${path}/calls/:seq{[1-9][0-9]{0,8}}`,
    show((context, readable) => callText(context, readable, Number(context.req.param("seq")))),
  );
  return routes;
}

/** `alert` is what hindered the form that was sent. */
async function runPage(
  context: WebContext,
  readable: ReadableRun,
  { alert, typed = "" }: Hindrance,
): Promise<Response> {
  const { core } = context.get("parts");
  const fold = new RunReportFold();
  const turns: TurnUsage[] = [];
  let lastSeq = 0;
  for await (const events of storedEvents(core, readable, { signal: context.req.raw.signal })) {
    for (const event of events.map(toStoredRunEvent)) {
      fold.add(event);
      const turn = turnUsageOf(event.event);
      if (turn !== null) turns.push(turn);
    }
    lastSeq = events.at(-1)?.seq ?? lastSeq;
  }
  const record = (await core.reads.findRun(readable.run.id)) ?? readable.run;
  const children = await core.store.committed.runs.listChildren({ runId: record.id, limit: MAX_CHILDREN });
  const shown: PageRun = {
    run: awaitedRun(toRun(isOwn(readable) ? record : maskedRun(record)), core.clock.now()),
    report: fold.report,
    base: runPagePath(addressOf(record)),
    mayContinue: maySendOwn(readable, "/agent/:agentId/runs/:runId/resume"),
    filesUrl: filesUrlOf(record),
    drawChanges: (changes, place) => changesSection(changes, { ...place, colours: openDiffColours() }),
  };
  const isLive = !isOver(shown.run);
  const forks: ForkPage = {
    turns: maySendOwn(readable, "/agent/:agentId/runs/:runId/fork") ? await keptTurns(core, record.id) : [],
    entries: entriesOf(shown.report),
    base: shown.base,
    models: core.rates.models.map(({ id }) => id),
    chosen: Number(context.req.query(FORK_PARAMETER) ?? Number.NaN) || null,
  };
  const { icon, text } = runHeading(shown.run, shown.report);
  const agent = isOwn(readable) ? await core.store.committed.agents.find(record.agentId) : null;
  const isDelivering = shown.run.delivery?.state === "expected";
  const actions = await findActions(core, { readable, run: record, agent, isDelivering, typed });
  const input = agent === null ? null : await core.store.committed.runs.findInput(record.id);
  const isInWorkspace = input?.workspace !== undefined;
  const push = pushHint({ run: record, isInWorkspace, agent, report: shown.report });
  const drawn = { readable, agent, children, lastSeq, turns, alert, forks, actions, push };
  const { open, above, below } = pageParts(shown, drawn);
  const waiting = agent === null ? "" : await waitingOf(context, { run: record, agent });
  return await page(context, {
    title: `${icon} ${text}`,
    body: html`${raw(open)}${raw(toHtml(above))}${waiting}${raw(toHtml(below))}</article>`,
    session: await sessionOf(context),
    scripts: push === null ? ["run"] : ["run", "copy"],
    isLive,
    status: alert === null ? 200 : 409,
    // The page of a parked run may have a form that somebody fills in.
    ...headOf(shown.run),
  });
}

/** What this run has asked for and waits for a decision, as it is on the page of approvals. */
async function waitingOf(
  context: WebContext,
  { run, agent }: { readonly run: RunRecord; readonly agent: Agent },
): Promise<Html | ""> {
  const session = await sessionOf(context);
  if (session === null) return "";
  const { core } = context.get("parts");
  const caller = personIn(session);
  const asking = {
    caller,
    agentId: agent.id,
    before: null,
    limit: MAX_APPROVALS,
    status: "pending",
  } as const;
  const { approvals } = await listApprovals(core, asking);
  const own = approvals.filter(
    ({ requestedBy }) => requestedBy.type === "run" && requestedBy.runId === run.id,
  );
  if (own.length === 0) return "";
  const cards = await pendingCards(context, session, {
    approvals: own,
    agents: new Map([[agent.id, agent]]),
  });
  return html`<section aria-label="Waits for a decision">${cards}</section>`;
}

/** A job that has not reported by then is not going to. */
const REPORT_MS = 15 * 60_000;

/** Without the delivery that nobody reports any more. */
function awaitedRun(run: Run, now: number): Run {
  if (run.delivery?.state !== "expected" || !("ended_at" in run)) return run;
  if (now - Date.parse(run.ended_at) < REPORT_MS) return run;
  const { delivery: _never, ...without } = run;
  return without;
}

/** The page of a run in flight without a script, and of one whose job is about to report, look again. */
function headOf(run: Run) {
  if (isOver(run))
    return run.delivery?.state === "expected" ? { head: html`<meta http-equiv="refresh" content="10">` } : {};
  return parkedOf(run) === null
    ? { head: html`<noscript><meta http-equiv="refresh" content="5"></noscript>` }
    : {};
}

function addressOf({ agentId, id }: RunRecord) {
  return { agentId, runId: id };
}

type Drawn = {
  readonly readable: ReadableRun;
  /** Null where it is not shown: to readers by link, and once it is deleted. */
  readonly agent: Pick<Agent, "id" | "name"> | null;
  readonly children: readonly RunRecord[];
  readonly lastSeq: number;
  readonly turns: readonly TurnUsage[];
  readonly alert: Contents;
  readonly forks: ForkPage;
  readonly actions: Actions;
  readonly push: Contents;
};

/** The article's first tag, and what it has above the approvals that wait and below them. */
type PageParts = { readonly open: string; readonly above: Contents; readonly below: Contents };

function pageParts(
  shown: PageRun,
  { readable, agent, children, lastSeq, turns, alert, forks, actions, push }: Drawn,
): PageParts {
  const { run, report, base } = shown;
  const { icon, text, tone } = runHeading(run, report);
  const isOwner = isOwn(readable);
  const live = liveData(shown, readable, lastSeq);
  const article = el("article", { id: "run", class: "run", "data-tone": tone, "data-base": base, ...live });
  const above = [
    agent === null
      ? null
      : el(
          "p",
          { class: "crumbs" },
          el("a", { href: `/agent/${agent.id}` }, singleLine(agent.name, MAX_NAME_CHARS)),
        ),
    alert === null ? null : el("p", { class: "note bad", role: "alert" }, alert),
    el("h1", { id: "verdict" }, el("span", { "aria-hidden": "true" }, `${icon} `), text),
    el(
      "p",
      { class: "facts row" },
      el("span", { id: "facts" }, factsOf(shown)),
      el("span", { class: "end" }, startedText(run)),
    ),
    el("section", { id: "about" }, ...aboutSection(run.about)),
    el("p", { id: "status", class: "faint", role: "status", "aria-live": "polite" }, liveText(run)),
    actionBar(actions),
    push,
    ...sectionIds
      .slice(0, sectionIds.indexOf("approvals") + 1)
      .map((id) => el("section", { id }, ...sections[id](shown))),
  ];
  const below = [
    nextSection(actions),
    el(
      "section",
      { id: "log" },
      el(
        "div",
        { class: "row" },
        el("h2", {}, "What it did"),
        el("a", { class: "end", href: `${base}/events` }, "Download the events"),
      ),
      waterfall(report, groupEntries(forks.entries)),
      el("div", { id: "tools", class: "tools", hidden: true }),
      entryList(forks.entries, {
        base,
        forks: forkLinks(forks),
        facts: { reply: replySeq(shown), checks: checksByTitle(report) },
      }),
    ),
    childrenSection(children, { isOwner }),
    ...sectionIds
      .slice(sectionIds.indexOf("approvals") + 1)
      .map((id) => el("section", { id }, ...sections[id](shown))),
    el("section", { id: "turns" }, ...turnsSection(turns)),
    forkSection(forks),
  ];
  return { open: toHtml(article).slice(0, -"</article>".length), above, below };
}

/** Data from which the script goes on. A finished run needs none of it. */
function liveData(
  { run, report, mayContinue, filesUrl }: PageRun,
  { viewToken }: ReadableRun,
  lastSeq: number,
) {
  if (isOver(run)) return {};
  const { after, known } = resumption(report, lastSeq);
  return {
    "data-run": JSON.stringify(run),
    "data-next": after,
    "data-diff": scriptPath("diff"),
    // How many credits are left is not for everybody.
    "data-known": JSON.stringify({ ...known, quota: null }),
    ...(mayContinue ? { "data-may-continue": true as const } : {}),
    ...(filesUrl === null ? {} : { "data-files": filesUrl }),
    ...(viewToken === null ? {} : { "data-view": viewToken }),
  };
}

function startedText(run: Run): Contents {
  if (!("started_at" in run) || run.started_at === undefined) return null;
  const { started_at: at } = run;
  return el("time", { datetime: at }, `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`);
}
