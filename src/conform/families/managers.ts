// The manager of a workspace, and the effect of an agent's end on it: rules 1 and 14.

import { inWorkspaces, NO_ID } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { uuid } from "../kit/field-kinds.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

async function own(world: World) {
  const id = await makeWorkspace(world);
  const path = `/v1/workspaces/${id}`;
  return { id, path, managerId: textOf(await world.get(path), "manager_agent_id") };
}

/** A workspace whose manager is this agent. */
async function managedBy(world: World, agentId: string): Promise<string> {
  const answer = await world.post("/v1/workspaces", { default_manager_agent_id: agentId });
  const id = world.made(answer);
  world.atEnd(`workspace ${id}`, () => world.send("DELETE", `/v1/workspaces/${id}`, undefined));
  return id;
}

/** 409 with the workspaces that the agent manages. */
function expectManagerInUse(answer: Answer, ...workspaceIds: readonly string[]): void {
  expectRefused(answer, 409, "workspace_manager_in_use");
  const got = listOf(answer, "workspace_ids");
  const isSame = got.length === workspaceIds.length && workspaceIds.every((id) => got.includes(id));
  expectThat(isSame, `workspace_ids ${workspaceIds.join(", ")}`, answer);
}

/** Routes that refuse the manager of a workspace. */
const endings = {
  retire: {
    says: "Retiring",
    end: (world: World, agentId: string) => world.post(`/v1/agents/${agentId}/retire`, undefined),
  },
  delete: {
    says: "Deleting",
    end: (world: World, agentId: string) => world.send("DELETE", `/v1/agents/${agentId}`, undefined),
  },
} as const;

export const managers: readonly Statement[] = [
  ...statementsOf("4.6 rule 1", { prefix: "manager", needs: inWorkspaces }, [
    [
      "default",
      "A workspace that is made without a manager gets one.",
      async (world) => {
        const { path } = await own(world);
        const answer = await world.get(path);
        expectThat(uuid.holds(member(answer.json, "manager_agent_id")), "a manager_agent_id", answer);
      },
    ],
    [
      "default-agent",
      "The manager that a workspace is made with is an independent agent of the account.",
      async (world) => {
        const { managerId } = await own(world);
        expectMember(expectStatus(await world.get(`/v1/agents/${managerId}`), 200), "kind", "independent");
      },
    ],
    [
      "default-of-each",
      "Two workspaces that are made without a manager have two.",
      async (world) => {
        const [one, two] = [await own(world), await own(world)];
        expectThat(one.managerId !== two.managerId, "two managers", await world.get(two.path));
      },
    ],
    [
      "chosen",
      "A workspace that names an owned agent is managed by it.",
      async (world) => {
        const agentId = await makeAgent(world);
        const id = await managedBy(world, agentId);
        expectMember(await world.get(`/v1/workspaces/${id}`), "manager_agent_id", agentId);
      },
    ],
    [
      "chosen-is-member",
      "The manager that a workspace names is a member of it.",
      async (world) => {
        const agentId = await makeAgent(world);
        const id = await managedBy(world, agentId);
        const answer = expectStatus(await world.get(`/v1/workspaces/${id}/members`), 200);
        expectMember(answer, "items.0.agent_id", agentId);
        expectMember(answer, "items.0.role", "manager");
      },
    ],
    [
      "null",
      "A workspace without a manager is refused: null is 400 invalid_workspace_manager.",
      async (world) => {
        const answer = await world.post("/v1/workspaces", { default_manager_agent_id: null });
        expectRefused(answer, 400, "invalid_workspace_manager");
      },
    ],
    [
      "null-makes-nothing",
      "A refused null manager makes no workspace.",
      async (world) => {
        const name = world.name("null");
        expectStatus(await world.post("/v1/workspaces", { name, default_manager_agent_id: null }), 400);
        const answer = await world.get("/v1/workspaces?limit=1000");
        expectThat(!answer.text.includes(name), `no ${name}`, answer);
      },
    ],
    [
      "change-to-null",
      "A change of the manager to null is 400 invalid_workspace_manager.",
      async (world) => {
        const { path, managerId } = await own(world);
        const answer = await world.send("PATCH", path, { manager_agent_id: null });
        expectRefused(answer, 400, "invalid_workspace_manager");
        expectMember(await world.get(path), "manager_agent_id", managerId);
      },
    ],
    [
      "unknown",
      "A workspace that names an agent that there is not is 404.",
      async (world) => {
        const answer = await world.post("/v1/workspaces", { default_manager_agent_id: NO_ID });
        expectRefused(answer, 404, "not_found");
      },
    ],
    [
      "foreign",
      "A workspace that names another account's agent is 403.",
      async (world) => {
        const agentId = await makeAgent(world, { as: "other" });
        const answer = await world.post("/v1/workspaces", { default_manager_agent_id: agentId });
        expectRefused(answer, 403, "forbidden");
      },
      ["another_account"],
    ],
    [
      "retired",
      "A workspace that names a retired agent is 409.",
      async (world) => {
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`/v1/agents/${agentId}/retire`, undefined), 200);
        expectRefused(await world.post("/v1/workspaces", { default_manager_agent_id: agentId }), 409);
      },
    ],
    [
      "change",
      "Another manager is chosen by a change: it is a member, and the one before stays as a worker.",
      async (world) => {
        const { path, managerId } = await own(world);
        const agentId = await makeAgent(world);
        const changed = expectStatus(await world.send("PATCH", path, { manager_agent_id: agentId }), 200);
        expectMember(changed, "manager_agent_id", agentId);
        const members = expectStatus(await world.get(`${path}/members`), 200);
        const roles = new Map(
          listOf(members, "items").map((one) => [member(one, "agent_id"), member(one, "role")]),
        );
        expectThat(
          roles.get(agentId) === "manager" && roles.get(managerId) === "worker",
          "the roles manager and worker",
          members,
        );
      },
    ],
    [
      "change-by-role",
      "Adding a member with the role manager makes it the manager.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        const answer = await world.post(`${path}/members`, { agent_id: agentId, role: "manager" });
        expectMember(expectStatus(answer, 201), "role", "manager");
        expectMember(await world.get(path), "manager_agent_id", agentId);
      },
    ],
    [
      "change-unknown",
      "A change to a manager that there is not is 404, and the manager stays.",
      async (world) => {
        const { path, managerId } = await own(world);
        expectRefused(await world.send("PATCH", path, { manager_agent_id: NO_ID }), 404, "not_found");
        expectMember(await world.get(path), "manager_agent_id", managerId);
      },
    ],
    [
      "change-foreign",
      "A change to another account's agent is 403.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world, { as: "other" });
        expectRefused(await world.send("PATCH", path, { manager_agent_id: agentId }), 403, "forbidden");
      },
      ["another_account"],
    ],
  ]),
  ...statementsOf("4.6 rule 14", { prefix: "manager-in-use", needs: inWorkspaces }, [
    ...Object.entries(endings).flatMap(([id, { says, end }]) => [
      [
        id,
        `${says} the manager of a workspace is 409 workspace_manager_in_use with the workspace.`,
        async (world: World) => {
          const agentId = await makeAgent(world);
          const workspaceId = await managedBy(world, agentId);
          expectManagerInUse(await end(world, agentId), workspaceId);
        },
      ] as const,
      [
        `${id}-two`,
        `${says} the manager of two workspaces names both.`,
        async (world: World) => {
          const agentId = await makeAgent(world);
          const [one, two] = [await managedBy(world, agentId), await managedBy(world, agentId)];
          expectManagerInUse(await end(world, agentId), one, two);
        },
      ] as const,
      [
        `${id}-changes-nothing`,
        `${says} the manager of a workspace leaves agent and workspace as they are.`,
        async (world: World) => {
          const agentId = await makeAgent(world);
          const workspaceId = await managedBy(world, agentId);
          expectStatus(await end(world, agentId), 409);
          expectStatus(await world.get(`/v1/agents/${agentId}`), 200);
          expectMember(await world.get(`/v1/workspaces/${workspaceId}`), "manager_agent_id", agentId);
          expectStatus(await world.post(`/v1/workspaces/${workspaceId}/threads`, {}), 201);
        },
      ] as const,
      [
        `${id}-after-change`,
        `${says} an agent is taken once another manager was chosen.`,
        async (world: World) => {
          const agentId = await makeAgent(world);
          const workspaceId = await managedBy(world, agentId);
          const other = await makeAgent(world);
          const change = { manager_agent_id: other };
          expectStatus(await world.send("PATCH", `/v1/workspaces/${workspaceId}`, change), 200);
          expectStatus(await end(world, agentId), 200, 202, 204);
        },
      ] as const,
      [
        `${id}-member`,
        `${says} an agent that is only a member of a workspace is taken.`,
        async (world: World) => {
          const { path } = await own(world);
          const agentId = await makeAgent(world);
          expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
          expectStatus(await end(world, agentId), 200, 202, 204);
        },
      ] as const,
    ]),
    [
      "remove",
      "Taking the manager out of its workspace is 409 workspace_manager_in_use with the workspace.",
      async (world) => {
        const { id, path } = await own(world);
        const memberId = textOf(await world.get(`${path}/members`), "items", 0, "id");
        expectManagerInUse(await world.send("DELETE", `${path}/members/${memberId}`, undefined), id);
      },
    ],
    [
      "remove-after-change",
      "The manager before is taken out once another one was chosen.",
      async (world) => {
        const { path } = await own(world);
        const memberId = textOf(await world.get(`${path}/members`), "items", 0, "id");
        expectStatus(await world.send("PATCH", path, { manager_agent_id: await makeAgent(world) }), 200);
        expectStatus(await world.send("DELETE", `${path}/members/${memberId}`, undefined), 200);
      },
    ],
    [
      "stop",
      "Stopping the manager of a workspace is taken, and it stays the manager.",
      async (world) => {
        const { path, managerId } = await own(world);
        expectStatus(await world.post(`/v1/agents/${managerId}/stop`, undefined), 200, 202);
        expectMember(await world.get(path), "manager_agent_id", managerId);
        expectMember(expectStatus(await world.get(`/v1/agents/${managerId}`), 200), "id", managerId);
      },
    ],
    [
      "retired-member",
      "A retired agent is added to no workspace: 409.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`/v1/agents/${agentId}/retire`, undefined), 200);
        expectRefused(await world.post(`${path}/members`, { agent_id: agentId }), 409);
      },
    ],
    [
      "retired-manager",
      "A retired agent becomes the manager of no workspace: 409.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`/v1/agents/${agentId}/retire`, undefined), 200);
        expectRefused(await world.send("PATCH", path, { manager_agent_id: agentId }), 409);
      },
    ],
    [
      "stopped-member",
      "A stopped agent is added to a workspace: stop keeps its identity.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`/v1/agents/${agentId}/stop`, undefined), 200, 202);
        expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
      },
    ],
    [
      "deleted-workspace",
      "The manager of a workspace that was deleted is in nobody's use.",
      async (world) => {
        const agentId = await makeAgent(world);
        const id = await managedBy(world, agentId);
        expectStatus(await world.send("DELETE", `/v1/workspaces/${id}`, undefined), 202);
        expectStatus(await world.post(`/v1/agents/${agentId}/retire`, undefined), 200);
      },
    ],
  ]),
];
