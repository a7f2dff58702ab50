// New discussions of a run, as only GraphQL makes them. Each has a marker by which a re-run of the job finds it.
// https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions (2026-11-27)

import * as z from "zod/mini";
import { filedMarker, isMarked } from "../../job/outputs/filed-marker.ts";
import { filedText, originNote } from "../../job/outputs/filed-text.ts";
import { NotWritten, type OwnOutput } from "../../job/outputs/outputs-host.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { permitted } from "./permitted.ts";

const PERMISSION = "discussions";

const READ =
  "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id " +
  "discussionCategories(first: 100) { nodes { id name } } " +
  "discussions(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) " +
  "{ nodes { number url body viewerDidAuthor } } } }";
const CREATE =
  "mutation($input: CreateDiscussionInput!) { createDiscussion(input: $input) { discussion { number url } } }";

const madeSchema = z.object({ number: z.int(), url: z.string() });
const readSchema = z.object({
  repository: z.object({
    id: z.string(),
    discussionCategories: z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })) }),
    discussions: z.object({
      nodes: z.array(z.extend(madeSchema, { body: z.string(), viewerDidAuthor: z.boolean() })),
    }),
  }),
});
const createdSchema = z.object({ createDiscussion: z.object({ discussion: madeSchema }) });

/** Rejects with NotWritten. Safe to repeat: a job opens it once, in all of its attempts. */
export async function openDiscussion(
  api: GitHubApi,
  { declared, asked, filing, index }: Extract<OwnOutput, { type: "discussion" }>,
): Promise<WrittenOutput> {
  const { category: wanted, title_prefix: prefix = "" } = declared;
  const [owner = "", name = ""] = api.repository.split("/");
  const read = { query: READ, variables: { owner, name } };
  const { repository } = await permitted(PERMISSION, api.graphql(read, readSchema));
  const marker = filedMarker({ ...filing, type: "discussion", index });
  const there = repository.discussions.nodes.find(
    ({ body, viewerDidAuthor }) => viewerDidAuthor && isMarked(body, marker),
  );
  if (there !== undefined)
    return { type: "discussion", text: `#${there.number} was opened before.`, url: there.url };
  const categories = repository.discussionCategories.nodes;
  const category = categories.find((one) => one.name === wanted);
  if (category === undefined)
    throw new NotWritten(
      `The repository has no category of discussions "${wanted}". It has: ${categories.map((one) => one.name).join(", ") || "none"}.`,
    );
  const notes = [originNote(filing.jobUrl)];
  const text = filedText({ asked, prefix, marker, notes, inert: (words) => words });
  const input = { repositoryId: repository.id, categoryId: category.id, ...text };
  const { createDiscussion } = await permitted(
    PERMISSION,
    api.graphql({ query: CREATE, variables: { input } }, createdSchema),
  );
  const { number, url } = createDiscussion.discussion;
  return { type: "discussion", text: `Opened #${number}.`, url };
}
