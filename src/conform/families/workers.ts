// Workers, and the runs of a workspace (4.6 rules 2 and 4).

import { at, inWorkspaces, NO_ID } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
  textOf,
} from "../kit/expect.ts";
import { expectFields } from "../kit/fields.ts";
import { put, scratchWorkspace } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { filesOf, makeAgent, makeCopy } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import { endedWorker, group, makeGroup, startWorker, workerFields } from "./task-groups.ts";

const running = ["workspaces", "runs"] as const;

/** One that has ended, which statements read. */
async function oneWorker(world: World) {
  return await world.once("worker", async () => {
    const { of, groupId } = await group(world);
    const started = expectStatus(await startWorker(world, of, { task_group_id: groupId }), 202);
    return { of, groupId, started, ended: await endedWorker(world, of, textOf(started, "id")) };
  });
}

export const workers: readonly Statement[] = [
  ...statementsOf("4.6 rule 2", { prefix: "worker", needs: running }, [
    [
      "started",
      "Starting a worker is 202 with the worker, its run and its copy.",
      async (world) => expectFields((await oneWorker(world)).started, workerFields),
    ],
    [
      "headers",
      "Starting a worker has its run in the headers X-Svc-Run-Id and X-Svc-Session-Id.",
      async (world) => {
        const { started } = await oneWorker(world);
        expectHeader(started, "x-svc-run-id", textOf(started, "run_id"));
        expectHeader(started, "x-svc-session-id", /\S/);
      },
    ],
    [
      "manager",
      "A worker is executed by the manager, where no agent is named.",
      async (world) => {
        const { of, started } = await oneWorker(world);
        expectMember(started, "executor_agent_id", textOf(await world.get(of), "manager_agent_id"));
      },
    ],
    [
      "own-copy",
      "A worker without a copy gets one of its own, of the current revision.",
      async (world) => {
        const { of, started } = await oneWorker(world);
        const copy = await world.get(`${of}/copies/${textOf(started, "working_copy_id")}`);
        expectMember(expectStatus(copy, 200), "is_canonical", false);
        expectMember(copy, "base_revision_id", textOf(await world.get(of), "current_revision_id"));
      },
    ],
    [
      "executor",
      "A worker is executed by the member that it names.",
      async (world) => {
        const { of, groupId } = await group(world);
        const agentId = await makeAgent(world, { kind: "independent" });
        expectStatus(await world.post(`${of}/members`, { agent_id: agentId }), 201);
        const body = { task_group_id: groupId, executor_agent_id: agentId };
        const answer = expectStatus(await startWorker(world, of, body), 202);
        expectMember(answer, "executor_agent_id", agentId);
        await endedWorker(world, of, textOf(answer, "id"));
      },
    ],
    [
      "named-copy",
      "A worker works in the copy that it names.",
      async (world) => {
        const { of, workspaceId, groupId } = await group(world);
        const copyId = await makeCopy(world, workspaceId);
        const answer = await startWorker(world, of, { task_group_id: groupId, working_copy_id: copyId });
        expectMember(expectStatus(answer, 202), "working_copy_id", copyId);
        await endedWorker(world, of, textOf(answer, "id"));
      },
    ],
    [
      "canonical",
      "A worker in the canonical copy is 400.",
      async (world) => {
        const { of, groupId } = await group(world);
        const canonical = textOf(await world.get(`${of}/copies`), "items", 0, "id");
        const answer = await startWorker(world, of, { task_group_id: groupId, working_copy_id: canonical });
        expectRefused(answer, 400, "invalid_request");
      },
    ],
    [
      "listed",
      "The list of workers has them, also by task group.",
      async (world) => {
        const { of, groupId, started } = await oneWorker(world);
        for (const query of ["", `?task_group_id=${groupId}`])
          expectMember(
            expectStatus(await world.get(`${of}/workers${query}`), 200),
            "items.0.id",
            textOf(started, "id"),
          );
      },
    ],
    [
      "not-of-another-group",
      "The list of the workers of one task group has none of another.",
      async (world) => {
        const { of } = await oneWorker(world);
        const answer = await world.get(`${of}/workers?task_group_id=${await makeGroup(world, of)}`);
        expectMember(expectStatus(answer, 200), "items", []);
      },
    ],
    [
      "counted",
      "A task group counts its workers by the state of their run.",
      async (world) => {
        const { groupId, ended } = await oneWorker(world);
        const answer = expectStatus(await world.get(`/v1/task-groups/${groupId}`), 200);
        expectMember(answer, "workers.total", 1);
        expectMember(answer, `workers.by_run_status.${textOf(ended, "run_status")}`, 1);
      },
    ],
    [
      "run",
      "The run of a worker is one of the workspace's runs, with the same id.",
      async (world) => {
        const { of, started } = await oneWorker(world);
        const answer = expectStatus(await world.get(`${of}/runs`), 200);
        expectMember(answer, "items.0.id", textOf(started, "run_id"));
      },
    ],
    [
      "run-by-agent",
      "The run of a worker is read below its executor.",
      async (world) => {
        const { started } = await oneWorker(world);
        const path = `/v1/agents/${textOf(started, "executor_agent_id")}/runs/${textOf(started, "run_id")}`;
        expectMember(expectStatus(await world.get(path), 200), "id", textOf(started, "run_id"));
      },
    ],
  ]),
  ...statementsOf("4.6 rule 4", { prefix: "worker", needs: running }, [
    [
      "unchanged",
      "A worker that has changed nothing makes no revision, although its run has ended: it is unchanged.",
      async (world) => {
        const { of, ended } = await oneWorker(world);
        expectMember(ended, "save_state", "unchanged");
        const revisions = await world.get(`${of}/revisions`);
        expectThat(listOf(revisions, "items").length === 1, "no further revision", revisions);
      },
    ],
    [
      "saved",
      "What was written in a worker's copy before it started is saved as a revision when it has ended, and not accepted.",
      async (world) => {
        const { of, workspaceId, groupId } = await group(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const started = await startWorker(world, of, { task_group_id: groupId, working_copy_id: copyId });
        const ended = await endedWorker(world, of, world.made(started));
        expectMember(ended, "save_state", "saved");
        const saved = await world.get(`${of}/revisions/${textOf(ended, "saved_revision_id")}`);
        expectMember(expectStatus(saved, 200), "accepted_at", null);
      },
      ["files"],
    ],
  ]),
  ...statementsOf("4.6 rule 2", { prefix: "workspace-run", needs: running }, [
    [
      "submitted",
      "A run of a workspace is 202 with run_id and session_id, and the headers that say the same.",
      async (world) => {
        const { started } = await oneRun(world);
        expectHeader(started, "x-svc-run-id", textOf(started, "run_id"));
        expectHeader(started, "x-svc-session-id", textOf(started, "session_id"));
      },
    ],
    [
      "listed",
      "A run of a workspace is listed there, of the manager where no executor is named.",
      async (world) => {
        const { of, started } = await oneRun(world);
        const answer = expectStatus(await world.get(`${of}/runs`), 200);
        expectMember(answer, "items.0.id", textOf(started, "run_id"));
        expectMember(answer, "items.0.agent_id", textOf(await world.get(of), "manager_agent_id"));
      },
    ],
    [
      "executor",
      "A run of a workspace is executed by the member that executor_agent_id names.",
      async (world) => {
        const { of } = await group(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`${of}/members`, { agent_id: agentId }), 201);
        expectStatus(
          await world.post(`${of}/runs`, { message: "One word.", executor_agent_id: agentId }),
          202,
        );
        expectMember(await world.get(`${of}/runs`), "items.0.agent_id", agentId);
      },
    ],
    [
      "session",
      "A run of a workspace continues a session of the workspace.",
      async (world) => {
        const { of } = await group(world);
        const session_id = world.made(await world.post(`${of}/threads`, {}));
        const answer = await world.post(`${of}/runs`, { message: "One word.", session_id });
        expectMember(expectStatus(answer, 202), "session_id", session_id);
      },
    ],
    [
      "costs",
      "The costs of a workspace count its runs.",
      async (world) => {
        const { of } = await oneRun(world);
        expectMember(expectStatus(await world.get(`${of}/costs`), 200), "runs", 1);
      },
    ],
    [
      "replay",
      "A run of a workspace with the key of an earlier one is that one, with the replay header.",
      async (world) => {
        const { of } = await group(world);
        const ask = {
          method: "POST",
          path: `${of}/runs`,
          json: { message: "One word." },
          headers: { "idempotency-key": world.uuid() },
        };
        const first = expectStatus(await world.ask(ask), 202);
        expectHeader(first, "x-svc-idempotent-replay", null);
        const second = expectStatus(await world.ask(ask), 202);
        expectMember(second, "run_id", textOf(first, "run_id"));
        expectHeader(second, "x-svc-idempotent-replay", "true");
      },
    ],
    [
      "no-key",
      "A run of a workspace needs no key: two requests are two runs.",
      async (world) => {
        const { of } = await group(world);
        const ask = { method: "POST", path: `${of}/runs`, json: { message: "One word." } };
        const [first, second] = [await world.ask(ask), await world.ask(ask)];
        expectThat(textOf(first, "run_id") !== textOf(second, "run_id"), "another run_id", second);
      },
    ],
    [
      "by-copy",
      "The list of a workspace's runs by copy has only those in it.",
      async (world) => {
        const { workspaceId, copyId } = await scratchWorkspace(world);
        const path = `/v1/workspaces/${workspaceId}/runs?working_copy_id=${copyId}`;
        expectMember(expectStatus(await world.get(path), 200), "items", []);
      },
    ],
  ]),
  ...statementsOf("4.6 rule 2", { prefix: "workspace-run", needs: inWorkspaces }, [
    [
      "worker-without-copy",
      "A run with a task group and without a copy is 400: a worker needs both.",
      async (world) => {
        const of = await at(world);
        const body = { message: "x", task_group_id: await makeGroup(world, of) };
        expectRefused(await world.post(`${of}/runs`, body), 400, "invalid_request");
      },
    ],
    [
      "stranger",
      "A run of a workspace whose executor is no member is 400.",
      async (world) => {
        const body = { message: "x", executor_agent_id: await makeAgent(world) };
        expectRefused(await world.post(`${await at(world)}/runs`, body), 400, "invalid_request");
      },
    ],
    [
      "unknown-executor",
      "A run of a workspace whose executor there is not is refused.",
      async (world) => {
        const body = { message: "x", executor_agent_id: NO_ID };
        expectRefused(await world.post(`${await at(world)}/runs`, body), [400, 404]);
      },
    ],
    [
      "unknown-copy",
      "A run of a workspace in a copy that there is not is 404.",
      async (world) => {
        const body = { message: "x", working_copy_id: NO_ID };
        expectRefused(await world.post(`${await at(world)}/runs`, body), 404, "not_found");
      },
    ],
    [
      "canonical",
      "A run of a workspace in the canonical copy is 400.",
      async (world) => {
        const of = await at(world);
        const all = await world.get(`${of}/copies?limit=1000`);
        const canonical = listOf(all, "items").find((item) => member(item, "is_canonical") === true);
        const body = { message: "x", working_copy_id: member(canonical, "id") };
        expectRefused(await world.post(`${of}/runs`, body), 400, "invalid_request");
      },
    ],
    [
      "unknown-session",
      "A run of a workspace in a session that there is not is 404.",
      async (world) => {
        const body = { message: "x", session_id: NO_ID };
        expectRefused(await world.post(`${await at(world)}/runs`, body), 404, "not_found");
      },
    ],
  ]),
];

/** A run that was submitted once, which statements read. */
async function oneRun(world: World): Promise<{ of: string; started: Answer }> {
  return await world.once("workspace run", async () => {
    const { of } = await group(world);
    return { of, started: expectStatus(await world.post(`${of}/runs`, { message: "One word." }), 202) };
  });
}
