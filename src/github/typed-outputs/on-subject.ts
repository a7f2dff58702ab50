// Labels, assignees, reviewers and the end of the issue or pull request that the job is about. What is there already is not written again.
// https://docs.github.com/en/rest/issues/labels, …/issues/assignees, …/pulls/review-requests (2026-11-27)

import * as z from "zod/mini";
import type { OutputOf } from "../../contract/runs/typed-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import { NotWritten, type OutputsOptions, permitted } from "./outputs-context.ts";

const MAX_REVIEW_PAGES = 3;
const TEAM = "team/";

const namedSchema = z.object({ name: z.string() });
const personSchema = z.object({ login: z.string() });
const issueSchema = z.object({
  state: z.string(),
  labels: z.optional(z.array(namedSchema)),
  assignees: z.optional(z.array(personSchema)),
});
const pullSchema = z.object({ user: z.nullable(personSchema) });
const requestedSchema = z.object({
  users: z.array(personSchema),
  teams: z.array(z.object({ slug: z.string() })),
});
const reviewSchema = z.object({ user: z.nullable(personSchema) });

type OnSubject = Pick<OutputsOptions, "api"> & {
  readonly number: number;
  readonly isPullRequest: boolean;
};

export async function addLabels(
  { api, number, isPullRequest }: OnSubject,
  { labels }: OutputOf<"labels">,
): Promise<WrittenOutput> {
  const permission = isPullRequest ? "pull-requests" : "issues";
  const there = (await readIssue({ api, number, isPullRequest })).labels ?? [];
  const missing = labels.filter((label) => !there.some(({ name }) => isSame(name, label)));
  if (missing.length === 0) return done("labels", `The labels are there: ${labels.join(", ")}.`);
  const path = `/issues/${number}/labels`;
  const write = { method: "POST", path, body: { labels: missing }, isRepeatable: true } as const;
  await permitted(permission, api.write(write, z.array(namedSchema)));
  return done("labels", `Added to #${number}: ${missing.join(", ")}.`);
}

export async function assignUsers(
  { api, number, isPullRequest }: OnSubject,
  { logins }: OutputOf<"assign">,
): Promise<WrittenOutput> {
  const permission = isPullRequest ? "pull-requests" : "issues";
  const there = (await readIssue({ api, number, isPullRequest })).assignees ?? [];
  const missing = logins.filter((login) => !there.some((one) => isSame(one.login, login)));
  if (missing.length === 0) return done("assign", `Assigned already: ${logins.join(", ")}.`);
  const path = `/issues/${number}/assignees`;
  const write = { method: "POST", path, body: { assignees: missing }, isRepeatable: true } as const;
  const { assignees = [] } = await permitted(permission, api.write(write, issueSchema));
  // GitHub leaves out those who cannot be assigned, without a word.
  const left = missing.filter((login) => !assignees.some((one) => isSame(one.login, login)));
  if (left.length > 0)
    throw new NotWritten(
      `GitHub assigns nobody without access to the repository: ${left.join(", ")}. Give access, or take them out of "outputs".`,
    );
  return done("assign", `Assigned to #${number}: ${missing.join(", ")}.`);
}

export async function closeIssue(
  { api, number, isPullRequest }: OnSubject,
  { reason }: OutputOf<"close">,
): Promise<WrittenOutput> {
  const { state } = await readIssue({ api, number, isPullRequest });
  if (state === "closed") return done("close", `#${number} is closed already.`);
  const body = { state: "closed", state_reason: reason };
  const write = { method: "PATCH", path: `/issues/${number}`, body, isRepeatable: true } as const;
  await permitted("issues", api.write(write, issueSchema));
  return done("close", `Closed #${number} as ${reason}.`);
}

/** Who has reviewed is not asked again. */
export async function requestReviewers(
  { api, number }: OnSubject,
  { reviewers }: OutputOf<"reviewers">,
): Promise<WrittenOutput> {
  const permission = "pull-requests";
  const path = `/pulls/${number}/requested_reviewers`;
  const pull = await permitted(permission, api.read(`/pulls/${number}`, pullSchema));
  const author = pull?.user?.login ?? "";
  if (reviewers.some((one) => isSame(one, author)))
    throw new NotWritten(`${author} wrote #${number}, and GitHub requests no review from its author.`);
  const asked = await permitted(permission, api.read(path, requestedSchema));
  const there = [
    ...(asked?.users.map(({ login }) => login) ?? []),
    ...(asked?.teams.map(({ slug }) => `${TEAM}${slug}`) ?? []),
  ];
  for await (const { user } of api.items(`/pulls/${number}/reviews`, reviewSchema, MAX_REVIEW_PAGES))
    if (user !== null) there.push(user.login);
  const missing = reviewers.filter((one) => !there.some((other) => isSame(one, other)));
  if (missing.length === 0) return done("reviewers", `Requested already: ${reviewers.join(", ")}.`);
  const teams = missing.filter((one) => one.startsWith(TEAM)).map((one) => one.slice(TEAM.length));
  const people = missing.filter((one) => !one.startsWith(TEAM));
  const body = { reviewers: people, team_reviewers: teams };
  const write = api.write({ method: "POST", path, body, isRepeatable: true }, z.object({}));
  await permitted(permission, write).catch((cause: unknown) => {
    if (teams.length === 0 || !(cause instanceof NotWritten)) throw cause;
    throw new NotWritten(
      `${cause.message} For a team, "github-token" has to be that of a GitHub App which may read the organization's members: the job's own token may not.`,
      { cause },
    );
  });
  return done("reviewers", `Review of #${number} requested: ${missing.join(", ")}.`);
}

async function readIssue({ api, number, isPullRequest }: OnSubject): Promise<z.infer<typeof issueSchema>> {
  const permission = isPullRequest ? "pull-requests" : "issues";
  const issue = await permitted(permission, api.read(`/issues/${number}`, issueSchema));
  if (issue !== null) return issue;
  throw new NotWritten(
    `GitHub shows no #${number} to this job. Add "${permission}: write" to the "permissions:" of this job, then re-run it.`,
  );
}

/** GitHub tells no labels and no logins apart by their case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function done(type: WrittenOutput["type"], text: string): WrittenOutput {
  return { type, text, url: null };
}
