// The page of a run whose request and events are deleted, for its account: what the record still says, and that there is nothing to
// repeat.

import { html, raw } from "hono/html";
import { el, toHtml } from "../../../../../render/html/element.ts";
import { aboutSection } from "../../../../../render/run-page/about-section.ts";
import { deliverySection } from "../../../../../render/run-page/delivery-section.ts";
import { costOf } from "../../../../../render/run-page/sections.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { toRun } from "../../../shared/run-view.ts";
import { page } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import { stateOf } from "../agent/run-list.ts";

const DAY_MS = 24 * 60 * 60_000;

export async function expiredPage(
  context: WebContext,
  { run: record, agent }: { readonly run: RunRecord; readonly agent: Pick<Agent, "id" | "name"> | null },
): Promise<Response> {
  const run = toRun(record);
  const { mark, tone, words } = stateOf(run);
  const title = `${words[0]?.toUpperCase()}${words.slice(1)}`;
  const days = Math.ceil(context.get("parts").core.policy.keptMs / DAY_MS);
  const anew = agent === null ? null : el("a", { href: `/agent/${agent.id}` }, "Ask its agent anew");
  const body = el(
    "article",
    { class: "run", "data-tone": tone },
    agent === null ? null : el("p", { class: "crumbs" }, el("a", { href: `/agent/${agent.id}` }, agent.name)),
    el("h1", {}, el("span", { "aria-hidden": "true" }, `${mark} `), title),
    el("section", {}, ...aboutSection(run.about)),
    el(
      "p",
      { class: "note" },
      `What this run was asked, what it said and what it did are deleted: the service keeps them for ${days === 1 ? "a day" : `${days} days`}. So it cannot be asked for once more. `,
      anew,
      anew === null ? null : ".",
    ),
    el("section", {}, ...deliverySection(run.delivery)),
    el("section", {}, ...costOf(run)),
  );
  const session = await sessionOf(context);
  return await page(context, { title: `${mark} ${title}`, body: html`${raw(toHtml(body))}`, session });
}
