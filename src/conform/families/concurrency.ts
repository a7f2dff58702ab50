// Requests at once: one thing made by one key, one decision (4.1, 4.6 rules 5 and 7).

import { at, inFiles, LATER } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { put, scratchWorkspace } from "../kit/filled.ts";
import { type Need, type Statement, statementsOf } from "../kit/statement.ts";
import { currentRevision, filesOf, makeAgent, makeCopy, makeWorkspace, propose } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

export const CALLERS = 12;

export async function atOnce(
  count: number,
  ask: (index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  return await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
}

/** Expects so many answers with each status. */
export function expectCounts(answers: readonly Answer[], counts: Readonly<Record<number, number>>): void {
  const got: Record<number, number> = {};
  for (const { status } of answers) got[status] = (got[status] ?? 0) + 1;
  const odd = answers.find(({ status }) => counts[status] !== got[status]) ?? answers[0];
  const wanted = Object.entries(counts).map(([status, count]) => `${count} × ${status}`);
  const found = Object.entries(got).map(([status, count]) => `${count} × ${status}`);
  if (odd !== undefined)
    expectThat(found.join() === wanted.join(), `${wanted.join(", ")} at once, got ${found.join(", ")}`, odd);
}

/** All that succeeded name one thing; the others are told that the key is in flight. */
function expectOneThing(answers: readonly Answer[], idAt = "id"): void {
  const ids = new Set<unknown>();
  for (const answer of answers) {
    if (answer.status === 409) expectRefused(answer, 409, "idempotency_key_in_flight");
    else ids.add(textOf(expectStatus(answer, 200, 201, 202), idAt));
  }
  const [first] = answers;
  if (first !== undefined) expectThat(ids.size === 1, `one ${idAt}, got ${ids.size}`, first);
}

export const winner = (answers: readonly Answer[], status: number) =>
  answers.findIndex((answer) => answer.status === status);

async function decideBody(world: World, workspaceId: string) {
  return {
    expected_current_revision: await currentRevision(world, workspaceId),
    validation_evidence: "Read.",
  };
}

type Keyed = readonly [
  id: string,
  says: string,
  prepare: (world: World) => Promise<readonly [path: string, body: unknown]>,
  needs?: readonly Need[],
  idAt?: string,
];

const keyed: readonly Keyed[] = [
  ["workspaces", "workspace", async (world) => ["/v1/workspaces", { name: world.name("at-once") }]],
  [
    "agents",
    "independent agent",
    async (world) => ["/v1/agents", { name: world.name("at-once"), kind: "independent" }],
  ],
  ["task-groups", "task group", async (world) => [`${await at(world)}/task-groups`, { name: "at once" }]],
  ["threads", "session", async (world) => [`${await at(world)}/threads`, {}]],
  [
    "context-items",
    "context item",
    async (world) => [`/v1/workspaces/${await makeWorkspace(world)}/context-items`, { content: "x" }],
  ],
  ["copies", "copy", async (world) => [`${await at(world)}/copies`, {}]],
  [
    "pins",
    "pin",
    async (world) => {
      const { workspaceId } = await scratchWorkspace(world);
      const body = { revision_id: await currentRevision(world, workspaceId), reason: "at once" };
      return [`/v1/workspaces/${workspaceId}/retention/pins`, body];
    },
  ],
  [
    "changesets",
    "changeset",
    async (world) => {
      const workspaceId = await makeWorkspace(world);
      const { copyId } = await propose(world, { workspaceId }, { "x.txt": "x" });
      return [`/v1/workspaces/${workspaceId}/changesets`, { working_copy_id: copyId, title: "At once" }];
    },
    ["files"],
  ],
  [
    "runs",
    "run of a workspace",
    async (world) => [`${await at(world)}/runs`, { message: "One word." }],
    ["runs"],
    "run_id",
  ],
  [
    "agent-runs",
    "run of an agent",
    async (world) => [`/v1/agents/${await makeAgent(world)}/runs`, { message: "One word." }],
    ["runs"],
    "run_id",
  ],
  [
    "workers",
    "worker",
    async (world) => {
      const of = await at(world);
      const task_group_id = world.made(await world.post(`${of}/task-groups`, { name: "at once" }));
      return [`${of}/workers`, { task_group_id, message: "One word." }];
    },
    ["runs"],
  ],
];

export const concurrency: readonly Statement[] = [
  ...statementsOf("4.6 rule 5", { prefix: "at-once", needs: inFiles }, [
    [
      "accepts-of-two",
      "Of two changesets that are accepted at once with one current revision one is 200, and the other 409 current_revision_conflict.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const one = await propose(world, { workspaceId }, { "one.txt": "x" });
        const two = await propose(world, { workspaceId }, { "two.txt": "x" });
        const body = await decideBody(world, workspaceId);
        const answers = await atOnce(2, (index) =>
          world.post(
            `/v1/workspaces/${workspaceId}/changesets/${(index === 0 ? one : two).changesetId}/accept`,
            body,
          ),
        );
        expectCounts(answers, { 200: 1, 409: 1 });
        for (const answer of answers.filter(({ status }) => status === 409))
          expectRefused(answer, 409, "current_revision_conflict");
        const accepted = member(answers[winner(answers, 200)]?.json, "accepted_revision_id");
        expectMember(await world.get(`/v1/workspaces/${workspaceId}`), "current_revision_id", accepted);
      },
    ],
    [
      "accepts-of-one",
      `Of ${CALLERS} requests at once that accept one changeset one is 200, and each other one 409.`,
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const { changesetId } = await propose(world, { workspaceId }, { "x.txt": "x" });
        const body = await decideBody(world, workspaceId);
        const path = `/v1/workspaces/${workspaceId}/changesets/${changesetId}/accept`;
        expectCounts(await atOnce(CALLERS, () => world.post(path, body)), { 200: 1, 409: CALLERS - 1 });
      },
    ],
    [
      "accept-and-reject",
      "Of an acceptance and a rejection at once one decides, and the other is 409.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const { changesetId } = await propose(world, { workspaceId }, { "x.txt": "x" });
        const body = await decideBody(world, workspaceId);
        const path = `/v1/workspaces/${workspaceId}/changesets/${changesetId}`;
        const answers = await atOnce(2, (index) =>
          index === 0 ? world.post(`${path}/accept`, body) : world.post(`${path}/reject`, {}),
        );
        expectCounts(answers, { 200: 1, 409: 1 });
        const status = winner(answers, 200) === 0 ? "accepted" : "rejected";
        expectMember(await world.get(path), "status", status);
      },
    ],
    [
      "linear",
      "Changesets that are accepted at once, again where the current revision has moved, are all accepted in one line.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const of = `/v1/workspaces/${workspaceId}`;
        const proposals = await Promise.all(
          [0, 1, 2, 3, 4].map((index) => propose(world, { workspaceId }, { [`${index}.txt`]: "x" })),
        );
        await Promise.all(
          proposals.map(async ({ changesetId }) => {
            for (let tries = 0; ; tries += 1) {
              const body = await decideBody(world, workspaceId);
              const answer = await world.post(`${of}/changesets/${changesetId}/accept`, body);
              if (answer.status === 200) return;
              expectRefused(answer, 409, "current_revision_conflict");
              expectThat(tries < 100, "an acceptance", answer);
            }
          }),
        );
        const files = await world.get(`${of}/files/list`);
        expectThat(listOf(files, "items").length === 5, "the files of all five", files);
        const accepted = await world.get(`${of}/revisions?accepted=true`);
        const firstParents = listOf(accepted, "items").map((item) => member(item, "parent_ids", 0));
        expectThat(
          new Set(firstParents).size === firstParents.length,
          "a first parent of its own for each",
          accepted,
        );
      },
    ],
  ]),
  ...keyed.flatMap(([id, says, prepare, more = [], idAt = "id"]) =>
    statementsOf(
      id === "agent-runs" ? "4.2" : "4.6 rule 7",
      { prefix: "at-once.key", needs: id === "agent-runs" ? more : ["workspaces", ...more] },
      [
        [
          id,
          `${CALLERS} requests at once with one key make one ${says}.`,
          async (world) => {
            const [path, json] = await prepare(world);
            const headers = { "idempotency-key": world.uuid() };
            const answers = await atOnce(CALLERS, () => world.ask({ method: "POST", path, json, headers }));
            expectOneThing(answers, idAt);
            const kind = { workspaces: "DELETE", agents: "POST" }[id];
            const made = answers.map((answer) => member(answer.json, idAt)).find((one) => one !== undefined);
            const undo = kind === "POST" ? `${path}/${made}/retire` : `${path}/${made}`;
            if (kind !== undefined) world.atEnd(`${says} ${made}`, () => world.send(kind, undo, undefined));
          },
        ],
      ],
    ),
  ),
  ...statementsOf("4.1", { prefix: "at-once" }, [
    [
      "get-or-create",
      `${CALLERS} requests at once that get or create one name get one agent: one 201, the others 200 with existing.`,
      async (world) => {
        const json = { name: world.name("at-once"), if_exists: "return" };
        const answers = await atOnce(CALLERS, () => world.post("/v1/agents", json));
        const made = answers.map((answer) => member(answer.json, "id")).find((one) => one !== undefined);
        world.atEnd(`agent ${made}`, () => world.post(`/v1/agents/${made}/retire`, undefined));
        expectCounts(answers, { 200: CALLERS - 1, 201: 1 });
        expectOneThing(answers);
        for (const answer of answers.filter(({ status }) => status === 200))
          expectMember(answer, "existing", true);
      },
    ],
    [
      "get-or-create-listed",
      "An agent that was got or created at once is listed once.",
      async (world) => {
        const json = { name: world.name("at-once"), if_exists: "return" };
        const answers = await atOnce(CALLERS, () => world.post("/v1/agents", json));
        const made = answers.map((answer) => member(answer.json, "id")).find((one) => one !== undefined);
        world.atEnd(`agent ${made}`, () => world.post(`/v1/agents/${made}/retire`, undefined));
        const all = expectStatus(await world.get("/v1/agents"), 200);
        const found = listOf(all).filter((one) => member(one, "name") === json.name);
        expectThat(found.length === 1, `one agent ${json.name}`, all);
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "at-once", needs: ["workspaces"] }, [
    [
      "members",
      `${CALLERS} requests at once that add one agent make one member.`,
      async (world) => {
        const path = `/v1/workspaces/${await makeWorkspace(world)}/members`;
        const body = { agent_id: await makeAgent(world) };
        expectOneThing(await atOnce(CALLERS, () => world.post(path, body)));
        const all = await world.get(path);
        expectThat(listOf(all, "items").length === 2, "two members", all);
      },
    ],
    [
      "cancelled-schedule",
      `Of ${CALLERS} deletions at once of one schedule of a workspace one is 200, and each other one 404.`,
      async (world) => {
        const path = `${await at(world)}/schedules`;
        const id = world.made(await world.post(path, LATER));
        const answers = await atOnce(CALLERS, () => world.send("DELETE", `${path}/${id}`, undefined));
        expectCounts(answers, { 200: 1, 404: CALLERS - 1 });
      },
    ],
    [
      "context-item",
      `Of ${CALLERS} deletions at once of one context item one is 200, and each other one 404.`,
      async (world) => {
        const path = `/v1/workspaces/${await makeWorkspace(world)}/context-items`;
        const id = world.made(await world.post(path, { content: "x" }));
        const answers = await atOnce(CALLERS, () => world.send("DELETE", `${path}/${id}`, undefined));
        expectCounts(answers, { 200: 1, 404: CALLERS - 1 });
      },
    ],
    [
      "workflow-versions",
      "Two new prompts of one workflow at once are two versions.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        expectStatus(await world.send("PUT", path, { name: "w", prompt: "0" }), 201);
        const answers = await atOnce(2, (index) =>
          world.send("PUT", path, { name: "w", prompt: `${index + 1}` }),
        );
        expectCounts(answers, { 200: 2 });
        const versions = answers.map((answer) => member(answer.json, "version")).sort();
        const [last] = answers;
        if (last !== undefined) expectThat(versions.join() === "2,3", "the versions 2 and 3", last);
      },
    ],
    [
      "checkpoints",
      "Checkpoints of a copy at once all end as succeeded, and save what was written once.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const of = `/v1/workspaces/${workspaceId}`;
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const answers = await atOnce(4, () => world.post(`${of}/checkpoints`, { working_copy_id: copyId }));
        await Promise.all(answers.map((answer) => world.finished(answer)));
        const all = await world.get(`${of}/revisions`);
        expectThat(listOf(all, "items").length === 2, "the first revision and one more", all);
      },
      ["files"],
    ],
  ]),
];
