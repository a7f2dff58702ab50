// The adoption of a repository's files by a workspace, of a commit that a job has sent (4.6 rules 7 and 8).

import { at, inWorkspaces, NO_ID, own } from "../kit/beginnings.ts";
import type { Answer } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime, exactly, integer, nothing, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { put, read } from "../kit/filled.ts";
import { claimedJob, makeJob } from "../kit/jobs.ts";
import { packCommit } from "../kit/pack.ts";
import { endOf, start } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf, currentRevision, makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const README = "# Conform\n";
const needs = ["workspaces", "files", "issuer", "runs"] as const;

/** A claimed repository's agent, the commit that its job has sent, and a run of that job. */
async function sentCommit(world: World) {
  return await world.once("sent commit", async () => {
    const { claims, agentId } = await claimedJob(world);
    const { sha, bytes } = packCommit({ "README.md": README, "a.txt": "a\n" });
    const account = await accountOf(world, "owner");
    const { capability } = await makeJob(world, { ...claims, sha, ref: "refs/heads/main" }, { account });
    const sent = await world.ask({
      method: "PUT",
      path: `/v1/ci/commits/${sha}`,
      bearer: capability,
      raw: bytes,
      headers: { "content-type": "application/x-git-packed-objects" },
    });
    expectStatus(sent, 200, 201);
    await endOf(world, await start(world, { agentId, bearer: capability }), capability);
    return { agentId, sha };
  });
}

/** A workspace that has adopted the commit, which this statement changes. */
async function adopted(world: World) {
  const { agentId, sha } = await sentCommit(world);
  const made = await own(world);
  const before = await currentRevision(world, made.workspaceId);
  const accepted = await adopt(world, made.of, { agent_id: agentId });
  const done = await world.finished(accepted);
  return { ...made, agentId, sha, before, accepted, done };
}

/** One that no statement changes. */
async function kept(world: World) {
  return await world.once("adopted workspace", () => adopted(world));
}

const adopt = (world: World, of: string, body: unknown): Promise<Answer> =>
  world.post(`${of}/storage/adopt`, body);

export const adoptions: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "adoption", needs: inWorkspaces }, [
    [
      "none",
      "A workspace that has adopted nothing answers 404 for its adoption.",
      async (world) =>
        void expectRefused(await world.get(`${await at(world)}/storage/adoption`), 404, "not_found"),
    ],
    ...["cancel", "rollback"].map(
      (route) =>
        [
          `${route}-none`,
          `The route ${route} of a workspace that has adopted nothing is 404.`,
          async (world: World) =>
            void expectRefused(
              await world.post(`${await at(world)}/storage/adoption/${route}`, undefined),
              404,
              "not_found",
            ),
        ] as const,
    ),
    [
      "no-repository",
      "An agent without a repository is not adopted: 400.",
      async (world) => {
        const body = { agent_id: await makeAgent(world) };
        const of = `/v1/workspaces/${await makeWorkspace(world)}`;
        expectRefused(await world.post(`${of}/storage/adopt`, body), 400, "invalid_request");
      },
    ],
    [
      "unknown-agent",
      "An agent that there is not is not adopted: 404.",
      async (world) => {
        const of = `/v1/workspaces/${await makeWorkspace(world)}`;
        expectRefused(await world.post(`${of}/storage/adopt`, { agent_id: NO_ID }), 404, "not_found");
      },
    ],
    ...["adopt", "adoption/rollback"].map(
      (route) =>
        [
          `${route}-ai`,
          `An AI client is refused the route storage/${route}: 403.`,
          async (world: World) => {
            const body = route === "adopt" ? { agent_id: NO_ID } : undefined;
            expectRefused(
              await world.post(`${await at(world)}/storage/${route}`, body, "ai"),
              403,
              "owner_needed",
            );
          },
          ["ai_client"],
        ] as const,
    ),
  ]),
  ...statementsOf("4.6", { prefix: "adoption", needs }, [
    [
      "accepted",
      "Adopting a repository's files is 202 with an operation, and a Location that names it.",
      async (world) => {
        const { accepted, of } = await kept(world);
        expectMember(expectStatus(accepted, 202), "kind", "adopt");
        const location = accepted.headers.location ?? "";
        expectThat(location.endsWith(`${of}/operations/${textOf(accepted, "id")}`), "its Location", accepted);
      },
    ],
    [
      "ready",
      "An adoption that has succeeded is read as ready, with the commit and its revision.",
      async (world) => {
        const { of, agentId, sha, done } = await kept(world);
        expectFields(expectStatus(await world.get(`${of}/storage/adoption`), 200), {
          agent_id: exactly(agentId),
          status: exactly("ready"),
          sha: exactly(sha),
          error: nothing,
          objects: integer,
          bytes: integer,
          operation_id: uuid,
          created_at: dateTime,
          ended_at: dateTime,
          revision_id: exactly(textOf(done, "result", "revision_id")),
        });
      },
    ],
    [
      "current",
      "The revision that an adoption has made is the workspace's current one.",
      async (world) => {
        const { workspaceId, done } = await kept(world);
        const current = await currentRevision(world, workspaceId);
        expectThat(current === textOf(done, "result", "revision_id"), `current ${current}`, done);
      },
    ],
    [
      "files",
      "The files of an adopted commit are the workspace's.",
      async (world) => {
        const { of } = await kept(world);
        const list = expectStatus(await world.get(`${of}/files/list`), 200);
        expectThat(listOf(list, "items").length === 2, "two files", list);
        expectMember(await read(world, `${of}/files`, "README.md"), "content", README);
      },
    ],
    [
      "again",
      "A workspace that has files adopts no others: 409.",
      async (world) => {
        const { of, agentId } = await kept(world);
        expectRefused(await adopt(world, of, { agent_id: agentId }), 409);
      },
    ],
    [
      "not-empty",
      "A workspace in which somebody has written adopts nothing: 409.",
      async (world) => {
        const { agentId } = await sentCommit(world);
        const { of } = await own(world);
        expectStatus(await put(world, `${of}/files`, { path: "mine.txt", content: "x" }), 201);
        expectRefused(await adopt(world, of, { agent_id: agentId }), 409);
      },
    ],
    [
      "without-key",
      "An adoption without an idempotency key is 400.",
      async (world) => {
        const { agentId } = await sentCommit(world);
        const { of } = await own(world);
        const json = { agent_id: agentId };
        expectRefused(await world.ask({ method: "POST", path: `${of}/storage/adopt`, json }), 400);
      },
    ],
    [
      "replay",
      "An adoption with a key that was used for it is the same operation.",
      async (world) => {
        const { agentId } = await sentCommit(world);
        const { of } = await own(world);
        const headers = { "idempotency-key": world.uuid() };
        const ask = { method: "POST", path: `${of}/storage/adopt`, headers, json: { agent_id: agentId } };
        const first = expectStatus(await world.ask(ask), 202);
        expectMember(expectStatus(await world.ask(ask), 202), "id", textOf(first, "id"));
        await world.finished(first);
      },
    ],
    [
      "no-commit",
      "A commit that nobody has sent is not adopted: the operation fails, and the workspace is as it was.",
      async (world) => {
        const { agentId } = await sentCommit(world);
        const { of, workspaceId } = await own(world);
        const before = await currentRevision(world, workspaceId);
        const accepted = expectStatus(
          await adopt(world, of, { agent_id: agentId, sha: "1".repeat(40) }),
          202,
        );
        const path = `${of}/operations/${textOf(accepted, "id")}?wait=30`;
        let answer = await world.get(path);
        for (let polls = 0; polls < 10 && textOf(answer, "status") === "running"; polls += 1)
          answer = await world.get(path);
        expectMember(answer, "status", "failed");
        expectMember(await world.get(`${of}/storage/adoption`), "status", "failed");
        expectThat((await currentRevision(world, workspaceId)) === before, "the revision as before", answer);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
      },
    ],
    [
      "cancel-ended",
      "An adoption that has ended is not cancelled: 409.",
      async (world) => {
        const { of } = await kept(world);
        expectRefused(await world.post(`${of}/storage/adoption/cancel`, undefined), 409, "adoption_state");
      },
    ],
    [
      "rollback",
      "Rolling an adoption back makes the revision before it current again; a second time is 409.",
      async (world) => {
        const { of, workspaceId, before } = await adopted(world);
        const path = `${of}/storage/adoption/rollback`;
        const answer = await world.finished(await world.post(path, undefined));
        expectThat((await currentRevision(world, workspaceId)) === before, `revision ${before}`, answer);
        expectMember(await world.get(`${of}/storage/adoption`), "status", "rolled_back");
        expectRefused(await world.post(path, undefined), 409, "adoption_state");
      },
    ],
    [
      "another-account",
      "Another account's repository is not adopted: 403.",
      async (world) => {
        const { agentId } = await sentCommit(world);
        const made = await world.post("/v1/workspaces", { name: world.name("workspace") }, "other");
        const of = `/v1/workspaces/${world.made(made)}`;
        world.atEnd(`workspace ${of}`, () => world.send("DELETE", of, undefined, "other"));
        const refused = await world.post(`${of}/storage/adopt`, { agent_id: agentId }, "other");
        expectRefused(refused, 403, "forbidden");
      },
      ["another_account"],
    ],
  ]),
];
