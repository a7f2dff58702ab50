// Fields and query parameters that a request has and its route does not: refused on every route, at every level of the body, but
// for those that are open by the specification or by an RFC.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { type ObjectPlace, objectPlaces } from "../../src/contract/closed-objects.ts";
import type { RouteExamples } from "../../src/contract/examples.ts";
import { examples } from "../../src/contract/openapi/components.ts";
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import { jsonBody, query, type Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { clientFrameSchema } from "../../src/contract/sessions/client-frames.ts";
import { tools } from "../../src/service/api/mcp/tool-table.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { scriptedBackend } from "../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../support/service-account.ts";
import type { Answer } from "../support/service-client.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e";

/** Objects in bodies that take any name, and whose they are. */
const OPEN: Readonly<Record<string, string>> = {
  ciExchange: "RFC 6749 §3.2 and RFC 8693: unrecognized parameters are ignored.",
  ...Object.fromEntries(
    ["", " context[]", " forwardedProps", " messages[]", " resume[]", " tools[]"].map((place) => [
      `agUiRun${place}`,
      "AG-UI's: unknown material is ignored.",
    ]),
  ),
  "agentsCreate config": "Opaque to the service.",
  "schedulesCreate metadata": "The caller's own.",
  "workspaceSchedulesCreate metadata": "The caller's own.",
  "workspacesCreate metadata": "The caller's own.",
  "workspacesUpdate metadata": "The caller's own.",
  "runsSubmit mcp_servers": "Names of servers.",
  "runsSubmit mcp_access": "Names of servers.",
  "workspaceRunsSubmit mcp_access": "Names of servers.",
  "ciRenewMcpAccess mcp_access": "Names of servers.",
  "workspaceRunsSubmit mcp_servers": "Names of servers.",
  "workersStart mcp_servers": "Names of servers.",
  "runsSubmit output_schema": "A JSON Schema.",
  "workspaceRunsSubmit output_schema": "A JSON Schema.",
  "workersStart output_schema": "A JSON Schema.",
};

const run = {
  messages: [{ role: "user", content: "Look.", parts: [{ type: "image", path: "a.png" }] }],
  mcp_servers: { docs: { url: "https://mcp.example/mcp", auth: { type: "job" } } },
};
const fromJob = {
  ...run,
  about: { subject: { type: "issue", number: 7 } },
  outputs: {
    labels: { allowed: ["bug"], max: 1 },
    assign: { allowed: ["octocat"], max: 1 },
    reviewers: { allowed: ["team/core"], max: 1 },
    close: { reasons: ["duplicate"] },
    issue: { max: 1 },
    discussion: { category: "Ideas", max: 1 },
    dispatch: { workflows: ["release.yml"], max: 1 },
  },
  pull_request: { number: 1, head_sha: SHA, base_ref: "main" },
  mcp_access: { docs: { access_token: "t", expires_at: "2030-01-01T00:00:00Z" } },
  model_access: {
    provider: "foundry",
    model: "claude-x",
    address: { resource: "octo" },
    access_token: "t",
    expires_at: "2030-01-01T00:00:00Z",
  },
};
const decision = {
  expected_current_revision: UNKNOWN_ID,
  validation_evidence: [{ kind: "tests", text: "They pass." }],
};
/** Bodies that have the objects which the document's examples leave out. */
const whole: Readonly<Record<string, unknown>> = {
  runsSubmit: fromJob,
  workspaceRunsSubmit: fromJob,
  workersStart: { ...run, task_group_id: UNKNOWN_ID },
  agentsUpdate: { ci_policy: { events: ["push"] } },
  changesetsAccept: decision,
  changesetsResolve: { ...decision, resolutions: [{ path: "a", take: "ours" }] },
};

const all: readonly Route[] = Object.values(routes).flatMap((noun) => Object.values(noun));
const given: ReadonlyMap<string, RouteExamples> = new Map(
  Object.entries(routes).flatMap(([noun, ofNoun]) => {
    const ofExamples: Readonly<Record<string, RouteExamples>> = examples[noun as keyof typeof examples];
    return Object.entries(ofNoun).map(([name, route]) => [route.operationId, ofExamples[name] ?? {}]);
  }),
);

type Place = ObjectPlace & { readonly route: Route };
const places: readonly Place[] = all.flatMap((route) =>
  route.body?.kind === "json" ? objectPlaces(route.body.schema).map((place) => ({ ...place, route })) : [],
);
const nameOf = ({ route, path }: Place) => `${route.operationId} ${path}`.trim();
const strictPlaces = [...new Map(places.map((place) => [nameOf(place), place])).values()].filter(
  ({ kind }) => kind === "strict",
);

describe("unknown fields", () => {
  let fixture: CoreFixture;
  let api: Awaited<ReturnType<typeof openCaller>>;
  let mine: TestAccount;
  let capability: string;

  beforeAll(async () => {
    fixture = await startFixture({ level: "core", backend: scriptedBackend(async () => {}) });
    api = await openCaller(fixture);
    mine = await makeAccount(fixture);
    const exchanged = await send(
      "POST",
      "/v1/ci/oidc/exchange",
      { subject_token: "token", made_up: 1 },
      null,
    );
    capability = exchangeResponseSchema.parse(exchanged.body).access_token;
  });

  afterAll(() => api.close());

  async function send(method: string, path: string, json: unknown, bearer: string | null = mine.owner) {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return await api.send(path, { method, json, headers, ...(bearer === null ? {} : { bearer }) });
  }

  async function sendTo({ method, path, callers }: Route, json: unknown): Promise<Answer> {
    const isJobs = !callers.includes("owner");
    const filled = path.replace(/\{\w+\}/g, UNKNOWN_ID);
    return await send(method, filled, json, isJobs ? capability : mine.owner);
  }

  it("are refused wherever they are not open", () => {
    expect(
      places
        .filter(({ kind }) => kind !== "strict")
        .map(nameOf)
        .sort(),
    ).toEqual(Object.keys(OPEN).sort());
    expect(strictPlaces.length).toBeGreaterThan(50);
  });

  it.each(strictPlaces.map((place) => [nameOf(place), place] as const))(
    "are refused in %s",
    async (_, place) => {
      const { route, path } = place;
      const bodies = [whole[route.operationId], ...exampleBodies(route)].filter((one) => one !== undefined);
      const spoiled = bodies.flatMap((body) => withUnknown(body, path));
      const [first] = spoiled;
      if (first === undefined)
        throw new Error(`No body here has the object ${nameOf(place)}. Add one to "whole".`);
      const answer = await sendTo(route, first.body);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({
        code: "invalid_request",
        fields: expect.arrayContaining([
          {
            field: first.field,
            reason: "unknown_field",
            allowed: expect.stringContaining("is not a known field."),
          },
        ]),
      });
    },
  );

  it.each([
    ["task-groups", { name: "Translate", budget: 5 }, "budget", "budget_credits"],
    ["checkpoints", { working_copy: UNKNOWN_ID }, "working_copy", "working_copy_id"],
    ["copies", { base_revision: UNKNOWN_ID }, "base_revision", "base_revision_id"],
    ["members", { agent_id: UNKNOWN_ID, rolle: "worker" }, "rolle", "role"],
  ])("of %s are refused with the nearest name", async (noun, body, field, meant) => {
    const answer = await send("POST", `/v1/workspaces/${UNKNOWN_ID}/${noun}`, body);
    expect(answer.status).toBe(400);
    const said = `is not a known field. Did you mean "${meant}"? Allowed: `;
    expect(answer.body).toMatchObject({
      code: "invalid_request",
      error: expect.stringContaining(`"${field}" ${said}`),
      fields: [{ field, reason: "unknown_field", allowed: expect.stringContaining(said) }],
    });
  });

  it("of one object are named one by one", async () => {
    const body = { name: "x", modell: "a", configs: {} };
    const { status, body: problem } = await send("POST", "/v1/agents", body);
    expect(status).toBe(400);
    const allowed = 'Allowed: "config", "if_exists", "kind", "model", "name", "user_id"';
    const reason = "unknown_field";
    expect(problem).toMatchObject({
      fields: [
        { field: "modell", allowed: `is not a known field. Did you mean "model"? ${allowed}`, reason },
        { field: "configs", allowed: `is not a known field. Did you mean "config"? ${allowed}`, reason },
      ],
    });
  });

  it("leave user_id of a new agent out, as the specification has it", async () => {
    const body = { name: "x", user_id: UNKNOWN_ID, config: { any: { thing: 1 } } };
    const answer = await send("POST", "/v1/agents", body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ user_id: mine.id, config: { any: { thing: 1 } } });
  });

  it.each(all.flatMap((route) => (route.query === undefined ? [] : [[route.operationId, route] as const])))(
    "in the query of %s are refused",
    async (_, { method, path, callers }) => {
      const bearer = callers.includes("owner") ? mine.owner : capability;
      const filled = path.replace(/\{\w+\}/g, UNKNOWN_ID);
      const answer = await api.send(`${filled}?made_up=1`, { method, bearer });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({
        code: "invalid_request",
        fields: expect.arrayContaining([
          expect.objectContaining({ field: "made_up", reason: "unknown_field" }),
        ]),
      });
    },
  );

  it("in a query that begin with an underscore are not read: they get past caches", async () => {
    const { status } = await api.send("/v1/agents?_=1764000000&include_independent=true", {
      bearer: mine.owner,
    });
    expect(status).toBe(200);
  });

  it("are refused in frames of a socket and in arguments of tools", () => {
    const ofFrames = objectPlaces(clientFrameSchema).filter(({ kind }) => kind === "open");
    const ofTools = tools.flatMap(({ input, listing }) =>
      objectPlaces(input)
        .filter(({ kind }) => kind === "open")
        .map(({ path }) => `${listing.name} ${path}`),
    );
    expect([...ofFrames, ...ofTools]).toEqual([]);
  });

  it("are ignored in answers", () => {
    for (const { answer, operationId } of all) {
      if (typeof answer === "string") continue;
      const closed = strictPaths(answer);
      expect(closed, operationId).toEqual([]);
    }
  });

  it("cannot be forgotten by a new route", () => {
    const open = z.object({ a: z.optional(z.array(z.object({ b: z.string() }))) });
    expect(() => jsonBody(open, 1)).toThrow(
      "A request takes unknown fields in it, a[]. Make it by strictObject",
    );
    expect(() => query(open)).toThrow("A request takes unknown fields");
  });

  it("are closed in the document, in bodies alone", async () => {
    const { components } = openApiDocument("http://service.example") as {
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    };
    const requests = new Set(strictPlaces.map(({ route }) => route.operationId)).size;
    const bodies = Object.entries(components.schemas).filter(([name]) => name.endsWith("Request"));
    expect(bodies.length).toBeGreaterThan(requests / 2);
    const isOpen = (name: string) => name === "ExchangeRequest";
    for (const [name, schema] of bodies)
      if (!isOpen(name)) expect(JSON.stringify(schema), name).toContain('"additionalProperties":false');
    for (const name of ["Agent", "Run", "Workspace", "Changeset"])
      expect(JSON.stringify(components.schemas[name]), name).not.toContain('"additionalProperties":false');
  });
});

function exampleBodies({ operationId }: Route): readonly unknown[] {
  return Object.values(given.get(operationId)?.body ?? {}).map(({ value }) => value);
}

/** The objects that refuse unknown fields, by their paths. */
function strictPaths(schema: z.ZodMiniType): readonly string[] {
  return objectPlaces(schema)
    .filter(({ kind }) => kind === "strict")
    .map(({ path }) => path);
}

/** The body with an unknown field in the object at the path, where it has one; and that field's path as a refusal names it. */
function withUnknown(
  body: unknown,
  path: string,
): readonly { readonly body: unknown; readonly field: string }[] {
  const copy: unknown = structuredClone(body);
  const steps = path
    .replaceAll("[]", ".0")
    .split(".")
    .filter((step) => step !== "");
  const taken: string[] = [];
  let at: unknown = copy;
  for (const step of steps) {
    if (typeof at !== "object" || at === null) return [];
    const key = step === "*" ? (Object.keys(at)[0] ?? "") : step;
    taken.push(key);
    at = (at as Record<string, unknown>)[key];
  }
  if (typeof at !== "object" || at === null) return [];
  (at as Record<string, unknown>).made_up = 1;
  return [{ body: copy, field: [...taken, "made_up"].join(".") }];
}
