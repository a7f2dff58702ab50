// Findings as a check run of the reviewed commit, which the rules of a branch can require.
// https://docs.github.com/en/rest/checks/runs

import * as z from "zod/mini";
import { excerpt } from "../../base/bounded-text.ts";
import { singleLine, visibleText } from "../../base/untrusted-text.ts";
import type { NewCheck } from "../../job/findings/reviews-host.ts";
import { openLine, publishedLine } from "../../render/findings-table.ts";
import { inlineCode, link } from "../../render/markdown.ts";
import { plural } from "../../render/quantities.ts";
import {
  convergence,
  type Finding,
  isShut,
  type OpenFinding,
  type Severity,
  severityCounts,
  type WrittenCheck,
} from "../../report/findings.ts";
import type { GitHubApi } from "../api/github-api.ts";

/** GitHub takes so many in one request. */
const ANNOTATIONS_PER_CALL = 50;
const MAX_TITLE_CHARS = 255;
const MAX_MESSAGE_CHARS = 16_000;
const LEVELS: Readonly<Record<Severity, string>> = { error: "failure", warning: "warning", notice: "notice" };

const checkRunSchema = z.object({ id: z.int(), html_url: z.nullable(z.string()) });
const listSchema = z.object({
  check_runs: z.array(
    z.object({
      external_id: z.nullable(z.string()),
      html_url: z.nullable(z.string()),
      conclusion: z.nullable(z.string()),
    }),
  ),
});

type CheckRunOptions = NewCheck & {
  readonly api: GitHubApi;
  /** The name in the list of checks, and in the rules of a branch. */
  readonly name: string;
  readonly headSha: string;
  readonly jobUrl: string;
};

/** Rejects with GitHubError. Safe to repeat: a run has one check run. */
export async function writeCheckRun(options: CheckRunOptions): Promise<WrittenCheck> {
  const { api, name, headSha, runId, published, threshold } = options;
  const written = await findWritten(options);
  if (written !== null) return written;
  const all = [...published.fresh, ...published.open.map(openAnnotation)];
  const isClear = all.length === 0 && published.unread === null;
  const conclusion = isShut(published, threshold) ? "failure" : isClear ? "success" : "neutral";
  const output = (some: readonly Annotated[]) => ({
    title: titleOf(options),
    summary: summaryOf(options),
    annotations: some.map(annotationOf),
  });
  const { id, html_url: url } = await api.write(
    {
      method: "POST",
      path: "/check-runs",
      body: {
        name,
        head_sha: headSha,
        external_id: runId,
        status: "completed",
        conclusion,
        output: output(all.slice(0, ANNOTATIONS_PER_CALL)),
      },
      // GitHub shows the last one of a name.
      isRepeatable: true,
    },
    checkRunSchema,
  );
  for (let from = ANNOTATIONS_PER_CALL; from < all.length; from += ANNOTATIONS_PER_CALL) {
    const body = { output: output(all.slice(from, from + ANNOTATIONS_PER_CALL)) };
    const path = `/check-runs/${id}`;
    await api.write({ method: "PATCH", path, body, isRepeatable: false }, checkRunSchema);
  }
  return { url, conclusion };
}

/** By an earlier attempt to publish the findings of this run. */
async function findWritten({ api, name, headSha, runId }: CheckRunOptions): Promise<WrittenCheck | null> {
  const query = `check_name=${encodeURIComponent(name)}&filter=latest`;
  const found = await api.read(`/commits/${headSha}/check-runs?${query}`, listSchema);
  const own = found?.check_runs.find(({ external_id }) => external_id === runId);
  return own === undefined ? null : { url: own.html_url, conclusion: own.conclusion ?? "neutral" };
}

/** "1 error, 2 notices" of a first review, "2 open (1 new), 3 fixed" of every later one. */
function titleOf({ published }: CheckRunOptions): string {
  const { fresh, open, unread } = published;
  const later = convergence(published);
  if (later !== "") return later;
  if (fresh.length + open.length > 0) return severityCounts([...fresh, ...open]);
  return unread === null ? "No findings" : "Earlier findings are not known";
}

/** The end of the review, the place of its findings, and the job that has the rest. */
function summaryOf({ published, threshold, runId, jobUrl }: CheckRunOptions): string {
  const { fresh } = published;
  const count = fresh.length;
  const found =
    count === 0
      ? "The review found nothing new."
      : `${plural(count, "new finding")}: ${severityCounts(fresh)}.`;
  const open = openLine(published);
  const gate = isShut(published, threshold) ? `"fail-on-severity: ${threshold}" makes that a failure.` : "";
  const origin = `${link("The job", jobUrl)} has the reply and the log of run ${inlineCode(runId)}.`;
  const said = [found, open, published.unread ?? "", gate].filter((text) => text !== "").join(" ");
  return [said, publishedLine(published), origin].filter((section) => section !== "").join("\n\n");
}

type Annotated = Pick<Finding, "path" | "startLine" | "line" | "severity" | "title" | "body">;

function openAnnotation(finding: OpenFinding): Annotated {
  return { ...finding, body: `An earlier review found this, and it is still open: ${finding.url}` };
}

function annotationOf({ path, startLine, line, severity, title, body }: Annotated) {
  const { text } = excerpt(visibleText(body.trim() === "" ? title : body.trim()), MAX_MESSAGE_CHARS);
  return {
    path,
    start_line: startLine,
    end_line: line,
    annotation_level: LEVELS[severity],
    title: singleLine(title, MAX_TITLE_CHARS),
    message: text,
  };
}
