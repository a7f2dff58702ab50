// Workflows: activation and execution, by the owner and by an AI client.

import { type Answer, member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  textOf,
} from "../kit/expect.ts";
import { dateTime, exactly, filled, uuid } from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { PROMPT } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeWorkspace } from "../kit/things.ts";
import type { World, WorldCaller } from "../kit/world.ts";

type Workflow = { readonly id: string; readonly agentId: string; readonly path: string };

/** Makes a workflow with one version, which nobody has activated. It goes with its workspace. */
async function makeWorkflow(world: World): Promise<Workflow> {
  const workspaceId = await world.once("workspace for workflows", () => makeWorkspace(world));
  const workspace = expectStatus(await world.get(`/v1/workspaces/${workspaceId}`), 200);
  const id = world.uuid();
  const path = `/v1/workspaces/${workspaceId}/workflows/${id}`;
  const workflow = { id, agentId: textOf(workspace, "manager_agent_id"), path };
  await writeVersion(world, workflow);
  return workflow;
}

async function writeVersion(world: World, { path }: Workflow): Promise<void> {
  expectStatus(
    await world.send("PUT", path, { name: "conform", prompt: `${PROMPT} (${world.uuid()})` }),
    200,
    201,
  );
}

async function inactive(world: World): Promise<Workflow> {
  return await world.once("inactive workflow", () => makeWorkflow(world));
}

/** Version 1 is active, and there is a version 2. */
async function active(world: World): Promise<Workflow & { readonly answer: Answer }> {
  return await world.once("active workflow", async () => {
    const workflow = await makeWorkflow(world);
    const answer = expectStatus(await activate(world, workflow), 200);
    await writeVersion(world, workflow);
    return { ...workflow, answer };
  });
}

async function activate(
  world: World,
  { id }: Workflow,
  body?: unknown,
  as: WorldCaller = "owner",
): Promise<Answer> {
  return await world.post(`/v1/workflows/${id}/activate`, body, as);
}

async function execute(
  world: World,
  { id }: Workflow,
  asked: { readonly as?: WorldCaller; readonly key?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const { as = "owner", key, body } = asked;
  return await world.ask({
    method: "POST",
    path: `/v1/workflows/${id}/executions`,
    as,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
    ...(body === undefined ? {} : { json: body }),
  });
}

/** The refusal has the owner's link to the workflow in its text. */
function expectLink(answer: Answer, { id, agentId }: Workflow): void {
  const link = `/agent/${agentId}?workflow=${id}`;
  expectThat(textOf(answer, "error").includes(link), `an error text with ${link}`, answer);
}

const fields = recordStatements({
  prefix: "workflow-activated",
  section: "4.5",
  what: "A workflow that was activated",
  needs: ["workspaces"],
  read: async (world) => (await active(world)).answer,
  fields: {
    id: uuid,
    agent_id: uuid,
    name: filled,
    version: exactly(1),
    active_version: exactly(1),
    created_at: dateTime,
    updated_at: dateTime,
  },
});

const activation = statementsOf("4.5", { prefix: "activate", needs: ["workspaces"] }, [
  [
    "owner",
    "The owner activates a workflow: 200.",
    async (world) => void expectStatus((await active(world)).answer, 200),
  ],
  [
    "again",
    "Activating the version that is active is answered 200.",
    async (world) => void expectStatus(await activate(world, await active(world), { version: 1 }), 200),
  ],
  [
    "newest",
    "Without a version the newest is activated.",
    async (world) => {
      const workflow = await makeWorkflow(world);
      await writeVersion(world, workflow);
      expectMember(await activate(world, workflow), "active_version", 2);
    },
  ],
  [
    "older",
    "An older version is activated by its number.",
    async (world) => {
      const workflow = await makeWorkflow(world);
      await writeVersion(world, workflow);
      await activate(world, workflow);
      expectMember(expectStatus(await activate(world, workflow, { version: 1 }), 200), "active_version", 1);
    },
  ],
  [
    "unknown-version",
    "A version that the workflow does not have is answered 404.",
    async (world) =>
      void expectRefused(await activate(world, await inactive(world), { version: 99 }), 404, "not_found"),
  ],
  [
    "of-another",
    "Another account's workflow is not activated: 403.",
    async (world) =>
      void expectRefused(await activate(world, await inactive(world), {}, "other"), 403, "forbidden"),
    ["another_account"],
  ],
  [
    "ai-client",
    "An AI client does not activate a workflow: 403.",
    async (world) =>
      void expectRefused(await activate(world, await inactive(world), {}, "ai"), 403, "owner_needed"),
    ["ai_client"],
  ],
  [
    "ai-client-link",
    "The refusal of an AI client's activation has the link to the workflow in its text.",
    async (world) => {
      const workflow = await inactive(world);
      expectLink(await activate(world, workflow, {}, "ai"), workflow);
    },
    ["ai_client"],
  ],
  [
    "ai-client-version",
    "An AI client does not activate another version of an active workflow: 403.",
    async (world) =>
      void expectRefused(
        await activate(world, await active(world), { version: 2 }, "ai"),
        403,
        "owner_needed",
      ),
    ["ai_client"],
  ],
  [
    "ai-client-unchanged",
    "An AI client's activation changes nothing.",
    async (world) => {
      const workflow = await active(world);
      await activate(world, workflow, { version: 2 }, "ai");
      expectMember(await activate(world, workflow, { version: 1 }), "active_version", 1);
    },
    ["ai_client"],
  ],
]);

const refused = statementsOf("4.5", { prefix: "execute-refused", needs: ["workspaces", "ai_client"] }, [
  [
    "403",
    "An AI client does not run a workflow that is not active: 403.",
    async (world) =>
      void expectRefused(await execute(world, await inactive(world), { as: "ai" }), 403, "owner_needed"),
  ],
  [
    "link",
    "The refusal of an AI client's execution has the link to the workflow in its text.",
    async (world) => {
      const workflow = await inactive(world);
      expectLink(await execute(world, workflow, { as: "ai" }), workflow);
    },
  ],
]);

const execution = statementsOf("4.5", { prefix: "execute", needs: ["workspaces", "runs"] }, [
  [
    "active",
    "An active workflow is run: 202.",
    async (world) => void expectStatus(await execute(world, await active(world)), 202),
  ],
  [
    "run-id",
    'The answer to an execution has "run_id".',
    async (world) => {
      const answer = await execute(world, await active(world));
      expectHeader(answer, "x-svc-run-id", textOf(answer, "run_id"));
    },
  ],
  [
    "session-id",
    'The answer to an execution has "session_id".',
    async (world) => {
      const answer = await execute(world, await active(world));
      expectHeader(answer, "x-svc-session-id", textOf(answer, "session_id"));
    },
  ],
  [
    "version",
    "An active workflow runs the version that the owner activated, also where there is a newer one.",
    async (world) => expectMember(await execute(world, await active(world)), "version", 1),
  ],
  [
    "agent",
    "The run of an execution is its agent's.",
    async (world) => {
      const workflow = await active(world);
      const answer = await execute(world, workflow);
      expectStatus(await world.get(`/v1/agents/${workflow.agentId}/runs/${textOf(answer, "run_id")}`), 200);
    },
  ],
  [
    "input",
    "An execution may have an input.",
    async (world) =>
      void expectStatus(await execute(world, await active(world), { body: { input: "main" } }), 202),
  ],
  [
    "inactive-by-owner",
    "The owner runs a workflow that is not active: its newest version.",
    async (world) =>
      expectMember(expectStatus(await execute(world, await inactive(world)), 202), "version", 1),
  ],
  [
    "active-by-ai",
    "An AI client runs an active workflow.",
    async (world) => void expectStatus(await execute(world, await active(world), { as: "ai" }), 202),
    ["ai_client"],
  ],
  [
    "key",
    "The same key gives the run of before.",
    async (world) => {
      const [workflow, key] = [await active(world), world.uuid()];
      const before = expectStatus(await execute(world, workflow, { key }), 202);
      expectMember(await execute(world, workflow, { key }), "run_id", textOf(before, "run_id"));
    },
  ],
  [
    "replay-header",
    "A replay of an execution has the header X-Svc-Idempotent-Replay.",
    async (world) => {
      const [workflow, key] = [await active(world), world.uuid()];
      await execute(world, workflow, { key });
      expectHeader(await execute(world, workflow, { key }), "x-svc-idempotent-replay", "true");
    },
  ],
  [
    "key-reused",
    "The same key for another input is answered 422.",
    async (world) => {
      const [workflow, key] = [await active(world), world.uuid()];
      await execute(world, workflow, { key, body: { input: "one" } });
      expectRefused(
        await execute(world, workflow, { key, body: { input: "other" } }),
        422,
        "idempotency_key_reused",
      );
    },
  ],
  [
    "key-other-version",
    "A key gives the run of before also after another version was activated.",
    async (world) => {
      const [workflow, key] = [await makeWorkflow(world), world.uuid()];
      const before = expectStatus(await execute(world, workflow, { key }), 202);
      await writeVersion(world, workflow);
      expectStatus(await activate(world, workflow), 200);
      const answer = await execute(world, workflow, { key });
      const same = member(answer.json, "run_id") === member(before.json, "run_id");
      expectThat(same && member(answer.json, "version") === 1, `the run of before: ${before.text}`, answer);
    },
  ],
]);

export const workflows: readonly Statement[] = [...fields, ...activation, ...refused, ...execution];
