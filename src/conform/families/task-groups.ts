// Task groups, and which workers they take (4.6 rules 2 and 8).

import { at, inWorkspaces, NO_ID } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import {
  array,
  dateTime,
  exactly,
  filled,
  integer,
  nothing,
  object,
  oneOf,
  uuid,
} from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { scratchWorkspace } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const ENDED = ["completed", "failed", "cancelled"];

const groupFields = {
  id: uuid,
  workspace_id: uuid,
  name: filled,
  status: oneOf("open", "stopped"),
  max_workers: integer,
  workers: object,
  changeset_ids: array,
  created_by: object,
  created_at: dateTime,
};
export const workerFields = {
  id: uuid,
  workspace_id: uuid,
  task_group_id: uuid,
  working_copy_id: uuid,
  executor_agent_id: uuid,
  run_id: filled,
  run_status: filled,
  save_state: oneOf("none", "saving", "saved", "unchanged", "failed"),
  created_by: object,
  created_at: dateTime,
};

export async function makeGroup(
  world: World,
  of: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return world.made(await world.post(`${of}/task-groups`, { name: world.name("group"), ...body }));
}

/** A workspace with a task group. */
export async function group(world: World): Promise<{ of: string; workspaceId: string; groupId: string }> {
  const workspaceId = await makeWorkspace(world);
  const of = `/v1/workspaces/${workspaceId}`;
  return { of, workspaceId, groupId: await makeGroup(world, of) };
}

export async function startWorker(
  world: World,
  of: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return await world.post(`${of}/workers`, { message: "Answer with one word.", ...body });
}

/** Polled until it has ended, and what it changed is kept. */
export async function endedWorker(world: World, of: string, id: string): Promise<Answer> {
  for (let polls = 0; ; polls += 1) {
    const answer = expectStatus(await world.get(`${of}/workers/${id}`), 200);
    const isOver = ENDED.includes(textOf(answer, "run_status"));
    const isKept = ["saved", "unchanged", "failed"].includes(textOf(answer, "save_state"));
    if (isOver && isKept) return answer;
    expectThat(polls < 120, "a worker that ends", answer);
    await world.clock.sleep(250);
  }
}

export const taskGroups: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "group", needs: inWorkspaces }, [
    [
      "create",
      "Making a task group is 201 with its fields: open, without a budget, without workers.",
      async (world) => {
        const answer = await world.post(`${await at(world)}/task-groups`, { name: world.name("group") });
        expectFields(expectStatus(answer, 201), {
          ...groupFields,
          status: exactly("open"),
          budget_credits: nothing,
          stopped_at: nothing,
        });
        expectMember(answer, "workers.total", 0);
      },
    ],
    [
      "budget",
      "A task group keeps its budget and how many workers it takes at a time.",
      async (world) => {
        const body = { name: world.name("group"), budget_credits: 5, max_workers: 3 };
        const answer = expectStatus(await world.post(`${await at(world)}/task-groups`, body), 201);
        expectMember(answer, "budget_credits", 5);
        expectMember(answer, "max_workers", 3);
      },
    ],
    [
      "misspelled-budget",
      "A task group whose budget is misspelled is refused, and not made without one.",
      async (world) => {
        const { of } = await group(world);
        expectRefused(
          await world.post(`${of}/task-groups`, { name: "budget", budget: 5 }),
          400,
          "invalid_request",
        );
        const all = await world.get(`${of}/task-groups`);
        expectThat(listOf(all, "items").length === 1, "no further task group", all);
      },
    ],
    [
      "get",
      "A task group is read with its fields, below /v1/task-groups.",
      async (world) => {
        const groupId = await makeGroup(world, await at(world));
        const answer = expectStatus(await world.get(`/v1/task-groups/${groupId}`), 200);
        expectFields(answer, { ...groupFields, id: exactly(groupId) });
      },
    ],
    [
      "list",
      "The list of task groups has them, newest first.",
      async (world) => {
        const { of, groupId } = await group(world);
        const second = await makeGroup(world, of);
        const answer = expectStatus(await world.get(`${of}/task-groups`), 200);
        const ids = listOf(answer, "items").map((item) => member(item, "id"));
        expectThat(
          JSON.stringify(ids) === JSON.stringify([second, groupId]),
          `${second}, ${groupId}`,
          answer,
        );
      },
    ],
    [
      "costs",
      "The costs of a task group without workers are nothing.",
      async (world) => {
        const groupId = await makeGroup(world, await at(world));
        const answer = expectStatus(await world.get(`/v1/task-groups/${groupId}/costs`), 200);
        for (const name of ["credits", "gross_micro_usd", "refunded_micro_usd", "tokens", "runs"])
          expectMember(answer, name, 0);
      },
    ],
    [
      "stop",
      "Stopping a task group answers with it, stopped, and when that was.",
      async (world) => {
        const groupId = await makeGroup(world, await at(world));
        const answer = expectStatus(await world.post(`/v1/task-groups/${groupId}/stop`, undefined), 200, 202);
        expectFields(answer, { id: exactly(groupId), status: exactly("stopped"), stopped_at: dateTime });
      },
    ],
    [
      "stop-twice",
      "Stopping a task group a second time changes nothing.",
      async (world) => {
        const groupId = await makeGroup(world, await at(world));
        const first = expectStatus(await world.post(`/v1/task-groups/${groupId}/stop`, undefined), 200, 202);
        const second = expectStatus(await world.post(`/v1/task-groups/${groupId}/stop`, undefined), 200, 202);
        expectMember(second, "stopped_at", textOf(first, "stopped_at"));
      },
    ],
    [
      "foreign",
      "A task group of another account is 403.",
      async (world) => {
        const workspaceId = await world.once("workspace of another account", () =>
          makeWorkspace(world, "other"),
        );
        const made = await world.post(
          `/v1/workspaces/${workspaceId}/task-groups`,
          { name: "theirs" },
          "other",
        );
        expectRefused(await world.get(`/v1/task-groups/${world.made(made)}`), 403, "forbidden");
      },
      ["another_account"],
    ],
  ]),
  ...statementsOf("4.6", { prefix: "worker", needs: inWorkspaces }, [
    [
      "stopped-group",
      "A stopped task group takes no worker: 409.",
      async (world) => {
        const of = await at(world);
        const groupId = await makeGroup(world, of);
        expectStatus(await world.post(`/v1/task-groups/${groupId}/stop`, undefined), 200, 202);
        expectRefused(await startWorker(world, of, { task_group_id: groupId }), 409, "task_group_stopped");
      },
    ],
    [
      "unknown-group",
      "A worker for a task group that there is not is 404.",
      async (world) =>
        void expectRefused(
          await startWorker(world, await at(world), { task_group_id: NO_ID }),
          404,
          "not_found",
        ),
    ],
    [
      "group-elsewhere",
      "A worker for another workspace's task group is 404.",
      async (world) => {
        const { groupId } = await group(world);
        expectRefused(
          await startWorker(world, await at(world), { task_group_id: groupId }),
          404,
          "not_found",
        );
      },
    ],
    ...(["working_copy_id", "base_revision_id"] as const).map(
      (name) =>
        [
          `unknown-${name}`,
          `A worker with a ${name} that there is not is 404.`,
          async (world: World) => {
            const of = await at(world);
            const body = { task_group_id: await makeGroup(world, of), [name]: NO_ID };
            expectRefused(await startWorker(world, of, body), 404, "not_found");
          },
        ] as const,
    ),
    [
      "copy-and-base",
      "A worker that names a copy and a revision is 400.",
      async (world) => {
        const { workspaceId, copyId } = await scratchWorkspace(world);
        const of = `/v1/workspaces/${workspaceId}`;
        const body = {
          task_group_id: await makeGroup(world, of),
          working_copy_id: copyId,
          base_revision_id: NO_ID,
        };
        expectRefused(await startWorker(world, of, body), 400, "invalid_request");
      },
    ],
    [
      "misspelled-base",
      "A worker whose base is misspelled is refused, and none is started.",
      async (world) => {
        const { of, groupId } = await group(world);
        const body = { task_group_id: groupId, base_revision: NO_ID };
        expectRefused(await startWorker(world, of, body), 400, "invalid_request");
        const all = await world.get(`${of}/workers`);
        expectThat(listOf(all, "items").length === 0, "no worker", all);
      },
    ],
    [
      "stranger",
      "A worker of an agent that is no member is 400.",
      async (world) => {
        const of = await at(world);
        const body = { task_group_id: await makeGroup(world, of), executor_agent_id: await makeAgent(world) };
        expectRefused(await startWorker(world, of, body), 400, "invalid_request");
      },
    ],
    [
      "no-message",
      "A worker without a message is 400.",
      async (world) => {
        const of = await at(world);
        const body = { task_group_id: await makeGroup(world, of), message: undefined };
        expectRefused(await startWorker(world, of, body), 400, "invalid_request");
      },
    ],
    [
      "no-group",
      "A worker without a task group is 400.",
      async (world) =>
        void expectRefused(await startWorker(world, await at(world), {}), 400, "invalid_request"),
    ],
  ]),
];
