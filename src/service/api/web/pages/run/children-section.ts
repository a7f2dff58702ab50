// The runs that a run has delegated to. Only the owner gets links to them. Pure.

import { type Contents, el } from "../../../../../render/html/element.ts";
import { durationText, plural } from "../../../../../render/quantities.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";

export function childrenSection(children: readonly RunRecord[], { isOwner }: { isOwner: boolean }): Contents {
  if (children.length === 0) return null;
  return el(
    "section",
    { id: "children" },
    el("h2", {}, `Delegated: ${plural(children.length, "run")}`),
    el("ul", {}, ...children.map((child, index) => el("li", {}, childText(child, { isOwner, index })))),
  );
}

function childText(child: RunRecord, { isOwner, index }: { isOwner: boolean; index: number }): Contents {
  const { id, agentId, status, startedAt, endedAt } = child;
  const took = startedAt === null || endedAt === null ? "" : `, ${durationText(endedAt - startedAt)}`;
  const name = `No. ${index + 1}`;
  return [
    isOwner ? el("a", { href: runPagePath({ agentId, runId: id }) }, name) : name,
    `: ${status}${took}`,
  ];
}
