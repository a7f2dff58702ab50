// The delivery of a run's job, with links, on the run's page. It is the job's word. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { RunDelivery } from "../../contract/runs/delivery.ts";
import { countsText } from "../../report/findings.ts";
import { type Contents, el, outerLink } from "../html/element.ts";

const MAX_NAME_CHARS = 255;

/** Nothing while the job has not reported. */
export function deliverySection(delivery: RunDelivery | undefined): readonly Contents[] {
  if (delivery?.state !== "reported") return [];
  const { pushed, pull_request: pullRequest, comment_url: commentUrl, check_run: check, findings } = delivery;
  const rows: readonly (readonly [string, Contents])[] = [
    ...(pushed === undefined ? [] : [["Pushed", pushedText(pushed)] as const]),
    ...(pullRequest === undefined
      ? []
      : [["Pull request", outerLink(pullRequest.url, [`#${pullRequest.number}`])] as const]),
    ...(commentUrl === undefined ? [] : [["Comment", outerLink(commentUrl, ["the reply"])] as const]),
    ...(check === undefined
      ? []
      : [["Check run", outerLink(check.url, [singleLine(check.conclusion, MAX_NAME_CHARS)])] as const]),
    ...(findings === undefined ? [] : [["Findings", findingsText(findings)] as const]),
  ];
  if (rows.length === 0) return [];
  return [
    el("h2", {}, "Delivered"),
    el("dl", {}, ...rows.flatMap(([name, what]) => [el("dt", {}, name), el("dd", {}, what)])),
    el("p", { class: "faint" }, "As its job has reported."),
  ];
}

type Reported = Extract<RunDelivery, { state: "reported" }>;

function pushedText({ branch, sha, url }: NonNullable<Reported["pushed"]>): Contents {
  const commit = el("code", {}, sha.slice(0, 7));
  return [
    url === undefined ? commit : outerLink(url, [commit]),
    " to ",
    el("code", {}, singleLine(branch, MAX_NAME_CHARS)),
  ];
}

/** "#131: 2 open (1 new), 3 fixed", as the check run says it. Of a first review: "#131: 2 open". */
function findingsText({ pull_request: number, ...counts }: NonNullable<Reported["findings"]>): string {
  const first = counts.new === 0 ? "none" : `${counts.new} open`;
  return `#${number}: ${countsText(counts) || first}`;
}
