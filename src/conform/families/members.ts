// The members of a workspace, its sessions and its context items: the answers of each route (4.6).

import { at, inWorkspaces, NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime, exactly, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent } from "../kit/things.ts";
import { own } from "./workspaces.ts";

const memberFields = { id: uuid, workspace_id: uuid, agent_id: uuid, created_at: dateTime };

export const members: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "member", needs: inWorkspaces }, [
    [
      "list",
      "The members of a new workspace are its manager alone.",
      async (world) => {
        const { path, managerId } = await own(world);
        const answer = expectStatus(await world.get(`${path}/members`), 200);
        expectThat(listOf(answer, "items").length === 1, "one member", answer);
        expectFields(
          answer,
          { ...memberFields, role: exactly("manager"), agent_id: exactly(managerId) },
          "items",
          0,
        );
      },
    ],
    [
      "add",
      "Adding an agent is 201 with a member of the role worker.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world, { kind: "independent" });
        const answer = expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
        expectFields(answer, { ...memberFields, agent_id: exactly(agentId), role: exactly("worker") });
      },
    ],
    [
      "add-twice",
      "An agent is a member once, however often it is added.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        const first = expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
        const second = await world.post(`${path}/members`, { agent_id: agentId });
        expectMember(expectStatus(second, 200, 201), "id", textOf(first, "id"));
        const all = await world.get(`${path}/members`);
        expectThat(listOf(all, "items").length === 2, "two members", all);
      },
    ],
    [
      "add-unknown",
      "Adding an agent that there is not is 404.",
      async (world) => {
        const { path } = await own(world);
        expectRefused(await world.post(`${path}/members`, { agent_id: NO_ID }), 404, "not_found");
      },
    ],
    [
      "add-foreign",
      "Adding another account's agent is 403.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world, { as: "other" });
        expectRefused(await world.post(`${path}/members`, { agent_id: agentId }), 403, "forbidden");
      },
      ["another_account"],
    ],
    [
      "remove",
      "Taking a worker out is 200 with the member as it was, and it is listed no more.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        const id = world.made(await world.post(`${path}/members`, { agent_id: agentId }));
        const answer = expectStatus(await world.send("DELETE", `${path}/members/${id}`, undefined), 200);
        expectFields(answer, { ...memberFields, id: exactly(id), agent_id: exactly(agentId) });
        const all = await world.get(`${path}/members`);
        expectThat(!all.text.includes(id), `no ${id}`, all);
      },
    ],
    [
      "remove-twice",
      "Taking a member out a second time is 404.",
      async (world) => {
        const { path } = await own(world);
        const id = world.made(await world.post(`${path}/members`, { agent_id: await makeAgent(world) }));
        expectStatus(await world.send("DELETE", `${path}/members/${id}`, undefined), 200);
        expectRefused(await world.send("DELETE", `${path}/members/${id}`, undefined), 404, "not_found");
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "thread", needs: inWorkspaces }, [
    [
      "create",
      "Beginning a session is 201 with its fields, of the manager.",
      async (world) => {
        const { id, path, managerId } = await own(world);
        const answer = expectStatus(await world.post(`${path}/threads`, { title: "Talk" }), 201);
        expectFields(answer, {
          id: uuid,
          workspace_id: exactly(id),
          agent_id: exactly(managerId),
          title: exactly("Talk"),
          created_at: dateTime,
        });
      },
    ],
    [
      "no-title",
      "A session needs no title.",
      async (world) =>
        void expectMember(
          expectStatus(await world.post(`${await at(world)}/threads`, {}), 201),
          "title",
          null,
        ),
    ],
    [
      "of-member",
      "A session is of the member that the request names.",
      async (world) => {
        const { path } = await own(world);
        const agentId = await makeAgent(world);
        expectStatus(await world.post(`${path}/members`, { agent_id: agentId }), 201);
        const answer = await world.post(`${path}/threads`, { agent_id: agentId });
        expectMember(expectStatus(answer, 201), "agent_id", agentId);
      },
    ],
    [
      "of-stranger",
      "A session of an agent that is no member is 400.",
      async (world) => {
        const agentId = await makeAgent(world);
        expectRefused(
          await world.post(`${await at(world)}/threads`, { agent_id: agentId }),
          400,
          "invalid_request",
        );
      },
    ],
    [
      "list",
      "The sessions of a workspace are listed.",
      async (world) => {
        const { path } = await own(world);
        const id = world.made(await world.post(`${path}/threads`, {}));
        const answer = expectStatus(await world.get(`${path}/threads`), 200);
        expectThat(member(listOf(answer, "items")[0], "id") === id, `the session ${id}`, answer);
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "context", needs: inWorkspaces }, [
    [
      "create",
      "Adding a context item is 201 with its fields, a text where no kind is named.",
      async (world) => {
        const answer = await world.post(`${await at(world)}/context-items`, {
          title: "Style",
          content: "Short.",
        });
        expectFields(expectStatus(answer, 201), {
          id: uuid,
          workspace_id: uuid,
          kind: exactly("text"),
          title: exactly("Style"),
          content: exactly("Short."),
          created_at: dateTime,
        });
      },
    ],
    [
      "url",
      "A context item of the kind url is an address.",
      async (world) => {
        const body = { kind: "url", content: "https://example.com/style" };
        expectMember(
          expectStatus(await world.post(`${await at(world)}/context-items`, body), 201),
          "kind",
          "url",
        );
      },
    ],
    [
      "no-url",
      "A context item of the kind url refuses what is no address.",
      async (world) => {
        const body = { kind: "url", content: "javascript:1" };
        expectRefused(await world.post(`${await at(world)}/context-items`, body), 400, "invalid_request");
      },
    ],
    [
      "too-large",
      "A context item above 64 KB is 413 with cap_bytes.",
      async (world) => {
        const body = { content: "x".repeat(65_537) };
        const answer = expectRefused(await world.post(`${await at(world)}/context-items`, body), 413);
        expectThat(Number(member(answer.json, "cap_bytes")) > 0, "cap_bytes above 0", answer);
      },
    ],
    [
      "list",
      "The context items of a workspace are listed.",
      async (world) => {
        const { path } = await own(world);
        const id = world.made(await world.post(`${path}/context-items`, { content: "One." }));
        const answer = expectStatus(await world.get(`${path}/context-items`), 200);
        expectThat(member(listOf(answer, "items")[0], "id") === id, `the item ${id}`, answer);
      },
    ],
    [
      "delete",
      "Deleting a context item is 200 with the item, which is 404 after that.",
      async (world) => {
        const path = `${await at(world)}/context-items`;
        const id = world.made(await world.post(path, { content: "One." }));
        expectMember(expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200), "id", id);
        expectRefused(await world.send("DELETE", `${path}/${id}`, undefined), 404, "not_found");
      },
    ],
  ]),
];
