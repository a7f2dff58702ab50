// Bodies of the routes of workspaces: refusals, field by field (7: a malformed request is 400), and fields that they do not
// have.

import { LATER, NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectRefused, expectThat, listOf } from "../kit/expect.ts";
import { fill, type RouteFact, routes } from "../kit/routes.ts";
import type { Need, Statement } from "../kit/statement.ts";
import { workspaceOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

type Wrong = Readonly<Record<string, unknown>>;

const id: Wrong = { "no UUID": "current", number: 1, list: [NO_ID] };
const neededId: Wrong = { ...id, missing: undefined, null: null };
const text = (max: number): Wrong => ({
  number: 1,
  object: {},
  empty: "",
  NUL: "a\0b",
  "half a pair": "a\ud800",
  [`longer than ${max}`]: "x".repeat(max + 1),
});
const neededText = (max: number): Wrong => ({ ...text(max), missing: undefined, null: null });
const whole = (min: number, max: number): Wrong => ({
  text: String(min),
  fraction: min + 0.5,
  [`below ${min}`]: min - 1,
  [`above ${max}`]: max + 1,
});
const object: Wrong = { text: "x", list: [], number: 1, null: null };
const time: Wrong = { "no time": "tomorrow", number: 1_900_000_000 };
const key: Wrong = { number: 1, "longer than 255": "k".repeat(256) };

type Body = {
  /** As the table of routes spells it, without /v1/workspaces/{workspaceID}. */
  readonly route: string;
  /** The right body; each statement makes one field of it wrong. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, Wrong>>;
  /** A field that it does not have, near one that it has. */
  readonly misspelled: readonly [name: string, value: unknown];
  readonly needs?: readonly Need[];
};

const decision = { expected_current_revision: NO_ID, validation_evidence: "Read." };
const files: readonly Need[] = ["files"];

const bodies: readonly Body[] = [
  {
    route: "POST /v1/workspaces",
    base: { name: "conform" },
    fields: { name: text(255), metadata: object, default_manager_agent_id: id },
    misspelled: ["manager", NO_ID],
  },
  {
    route: "PATCH ",
    base: {},
    fields: { name: text(255), metadata: object, manager_agent_id: id },
    misspelled: ["manager_agent", NO_ID],
  },
  {
    route: "POST /members",
    base: { agent_id: NO_ID },
    fields: { agent_id: neededId, role: { unknown: "owner", null: null, number: 1 } },
    misspelled: ["rolle", "manager"],
  },
  {
    route: "POST /threads",
    base: {},
    fields: { title: text(255), agent_id: id, idempotency_key: key },
    misspelled: ["titel", "Talk"],
  },
  {
    route: "POST /runs",
    base: { message: "hello" },
    fields: {
      message: { number: 1, missing: undefined, null: null, empty: "" },
      idempotency_key: key,
      executor_agent_id: id,
      working_copy_id: id,
      task_group_id: id,
      max_turn_tokens: whole(0, 5_000_000),
    },
    misspelled: ["working_copy", NO_ID],
  },
  {
    route: "POST /context-items",
    base: { content: "Short." },
    fields: {
      content: { missing: undefined, null: null, number: 1, empty: "", NUL: "a\0b" },
      title: text(255),
      kind: { unknown: "image", number: 1 },
      idempotency_key: key,
    },
    misspelled: ["contents", "Short."],
  },
  {
    route: "POST /storage/adopt",
    base: { agent_id: NO_ID },
    fields: { agent_id: neededId, sha: { short: "abc", "upper case": "A".repeat(40), number: 1 } },
    misspelled: ["commit", "a".repeat(40)],
  },
  {
    route: "POST /checkpoints",
    base: {},
    fields: { working_copy_id: id, message: text(10_000), idempotency_key: key },
    misspelled: ["working_copy", NO_ID],
  },
  {
    route: "POST /copies",
    base: {},
    fields: { base_revision_id: id, idempotency_key: key },
    misspelled: ["base_revision", NO_ID],
  },
  {
    route: "POST /retention/pins",
    base: { revision_id: NO_ID, reason: "kept" },
    fields: { revision_id: neededId, reason: neededText(1_000), until: time },
    misspelled: ["util", "2099-01-01T00:00:00Z"],
  },
  {
    route: "POST /changesets",
    base: { revision_id: NO_ID, title: "conform" },
    fields: {
      title: { ...neededText(200), "only spaces": "  " },
      summary: { number: 1, "longer than 20000": "x".repeat(20_001) },
      working_copy_id: id,
      revision_id: id,
      idempotency_key: key,
    },
    misspelled: ["revision", NO_ID],
  },
  {
    route: "POST /changesets/{changesetID}/reject",
    base: {},
    fields: { reason: { number: 1, null: null, empty: "" }, idempotency_key: key },
    misspelled: ["reasons", "No."],
    needs: files,
  },
  {
    route: "POST /changesets/{changesetID}/accept",
    base: decision,
    fields: { idempotency_key: key },
    misspelled: ["expected_revision", NO_ID],
    needs: files,
  },
  {
    route: "POST /changesets/{changesetID}/resolve",
    base: { ...decision, resolutions: [] },
    fields: {
      resolved_revision_id: id,
      idempotency_key: key,
      resolutions: {
        text: "ours",
        object: {},
        "no take": [{ path: "x" }],
        "unknown take": [{ path: "x", take: "both" }],
        "no path": [{ take: "ours" }],
        "no content": [{ path: "x", take: "content" }],
        "unknown field": [{ path: "x", take: "ours", contents: "x" }],
      },
    },
    misspelled: ["resolution", []],
    needs: files,
  },
  ...["", "/copies/{workingCopyID}"].flatMap((copy): readonly Body[] => [
    {
      route: `PUT ${copy}/files/write`,
      base: { path: "new.txt", content: "x" },
      fields: {
        path: { number: 1, null: null, empty: "" },
        content: { number: 1, null: null, object: {} },
        mode: { number: 100_644 },
      },
      misspelled: ["contents", "x"],
      needs: files,
    },
    ...["delete", "restore", "download-url"].map(
      (route): Body => ({
        route: `POST ${copy}/files/${route}`,
        base: { path: "nowhere.txt" },
        fields: { path: { missing: undefined, null: null, number: 1, empty: "" } },
        misspelled: ["pfad", "a.txt"],
        needs: files,
      }),
    ),
    {
      route: `POST ${copy}/files/empty-trash`,
      base: {},
      fields: {},
      misspelled: ["handle", "trash/x"],
      needs: files,
    },
  ]),
  {
    route: "POST /workers",
    base: { task_group_id: NO_ID, message: "hello" },
    fields: {
      task_group_id: neededId,
      message: { number: 1, null: null },
      working_copy_id: id,
      base_revision_id: id,
      executor_agent_id: id,
      max_turn_tokens: whole(0, 5_000_000),
      idempotency_key: key,
    },
    misspelled: ["base_revision", NO_ID],
  },
  {
    route: "POST /task-groups",
    base: { name: "conform" },
    fields: {
      name: neededText(255),
      budget_credits: whole(1, 1_000_000_000),
      max_workers: whole(1, 100),
      idempotency_key: key,
    },
    misspelled: ["budget", 5],
  },
  {
    route: "PUT /site",
    base: {},
    fields: { revision_id: id, folder: { number: 1, "longer than 4096": "x".repeat(4_097) } },
    misspelled: ["revision", NO_ID],
  },
  {
    route: "POST /site/open",
    base: {},
    fields: { path: { number: 1, null: null } },
    misspelled: ["page", "a.html"],
  },
  {
    route: "POST /schedules",
    base: LATER,
    fields: {
      prompt: { number: 1, missing: undefined, null: null },
      metadata: object,
      session_id: { number: 1 },
      delay_seconds: { text: "60", fraction: 1.5, negative: -1, null: null },
    },
    misspelled: ["delay", 60],
  },
  {
    route: "PUT /workflows/{workflowID}",
    base: { name: "conform", prompt: "Look." },
    fields: { name: neededText(255), prompt: { ...neededText(100_000) } },
    misspelled: ["prompts", "Look."],
  },
];

export const workspaceBodies: readonly Statement[] = bodies.flatMap((body) => {
  const route = factOf(body);
  const name = body.route.trim();
  const common = { section: "7", needs: ["workspaces", ...(body.needs ?? [])] as const };
  const ask = async (world: World, json: unknown, hasKey: boolean) =>
    await world.ask({
      method: route.method,
      path: await pathOf(world, route),
      json,
      ...(hasKey ? { headers: { "idempotency-key": world.uuid() } } : {}),
    });
  const [misspelled, value] = body.misspelled;
  return [
    ...Object.entries(body.fields).flatMap(([field, wrong]) =>
      Object.entries(wrong).map(
        ([what, value]): Statement => ({
          ...common,
          id: `body/${name}/${field}/${what}`,
          says: `${name} refuses ${field} that is wrong in this way: ${what}.`,
          check: async (world) => {
            // A key in the header wins over the body's, which is then not read.
            const answer = await ask(world, { ...body.base, [field]: value }, field !== "idempotency_key");
            expectRefused(answer, 400, "invalid_request");
          },
        }),
      ),
    ),
    {
      ...common,
      id: `body/${name}/unknown field`,
      says: `${name} refuses ${misspelled}, which it does not have, and names it.`,
      check: async (world) => {
        const answer = await ask(world, { ...body.base, [misspelled]: value }, true);
        expectRefused(answer, 400, "invalid_request");
        const wrong = listOf(answer, "fields").find((one) => member(one, "field") === misspelled);
        expectThat(member(wrong, "reason") === "unknown_field", `${misspelled} as an unknown_field`, answer);
      },
    },
    {
      ...common,
      id: `body/${name}/no object`,
      says: `${name} refuses a body that is a list.`,
      check: async (world) => void expectRefused(await ask(world, [body.base], true), 400, "invalid_request"),
    },
    {
      ...common,
      id: `body/${name}/no JSON`,
      says: `${name} refuses a body that is no JSON.`,
      check: async (world) => {
        const headers = { "idempotency-key": world.uuid(), "content-type": "application/json" };
        const path = await pathOf(world, route);
        const answer = await world.ask({ method: route.method, path, headers, raw: '{"name": ' });
        expectRefused(answer, 400, "invalid_request");
      },
    },
    {
      ...common,
      id: `body/${name}/type`,
      says: `${name} refuses a body of another type than JSON with 415.`,
      check: async (world) => {
        const headers = { "idempotency-key": world.uuid(), "content-type": "text/plain" };
        const path = await pathOf(world, route);
        const answer = await world.ask({
          method: route.method,
          path,
          headers,
          raw: JSON.stringify(body.base),
        });
        expectRefused(answer, 415, "unsupported_media_type");
      },
    },
  ];
});

function factOf({ route }: Body): RouteFact {
  const [method, path = ""] = route.split(" ");
  const whole = path.startsWith("/v1/") ? path : `/v1/workspaces/{workspaceID}${path}`;
  const fact = routes.find((one) => one.method === method && one.path === whole);
  if (fact === undefined) throw new TypeError(`There is no route ${route}.`);
  return fact;
}

async function pathOf(world: World, route: RouteFact): Promise<string> {
  return fill(route, await workspaceOf(world, "owner"));
}
