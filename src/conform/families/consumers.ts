// Consumers of a workspace: its site, its address, schedules and workflows (4.6).

import { at, inWorkspaces, LATER, NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { absent, dateTime, exactly, integer, nothing, object, url, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const scheduleFields = {
  id: uuid,
  agent_id: uuid,
  workspace_id: uuid,
  kind: exactly("once"),
  prompt: exactly("Look."),
  fire_at: dateTime,
  metadata: object,
  attempts: integer,
  created_at: dateTime,
};
const workflowFields = {
  id: uuid,
  workspace_id: uuid,
  agent_id: uuid,
  version: exactly(1),
  active_version: nothing,
  created_at: dateTime,
  updated_at: dateTime,
};

export const consumers: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "site", needs: inWorkspaces }, [
    [
      "none",
      "A workspace without a site answers 404 for it.",
      async (world) => void expectRefused(await world.get(`${await at(world)}/site`), 404, "not_found"),
    ],
    [
      "open-none",
      "A site that was not published is not opened: 404.",
      async (world) =>
        void expectRefused(await world.post(`${await at(world)}/site/open`, {}), 404, "not_found"),
    ],
    [
      "ai-client",
      "An AI client publishes no site: 403.",
      async (world) =>
        void expectRefused(await world.send("PUT", `${await at(world)}/site`, {}, "ai"), 403, "owner_needed"),
      ["ai_client"],
    ],
    [
      "take-away-none",
      "A site that there is not is taken away by nobody: 404.",
      async (world) => {
        expectRefused(
          await world.send("PUT", `${await at(world)}/site`, { revision_id: null }),
          404,
          "not_found",
        );
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "inbound-email", needs: inWorkspaces }, [
    [
      "address",
      "The address of a workspace is 200 with it, or 404 where the service receives no e-mail.",
      async (world) => {
        const answer = await world.get(`${await at(world)}/inbound-email`);
        if (answer.status === 200)
          return expectThat(textOf(answer, "address").includes("@"), "an address", answer);
        expectRefused(answer, 404, "inbound_email_off");
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "workspace-schedule", needs: inWorkspaces }, [
    [
      "create",
      "A schedule of a workspace is 201, pending, of the manager, where the owner makes it.",
      async (world) => {
        const of = await at(world);
        const manager = textOf(await world.get(of), "manager_agent_id");
        const answer = expectStatus(await world.post(`${of}/schedules`, LATER), 201);
        expectFields(answer, {
          ...scheduleFields,
          status: exactly("pending"),
          agent_id: exactly(manager),
          confirm_url: absent,
        });
      },
    ],
    [
      "ai-client",
      "A schedule of a workspace that an AI client makes awaits its confirmation, by a confirm_url.",
      async (world) => {
        const answer = expectStatus(await world.post(`${await at(world)}/schedules`, LATER, "ai"), 201);
        expectFields(answer, {
          status: exactly("awaiting_confirmation"),
          confirm_url: url,
          confirmed_at: absent,
        });
      },
      ["ai_client"],
    ],
    [
      "confirm",
      "A schedule of a workspace is confirmed below its manager.",
      async (world) => {
        const made = expectStatus(await world.post(`${await at(world)}/schedules`, LATER, "ai"), 201);
        const path = `/v1/agents/${textOf(made, "agent_id")}/schedules/${textOf(made, "id")}`;
        const answer = expectStatus(await world.post(`${path}/confirm`, undefined), 200);
        expectFields(answer, { status: exactly("pending"), confirmed_at: dateTime });
      },
      ["ai_client"],
    ],
    [
      "confirm-by-ai",
      "An AI client confirms no schedule of a workspace: 403 with a link for the owner, and it stays unconfirmed.",
      async (world) => {
        const made = expectStatus(await world.post(`${await at(world)}/schedules`, LATER, "ai"), 201);
        const path = `/v1/agents/${textOf(made, "agent_id")}/schedules/${textOf(made, "id")}`;
        const answer = expectRefused(await world.post(`${path}/confirm`, undefined, "ai"), 403);
        expectThat(/https?:\/\//.test(textOf(answer, "error")), "an error text with a link", answer);
        expectMember(await world.get(path), "status", "awaiting_confirmation");
      },
      ["ai_client"],
    ],
    [
      "get",
      "A schedule of a workspace is read with its fields.",
      async (world) => {
        const path = `${await at(world)}/schedules`;
        const id = world.made(await world.post(path, LATER));
        expectFields(expectStatus(await world.get(`${path}/${id}`), 200), {
          ...scheduleFields,
          id: exactly(id),
        });
      },
    ],
    [
      "list",
      "The list of a workspace's schedules has them, newest first.",
      async (world) => {
        const path = `/v1/workspaces/${await makeWorkspace(world)}/schedules`;
        const [first, second] = [
          world.made(await world.post(path, LATER)),
          world.made(await world.post(path, LATER)),
        ];
        const answer = expectStatus(await world.get(path), 200);
        const ids = listOf(answer, "items").map((item) => member(item, "id"));
        expectThat(JSON.stringify(ids) === JSON.stringify([second, first]), `${second}, ${first}`, answer);
      },
    ],
    [
      "cancel",
      "A deletion of a workspace's schedule is 200 with it, cancelled.",
      async (world) => {
        const path = `${await at(world)}/schedules`;
        const id = world.made(await world.post(path, LATER));
        expectMember(
          expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200),
          "status",
          "cancelled",
        );
      },
    ],
    [
      "cancel-twice",
      "A cancelled schedule of a workspace is not cancelled again: 404.",
      async (world) => {
        const path = `${await at(world)}/schedules`;
        const id = world.made(await world.post(path, LATER));
        expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200);
        expectRefused(await world.send("DELETE", `${path}/${id}`, undefined), 404, "not_found");
      },
    ],
    [
      "of-another-workspace",
      "A schedule of a workspace is 404 below another one.",
      async (world) => {
        const id = world.made(await world.post(`${await at(world)}/schedules`, LATER));
        expectRefused(
          await world.get(`/v1/workspaces/${await makeWorkspace(world)}/schedules/${id}`),
          404,
          "not_found",
        );
      },
    ],
    [
      "of-agent",
      "A schedule of an agent is 404 below a workspace that it manages.",
      async (world) => {
        const of = await at(world);
        const manager = textOf(await world.get(of), "manager_agent_id");
        const made = await world.post(`/v1/agents/${manager}/schedules`, LATER);
        expectRefused(await world.get(`${of}/schedules/${world.made(made)}`), 404, "not_found");
      },
    ],
    ...Object.entries({
      "both times": { ...LATER, fire_at: "2099-01-01T00:00:00Z" },
      "no time": { prompt: "Look." },
      "an empty prompt": { ...LATER, prompt: "" },
      "a delay of 0": { ...LATER, delay_seconds: 0 },
      "a time that is none": { prompt: "Look.", fire_at: "tomorrow" },
    }).map(
      ([what, body]) =>
        [
          `refuses:${what}`,
          `A schedule of a workspace with ${what} is 400.`,
          async (world: World) =>
            void expectRefused(
              await world.post(`${await at(world)}/schedules`, body),
              400,
              "invalid_request",
            ),
        ] as const,
    ),
    [
      "session-elsewhere",
      "A schedule of a workspace in a session that is not the workspace's is 404.",
      async (world) => {
        const body = { ...LATER, session_id: NO_ID };
        expectRefused(await world.post(`${await at(world)}/schedules`, body), 404, "not_found");
      },
    ],
    [
      "member-removed",
      "Taking a former manager out of a workspace cancels its schedules there.",
      async (world) => {
        const of = `/v1/workspaces/${await makeWorkspace(world)}`;
        const id = world.made(await world.post(`${of}/schedules`, LATER));
        const memberId = textOf(await world.get(`${of}/members`), "items", 0, "id");
        expectStatus(await world.send("PATCH", of, { manager_agent_id: await makeAgent(world) }), 200);
        expectStatus(await world.send("DELETE", `${of}/members/${memberId}`, undefined), 200);
        expectMember(expectStatus(await world.get(`${of}/schedules/${id}`), 200), "status", "cancelled");
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "workflow", needs: inWorkspaces }, [
    [
      "create",
      "Writing a new workflow is 201 with its first version, which is not active.",
      async (world) => {
        const id = world.uuid();
        const answer = await world.send("PUT", `${await at(world)}/workflows/${id}`, {
          name: "triage",
          prompt: "Look.",
        });
        expectFields(expectStatus(answer, 201), {
          ...workflowFields,
          id: exactly(id),
          name: exactly("triage"),
        });
      },
    ],
    [
      "next-version",
      "Writing another prompt is 200 with the next version; the active one stays.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        const id = world.made(await world.send("PUT", path, { name: "triage", prompt: "Look." }));
        expectStatus(await world.post(`/v1/workflows/${id}/activate`, {}), 200);
        const answer = expectStatus(
          await world.send("PUT", path, { name: "triage", prompt: "Look again." }),
          200,
        );
        expectMember(answer, "version", 2);
        expectMember(answer, "active_version", 1);
      },
    ],
    [
      "same",
      "Writing a workflow as it is makes no version.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        const body = { name: "triage", prompt: "Look." };
        expectStatus(await world.send("PUT", path, body), 201);
        expectMember(expectStatus(await world.send("PUT", path, body), 200), "version", 1);
      },
    ],
    [
      "list",
      "The workflows of a workspace are listed.",
      async (world) => {
        const of = `/v1/workspaces/${await makeWorkspace(world)}`;
        const id = world.uuid();
        expectStatus(
          await world.send("PUT", `${of}/workflows/${id}`, { name: "triage", prompt: "Look." }),
          201,
        );
        expectMember(expectStatus(await world.get(`${of}/workflows`), 200), "items.0.id", id);
      },
    ],
    [
      "delete",
      "Deleting a workflow is 200 with it, and 404 after that.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        const id = world.made(await world.send("PUT", path, { name: "triage", prompt: "Look." }));
        expectMember(expectStatus(await world.send("DELETE", path, undefined), 200), "id", id);
        expectRefused(await world.send("DELETE", path, undefined), 404, "not_found");
      },
    ],
    [
      "deleted-activate",
      "A workflow that was deleted is not activated: 404.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        const id = world.made(await world.send("PUT", path, { name: "triage", prompt: "Look." }));
        expectStatus(await world.send("DELETE", path, undefined), 200);
        expectRefused(await world.post(`/v1/workflows/${id}/activate`, {}), 404, "not_found");
      },
    ],
    [
      "of-another-workspace",
      "A workflow of a workspace is not written below another one: 404.",
      async (world) => {
        const id = world.uuid();
        const body = { name: "triage", prompt: "Look." };
        expectStatus(await world.send("PUT", `${await at(world)}/workflows/${id}`, body), 201);
        const elsewhere = `/v1/workspaces/${await makeWorkspace(world)}/workflows/${id}`;
        expectRefused(await world.send("PUT", elsewhere, body), 404, "not_found");
      },
    ],
    [
      "no-uuid",
      "A workflow whose id is no UUID is 400.",
      async (world) => {
        const answer = await world.send("PUT", `${await at(world)}/workflows/triage`, {
          name: "x",
          prompt: "Look.",
        });
        expectRefused(answer, 400, "invalid_request");
      },
    ],
    [
      "ai-client",
      "An AI client writes a workflow, and does not activate it: 403 with a link for the owner.",
      async (world) => {
        const path = `${await at(world)}/workflows/${world.uuid()}`;
        const made = expectStatus(await world.send("PUT", path, { name: "x", prompt: "Look." }, "ai"), 201);
        const id = textOf(made, "id");
        const answer = expectRefused(await world.post(`/v1/workflows/${id}/activate`, {}, "ai"), 403);
        const link = `/agent/${textOf(made, "agent_id")}?workflow=${id}`;
        expectThat(textOf(answer, "error").includes(link), `an error text with ${link}`, answer);
      },
      ["ai_client"],
    ],
  ]),
];
