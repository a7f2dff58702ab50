// Typed outputs on GitLab: labels, assignees, reviewers and issues, by a token that the workflow gives.
// https://docs.gitlab.com/api/issues, …/api/merge_requests, …/api/users (2026-11-28)

import * as z from "zod/mini";
import { isSameLogin } from "../job/outputs/on-subject.ts";
import {
  type FiledIssue,
  NotWritten,
  type OutputsHost,
  type SubjectPlace,
} from "../job/outputs/outputs-host.ts";
import type { GitLabApi } from "./gitlab-api.ts";
import { withoutQuickActions } from "./inert-actions.ts";
import { permitted, roleAdvice } from "./token-advice.ts";
import { readViewer } from "./viewer.ts";

/** Of a hundred issues each, the newest first. */
const MAX_ISSUE_PAGES = 10;

const personSchema = z.object({ id: z.int(), username: z.string() });
type Person = z.infer<typeof personSchema>;
const subjectSchema = z.object({
  state: z.string(),
  labels: z.array(z.string()),
  assignees: z.optional(z.array(personSchema)),
  reviewers: z.optional(z.array(personSchema)),
});
type Subject = z.infer<typeof subjectSchema>;
const issueSchema = z.object({
  iid: z.int(),
  web_url: z.string(),
  state: z.string(),
  title: z.string(),
  description: z.optional(z.nullable(z.string())),
  author: z.nullable(z.object({ id: z.int() })),
});

/** What the flow needs of GitLab, by the account of the token alone. */
export function gitlabOutputs(api: GitLabApi): OutputsHost {
  return {
    nameOf,
    // "Bug" and "bug" are two labels.
    isSameLabel: (one, other) => one === other,
    inert: withoutQuickActions,
    ...subjectCalls(api),
    ...issueCalls(api),
    writeOwn: async ({ type }) => {
      throw new NotWritten(`GitLab has no output "${type}".`);
    },
  };
}

function subjectCalls(
  api: GitLabApi,
): Pick<OutputsHost, "readSubject" | "addLabels" | "assign" | "readReviewers" | "requestReviews"> {
  const mergeRequest = (number: number): SubjectPlace => ({ number, isPullRequest: true });
  return {
    readSubject: async (place) => {
      const { state, labels, assignees = [] } = await readSubject(api, place);
      return { isOpen: state === "opened", labels, assignees: assignees.map(({ username }) => username) };
    },
    addLabels: async (place, labels) => {
      const { labels: there } = await change(api, place, { add_labels: labels.join(",") });
      // A role that may change the issue and not its labels leaves them out, without a word.
      const left = labels.filter((label) => !there.includes(label));
      if (left.length > 0)
        throw new NotWritten(`GitLab did not add ${left.join(", ")}. ${roleAdvice(place)}`);
    },
    assign: async (place, logins) => {
      const added = await idsOf(api, logins);
      const { assignees: before = [] } = await readSubject(api, place);
      const ids = unionOf(before, added);
      const { assignees: after = [] } = await change(api, place, { assignee_ids: ids });
      refuseLeft(logins, { after, what: "assigned", place });
    },
    readReviewers: async (number) => {
      const { reviewers = [] } = await readSubject(api, mergeRequest(number));
      return reviewers.map(({ username }) => username);
    },
    requestReviews: async (number, reviewers) => {
      const place = mergeRequest(number);
      const added = await idsOf(api, reviewers);
      const { reviewers: before = [] } = await readSubject(api, place);
      const ids = unionOf(before, added);
      const { reviewers: after = [] } = await change(api, place, { reviewer_ids: ids });
      refuseLeft(reviewers, { after, what: "asked for a review", place });
    },
  };
}

function issueCalls(api: GitLabApi): Pick<OutputsHost, "closeIssue" | "ownIssues" | "createIssue"> {
  const place = (number: number): SubjectPlace => ({ number, isPullRequest: false });
  return {
    // GitLab keeps no reason.
    closeIssue: async (number) => {
      const { state } = await change(api, place(number), { state_event: "close" });
      if (state !== "closed")
        throw new NotWritten(`GitLab did not close #${number}. ${roleAdvice(place(number))}`);
    },
    ownIssues: () => permitted(place(0), readOwnIssues(api)),
    createIssue: async ({ title, body }) => {
      const write = { method: "POST", path: "/issues", body: { title, description: body } } as const;
      return filedIssue(await permitted(place(0), api.write(write, issueSchema)));
    },
  };
}

async function readSubject(api: GitLabApi, place: SubjectPlace): Promise<Subject> {
  const found = await permitted(place, api.read(pathOf(place), subjectSchema));
  if (found !== null) return found;
  throw new NotWritten(`GitLab shows no ${nameOf(place)} to the token. ${roleAdvice(place)}`);
}

async function change(api: GitLabApi, place: SubjectPlace, body: object): Promise<Subject> {
  return await permitted(place, api.write({ method: "PUT", path: pathOf(place), body }, subjectSchema));
}

async function readOwnIssues(api: GitLabApi): Promise<readonly FiledIssue[]> {
  const { id } = await readViewer(api);
  const found: FiledIssue[] = [];
  const path = `/issues?author_id=${id}&scope=all&state=all&order_by=created_at&sort=desc`;
  for await (const issue of api.items(path, issueSchema, MAX_ISSUE_PAGES))
    if (issue.author?.id === id) found.push(filedIssue(issue));
  return found;
}

function filedIssue({
  iid,
  web_url: url,
  state,
  title,
  description,
}: z.infer<typeof issueSchema>): FiledIssue {
  return { number: iid, url, isOpen: state === "opened", title, body: description ?? "" };
}

/** GitLab takes accounts by their ids. Looked up one by one: no other form is an exact one. */
async function idsOf(api: GitLabApi, logins: readonly string[]): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const login of logins) {
    const path = `/users?username=${encodeURIComponent(login)}`;
    const found = await permitted(null, api.readGlobal(path, z.array(personSchema)));
    const person = found.find(({ username }) => isSameLogin(username, login));
    if (person === undefined)
      throw new NotWritten(`GitLab knows no user ${login}. Correct the name in "outputs", or take it out.`);
    ids.push(person.id);
  }
  return ids;
}

/** A change replaces the whole list. */
function unionOf(before: readonly Person[], added: readonly number[]): readonly number[] {
  return [...new Set([...before.map(({ id }) => id), ...added])];
}

/** GitLab leaves out who may not be there, without a word. */
function refuseLeft(
  wanted: readonly string[],
  { after, what, place }: { after: readonly Person[]; what: string; place: SubjectPlace },
): void {
  const left = wanted.filter((login) => !after.some(({ username }) => isSameLogin(username, login)));
  if (left.length === 0) return;
  throw new NotWritten(
    `GitLab has not ${what} ${left.join(", ")}: it takes nobody without access to the project, and without GitLab Premium one person alone. ` +
      `Give access, or take them out of "outputs". ${roleAdvice(place)}`,
  );
}

function pathOf({ number, isPullRequest }: SubjectPlace): string {
  return `/${isPullRequest ? "merge_requests" : "issues"}/${number}`;
}

function nameOf({ number, isPullRequest }: SubjectPlace): string {
  return `${isPullRequest ? "!" : "#"}${number}`;
}
