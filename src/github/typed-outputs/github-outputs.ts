// Typed outputs on GitHub: labels, assignees, reviewers and issues, each with the permission that it needs.
// https://docs.github.com/en/rest/issues/labels, …/issues/assignees, …/issues/issues, …/pulls/review-requests (2026-11-27)

import * as z from "zod/mini";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import { isSameLogin } from "../../job/outputs/on-subject.ts";
import {
  type FiledIssue,
  NotWritten,
  type OutputsHost,
  type OutputsOptions,
  type SubjectPlace,
} from "../../job/outputs/outputs-host.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { jobPage } from "../api/pages.ts";
import { readViewer } from "../api/viewer.ts";
import { dispatchWorkflow } from "./dispatch-workflow.ts";
import { openDiscussion } from "./open-discussion.ts";
import { permitted } from "./permitted.ts";

const MAX_REVIEW_PAGES = 3;
/** Of a hundred issues each, the newest first. */
const MAX_ISSUE_PAGES = 10;
const TEAM = "team/";

const namedSchema = z.object({ name: z.string() });
const personSchema = z.object({ login: z.string() });
const subjectSchema = z.object({
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
const issueSchema = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
  pull_request: z.optional(z.unknown()),
});

export type GitHubOutputsOptions = Omit<OutputsOptions, "host" | "filing"> & {
  readonly api: GitHubApi;
  readonly env: Environment;
  readonly job: CiJob;
  /** The same for each attempt at the same job. */
  readonly runKey: string;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
};

/** What the flow needs of GitHub, for this job. */
export function githubOutputs({ api, env, job, runKey, ...rest }: GitHubOutputsOptions): OutputsOptions {
  const { startedAtMs, ...options } = rest;
  const [workflow = ""] = (env.GITHUB_WORKFLOW_REF ?? "").split("@");
  const filing = {
    place: [workflow, job.job, job.step],
    runKey,
    jobUrl: jobPage(env, api.repository),
  };
  const host: OutputsHost = {
    nameOf: ({ number }) => `#${number}`,
    // GitHub tells no labels apart by their case.
    isSameLabel: (one, other) => one.toLowerCase() === other.toLowerCase(),
    inert: (text) => text,
    ...subjectCalls(api),
    ...issueCalls(api),
    writeOwn: async (output) => {
      if (output.type === "discussion") return await openDiscussion(api, output);
      return await dispatchWorkflow({ api, env, job, startedAtMs }, output.asked);
    },
  };
  return { ...options, host, filing };
}

function subjectCalls(
  api: GitHubApi,
): Pick<OutputsHost, "readSubject" | "addLabels" | "assign" | "readReviewers" | "requestReviews"> {
  return {
    readSubject: async (place) => {
      const permission = permissionOf(place);
      const issue = await permitted(permission, api.read(`/issues/${place.number}`, subjectSchema));
      if (issue === null)
        throw new NotWritten(
          `GitHub shows no #${place.number} to this job. Add "${permission}: write" to the "permissions:" of this job, then re-run it.`,
        );
      return {
        isOpen: issue.state !== "closed",
        labels: issue.labels?.map(({ name }) => name) ?? [],
        assignees: issue.assignees?.map(({ login }) => login) ?? [],
      };
    },
    addLabels: async (place, labels) => {
      const path = `/issues/${place.number}/labels`;
      const write = { method: "POST", path, body: { labels }, isRepeatable: true } as const;
      await permitted(permissionOf(place), api.write(write, z.array(namedSchema)));
    },
    assign: async (place, logins) => {
      const path = `/issues/${place.number}/assignees`;
      const write = { method: "POST", path, body: { assignees: logins }, isRepeatable: true } as const;
      const { assignees = [] } = await permitted(permissionOf(place), api.write(write, subjectSchema));
      // GitHub leaves out those who cannot be assigned, without a word.
      const left = logins.filter((login) => !assignees.some((one) => isSameLogin(one.login, login)));
      if (left.length > 0)
        throw new NotWritten(
          `GitHub assigns nobody without access to the repository: ${left.join(", ")}. Give access, or take them out of "outputs".`,
        );
    },
    readReviewers: (number, wanted) => readReviewers(api, { number, wanted }),
    requestReviews: async (number, reviewers) => {
      const path = `/pulls/${number}/requested_reviewers`;
      const teams = reviewers.filter((one) => one.startsWith(TEAM)).map((one) => one.slice(TEAM.length));
      const people = reviewers.filter((one) => !one.startsWith(TEAM));
      const body = { reviewers: people, team_reviewers: teams };
      const write = api.write({ method: "POST", path, body, isRepeatable: true }, z.object({}));
      await permitted("pull-requests", write).catch((cause: unknown) => {
        if (teams.length === 0 || !(cause instanceof NotWritten)) throw cause;
        throw new NotWritten(
          `${cause.message} For a team, "github-token" has to be that of a GitHub App which may read the organization's members: the job's own token may not.`,
          { cause },
        );
      });
    },
  };
}

async function readReviewers(
  api: GitHubApi,
  { number, wanted }: { number: number; wanted: readonly string[] },
): Promise<readonly string[]> {
  const permission = "pull-requests";
  const pull = await permitted(permission, api.read(`/pulls/${number}`, pullSchema));
  const author = pull?.user?.login ?? "";
  if (wanted.some((one) => isSameLogin(one, author)))
    throw new NotWritten(`${author} wrote #${number}, and GitHub requests no review from its author.`);
  const path = `/pulls/${number}/requested_reviewers`;
  const asked = await permitted(permission, api.read(path, requestedSchema));
  const there = [
    ...(asked?.users.map(({ login }) => login) ?? []),
    ...(asked?.teams.map(({ slug }) => `${TEAM}${slug}`) ?? []),
  ];
  for await (const { user } of api.items(`/pulls/${number}/reviews`, reviewSchema, MAX_REVIEW_PAGES))
    if (user !== null) there.push(user.login);
  return there;
}

function issueCalls(api: GitHubApi): Pick<OutputsHost, "closeIssue" | "ownIssues" | "createIssue"> {
  const permission = "issues";
  return {
    closeIssue: async (number, reason) => {
      const body = { state: "closed", state_reason: reason };
      const write = { method: "PATCH", path: `/issues/${number}`, body, isRepeatable: true } as const;
      await permitted(permission, api.write(write, subjectSchema));
    },
    ownIssues: () => permitted(permission, readOwnIssues(api)),
    createIssue: async (body) => {
      const write = { method: "POST", path: "/issues", body, isRepeatable: false } as const;
      return filedIssue(await permitted(permission, api.write(write, issueSchema)));
    },
  };
}

async function readOwnIssues(api: GitHubApi): Promise<readonly FiledIssue[]> {
  const { id } = await readViewer(api);
  const found: FiledIssue[] = [];
  const path = "/issues?state=all&sort=created&direction=desc";
  for await (const issue of api.items(path, issueSchema, MAX_ISSUE_PAGES))
    if (issue.user?.id === id && issue.pull_request === undefined) found.push(filedIssue(issue));
  return found;
}

function filedIssue({ number, html_url: url, state, title, body }: z.infer<typeof issueSchema>): FiledIssue {
  return { number, url, isOpen: state === "open", title, body: body ?? "" };
}

function permissionOf({ isPullRequest }: SubjectPlace): string {
  return isPullRequest ? "pull-requests" : "issues";
}
