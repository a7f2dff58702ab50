// Workspaces: the answers of each route (4.6).

import { at, inWorkspaces } from "../kit/beginnings.ts";
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
import { array, dateTime, exactly, filled, integer, nothing, object, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { scratchWorkspace } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const workspaceFields = {
  id: uuid,
  name: filled,
  manager_agent_id: uuid,
  current_revision_id: uuid,
  storage_state: exactly("ready"),
  metadata: object,
  created_at: dateTime,
};
const costFields = {
  credits: integer,
  gross_micro_usd: integer,
  refunded_micro_usd: integer,
  tokens: integer,
  runs: integer,
  by_role: object,
  by_agent: array,
  since: nothing,
  until: nothing,
};

/** A workspace that this statement changes. */
export async function own(world: World): Promise<{ id: string; path: string; managerId: string }> {
  const id = await makeWorkspace(world);
  const path = `/v1/workspaces/${id}`;
  return { id, path, managerId: textOf(await world.get(path), "manager_agent_id") };
}

/** Makes one with this body, which is deleted at the end. */
async function create(world: World, body: unknown, as: "owner" | "ai" = "owner"): Promise<Answer> {
  const answer = await world.post("/v1/workspaces", body, as);
  const id = member(answer.json, "id");
  if (answer.status === 201 && typeof id === "string")
    world.atEnd(`workspace ${id}`, () => world.send("DELETE", `/v1/workspaces/${id}`, undefined));
  return answer;
}

export const workspaces: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "workspace", needs: inWorkspaces }, [
    [
      "create",
      "Making a workspace is 201 with the workspace, which is ready.",
      async (world) =>
        expectFields(expectStatus(await create(world, { name: world.name("made") }), 201), workspaceFields),
    ],
    [
      "name",
      "A workspace has the name that it was made with.",
      async (world) => {
        const name = world.name("named");
        expectMember(expectStatus(await create(world, { name }), 201), "name", name);
      },
    ],
    [
      "no-body",
      "A workspace is made without a body.",
      async (world) => {
        const headers = { "idempotency-key": world.uuid() };
        const answer = await world.ask({ method: "POST", path: "/v1/workspaces", headers });
        const id = world.made(answer);
        world.atEnd(`workspace ${id}`, () => world.send("DELETE", `/v1/workspaces/${id}`, undefined));
        expectStatus(answer, 201);
      },
    ],
    [
      "metadata",
      "A workspace keeps the metadata that it was made with.",
      async (world) => {
        const metadata = { ticket: 7, labels: ["a", "b"], deep: { one: null } };
        expectMember(expectStatus(await create(world, { metadata }), 201), "metadata", metadata);
      },
    ],
    [
      "ai-client",
      "An AI client makes a workspace.",
      async (world) => void expectStatus(await create(world, { name: world.name("ai") }, "ai"), 201),
      ["ai_client"],
    ],
    [
      "no-run",
      "Making a workspace starts no run.",
      async (world) => {
        const { path } = await own(world);
        const answer = expectStatus(await world.get(`${path}/runs`), 200);
        expectThat(listOf(answer, "items").length === 0, "no runs", answer);
      },
    ],
    [
      "no-files",
      "A new workspace has no files.",
      async (world) => {
        const { path } = await own(world);
        const answer = expectStatus(await world.get(`${path}/files/list`), 200);
        expectThat(listOf(answer, "items").length === 0, "no items", answer);
      },
      ["files"],
    ],
    [
      "get",
      "A workspace is read with its fields.",
      async (world) => expectFields(expectStatus(await world.get(await at(world)), 200), workspaceFields),
    ],
    [
      "list",
      "The list of workspaces has the ones that were made.",
      async (world) => {
        const { workspaceId } = await scratchWorkspace(world);
        const { id } = await own(world);
        const answer = expectStatus(await world.get("/v1/workspaces?limit=1000"), 200);
        const ids = listOf(answer, "items").map((item) => member(item, "id"));
        expectThat(ids.includes(workspaceId) && ids.includes(id), `${workspaceId} and ${id}`, answer);
      },
    ],
    [
      "not-of-another",
      "The list of workspaces has none of another account.",
      async (world) => {
        const theirs = await world.once("workspace of another account", () => makeWorkspace(world, "other"));
        const answer = expectStatus(await world.get("/v1/workspaces?limit=1000"), 200);
        expectThat(!answer.text.includes(theirs), `no ${theirs}`, answer);
      },
      ["another_account"],
    ],
    [
      "rename",
      "A change of the name is 200 with the workspace, and is read afterwards.",
      async (world) => {
        const { path } = await own(world);
        const name = world.name("renamed");
        expectMember(expectStatus(await world.send("PATCH", path, { name }), 200), "name", name);
        expectMember(await world.get(path), "name", name);
      },
    ],
    [
      "change-metadata",
      "A change of the metadata takes the place of the one before, and leaves the name.",
      async (world) => {
        const { path } = await own(world);
        const before = await world.get(path);
        expectStatus(await world.send("PATCH", path, { metadata: { a: 1 } }), 200);
        const answer = await world.send("PATCH", path, { metadata: { b: 2 } });
        expectMember(expectStatus(answer, 200), "metadata", { b: 2 });
        expectMember(answer, "name", textOf(before, "name"));
      },
    ],
    [
      "change-nothing",
      "A change of nothing is 200 with the workspace as it is.",
      async (world) => {
        const { path } = await own(world);
        const before = await world.get(path);
        const after = expectStatus(await world.send("PATCH", path, {}), 200);
        expectThat(after.text === before.text, `the workspace as before: ${before.text}`, after);
      },
    ],
    [
      "by-agent",
      "The workspace of an agent is found by its manager.",
      async (world) => {
        const { id, managerId } = await own(world);
        const answer = expectStatus(await world.get(`/v1/workspaces/by-agent/${managerId}`), 200);
        expectMember(answer, "id", id);
        expectMember(answer, "also_in", []);
      },
    ],
    [
      "by-agent-of-member",
      "The workspace of an agent is found by a member, too.",
      async (world) => {
        const { id, path } = await own(world);
        const agentId = await makeAgent(world, { kind: "independent" });
        expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
        expectMember(expectStatus(await world.get(`/v1/workspaces/by-agent/${agentId}`), 200), "id", id);
      },
    ],
    [
      "by-agent-manager-first",
      "An agent that manages one workspace and is a member of an older one is found in the one that it manages.",
      async (world) => {
        const older = await own(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`${older.path}/members`, { agent_id: agentId }), 201);
        const made = expectStatus(await create(world, { default_manager_agent_id: agentId }), 201);
        const answer = expectStatus(await world.get(`/v1/workspaces/by-agent/${agentId}`), 200);
        expectMember(answer, "id", textOf(made, "id"));
        expectMember(answer, "also_in", [older.id]);
      },
    ],
    [
      "by-agent-none",
      "The workspace of an agent that is in none is 404.",
      async (world) => {
        const agentId = await makeAgent(world);
        expectRefused(await world.get(`/v1/workspaces/by-agent/${agentId}`), 404, "not_found");
      },
    ],
    [
      "costs",
      "The costs of a workspace are sums, by role and by agent.",
      async (world) =>
        expectFields(expectStatus(await world.get(`${await at(world)}/costs`), 200), costFields),
    ],
    [
      "costs-of-nothing",
      "A new workspace has cost nothing.",
      async (world) => {
        const { path } = await own(world);
        const answer = expectStatus(await world.get(`${path}/costs`), 200);
        for (const name of ["credits", "gross_micro_usd", "refunded_micro_usd", "tokens", "runs"])
          expectMember(answer, name, 0);
      },
    ],
    [
      "costs-since",
      "The costs of a workspace say since when and until when they are asked for.",
      async (world) => {
        const query = "since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z";
        const answer = expectStatus(await world.get(`${await at(world)}/costs?${query}`), 200);
        expectFields(answer, { since: dateTime, until: dateTime });
      },
    ],
    ...["since", "until"].map(
      (name) =>
        [
          `costs-${name}-text`,
          `The costs of a workspace refuse ${name} that is no time.`,
          async (world: World) =>
            void expectRefused(
              await world.get(`${await at(world)}/costs?${name}=yesterday`),
              400,
              "invalid_request",
            ),
        ] as const,
    ),
    [
      "delete",
      "A deletion is 202 with the operation and the status erasing, and a Location of the operation.",
      async (world) => {
        const { id, path } = await own(world);
        const answer = expectStatus(await world.send("DELETE", path, undefined), 202);
        expectMember(answer, "status", "erasing");
        const operationId = textOf(answer, "operation_id");
        expectHeader(answer, "location", new RegExp(`/v1/workspaces/${id}/operations/${operationId}$`));
      },
    ],
    [
      "deleted",
      "A workspace that was deleted is 404 once its operation has ended, and its operation is still read.",
      async (world) => {
        const { id, path } = await own(world);
        const receipt = expectStatus(await world.send("DELETE", path, undefined), 202);
        await world.finished({ ...receipt, json: { workspace_id: id, id: textOf(receipt, "operation_id") } });
        expectRefused(await world.get(path), 404, "not_found");
      },
    ],
    [
      "deleted-list",
      "A workspace that was deleted is in the list no more.",
      async (world) => {
        const { id, path } = await own(world);
        const receipt = expectStatus(await world.send("DELETE", path, undefined), 202);
        await world.finished({ ...receipt, json: { workspace_id: id, id: textOf(receipt, "operation_id") } });
        const answer = await world.get("/v1/workspaces?limit=1000");
        expectThat(!answer.text.includes(id), `no ${id}`, answer);
      },
    ],
    [
      "delete-ai",
      "An AI client deletes no workspace: 403 with a link for the owner.",
      async (world) => {
        const answer = await world.send("DELETE", (await own(world)).path, undefined, "ai");
        expectRefused(answer, 403, "owner_needed");
        expectThat(/https?:\/\//.test(textOf(answer, "error")), "an error text with a link", answer);
      },
      ["ai_client"],
    ],
  ]),
];
