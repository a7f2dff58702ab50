// The fake of Bitbucket, driven by a client that others made from Bitbucket's published OpenAPI document: its types know the paths and the parameters.
// https://www.npmjs.com/package/@coderabbitai/bitbucket (1.1.4)

import { createBitbucketCloudClient } from "@coderabbitai/bitbucket/cloud";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { BitbucketBench, TOKEN } from "../bitbucket/bitbucket-bench.ts";

const REPOSITORY = { workspace: "acme", repo_slug: "app" };
const COMMENTS = "/repositories/{workspace}/{repo_slug}/pullrequests/{pull_request_id}/comments";
const PULL = "/repositories/{workspace}/{repo_slug}/pullrequests/{pull_request_id}";

let bench: BitbucketBench;
beforeEach(async () => {
  bench = await BitbucketBench.open();
});
afterEach(async () => await bench.close());

const client = (token = TOKEN) =>
  createBitbucketCloudClient({ baseUrl: bench.apiUrl, headers: { Authorization: `Bearer ${token}` } });
const ofPull = { path: { ...REPOSITORY, pull_request_id: 9 } };

/** The client's types ask for a field that Bitbucket refuses in requests. */
const bodyOf = (body: object): never => body as never;

/** Its types of answers have fields that may be anything. */
const commentSchema = z.object({
  id: z.int(),
  content: z.object({ raw: z.string() }),
  inline: z.optional(z.object({ path: z.string(), to: z.nullable(z.int()) })),
  parent: z.optional(z.object({ id: z.int() })),
  resolution: z.optional(z.object({ type: z.literal("comment_resolution") })),
});
const pageSchema = z.object({ values: z.array(commentSchema), size: z.int() });

describe("a client of others", () => {
  it("comments at a line, answers, edits, resolves and deletes", async () => {
    const made = await client().POST(COMMENTS, {
      params: ofPull,
      body: bodyOf({ content: { raw: "Five?" }, inline: { path: "notes.txt", to: 5 } }),
    });
    expect(made.response.status).toBe(201);
    const { id } = commentSchema.parse(made.data);
    const at = { path: { ...ofPull.path, comment_id: id } };
    await client().POST(COMMENTS, {
      params: ofPull,
      body: bodyOf({ content: { raw: "Yes." }, parent: { type: "comment", id } }),
    });
    const edited = await client().PUT(`${COMMENTS}/{comment_id}`, {
      params: at,
      body: bodyOf({ content: { raw: "Five!" } }),
    });
    expect(commentSchema.parse(edited.data).content.raw).toBe("Five!");
    const resolved = await client().POST(`${COMMENTS}/{comment_id}/resolve`, { params: at });
    expect(resolved.data).toMatchObject({ type: "comment_resolution" });
    const again = await client().POST(`${COMMENTS}/{comment_id}/resolve`, { params: at });
    expect(again.response.status).toBe(409);
    const { data } = await client().GET(COMMENTS, { params: ofPull });
    const { values } = pageSchema.parse(data);
    const threads = values.map(({ inline, parent, resolution }) => [
      inline?.to,
      parent?.id,
      resolution?.type,
    ]);
    expect(threads).toEqual([
      [5, undefined, "comment_resolution"],
      [undefined, id, undefined],
    ]);
    expect((await client().DELETE(`${COMMENTS}/{comment_id}`, { params: at })).response.status).toBe(204);
  });

  it("is refused a line that is not in the diff, another's comment, and what its scopes are too small for", async () => {
    const far = { content: { raw: "a" }, inline: { path: "notes.txt", to: 1 } };
    const refused = await client().POST(COMMENTS, { params: ofPull, body: bodyOf(far) });
    expect([refused.response.status, refused.error?.error?.message]).toEqual([
      400,
      "inline: The line is not in the diff.",
    ]);
    const pull = bench.bitbucket.pulls.get(9);
    const theirs = pull?.comments.say(pull.author, "Mine.", { id: 1 });
    const at = { path: { ...ofPull.path, comment_id: theirs?.id ?? 0 } };
    const body = bodyOf({ content: { raw: "Not mine." } });
    expect((await client().PUT(`${COMMENTS}/{comment_id}`, { params: at, body })).response.status).toBe(403);
    bench.bitbucket.addToken("reader", ["pullrequest"]);
    const opened = await client("reader").POST("/repositories/{workspace}/{repo_slug}/pullrequests", {
      params: { path: REPOSITORY },
      body: bodyOf({ title: "x", source: { branch: { name: "topic" } } }),
    });
    expect(opened.response.status).toBe(403);
    expect(opened.response.headers.get("x-oauth-scopes")).toBe("pullrequest");
    const none = await client("none").GET(PULL, { params: ofPull });
    expect([none.response.status, none.error?.error?.message]).toEqual([
      401,
      "Token is invalid, expired, or not supported for this endpoint.",
    ]);
  });

  it("reads a pull request, sets a build status, and compares its commits", async () => {
    const { data } = await client().GET(PULL, { params: ofPull });
    expect(data).toMatchObject({ type: "pullrequest", state: "OPEN", source: { branch: { name: "topic" } } });
    expect(bench.head.startsWith(data?.source?.commit?.hash ?? "-")).toBe(true);
    const commit = { path: { ...REPOSITORY, commit: bench.head } };
    const status = await client().POST(
      "/repositories/{workspace}/{repo_slug}/commit/{commit}/statuses/build",
      {
        params: commit,
        body: bodyOf({ key: "a".repeat(41), state: "SUCCESSFUL", url: "https://example.com" }),
      },
    );
    expect(status.response.status).toBe(400);
    const stat = await client().GET("/repositories/{workspace}/{repo_slug}/diffstat/{spec}", {
      params: { path: { ...REPOSITORY, spec: `${bench.head}..${bench.main}` } },
    });
    expect(stat.data?.values?.map((one) => [one.status, one.old?.path, one.new?.path])).toEqual([
      ["modified", "notes.txt", "notes.txt"],
      ["renamed", "old name.ts", "src/nëw.ts"],
    ]);
  });
});
