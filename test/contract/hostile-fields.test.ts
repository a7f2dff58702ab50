// Every field of every JSON body with text that PostgreSQL does not take and with values that are nested too deeply to be
// written: no answer is a 500, and what was taken can be read again.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import type { RouteExamples } from "../../src/contract/examples.ts";
import { examples } from "../../src/contract/openapi/components.ts";
import type { JsonBody, Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { putWorkflow } from "../../src/service/core/workflows/workflows.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../support/service-account.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const DEPTH = 5_000;
const PLACEHOLDER = "hostile value";

/** As JSON: a value that deep has no other form that every program can write. */
const hostileValues: Readonly<Record<string, string>> = {
  "a NUL": JSON.stringify("a\0b"),
  "half a character": String.raw`"a\ud800b"`,
  "an object with a NUL for a name": JSON.stringify({ "\0": "\0" }),
  "an object with half a character for a name": String.raw`{"\ud800":"\udfff"}`,
  "an object with a prototype": String.raw`{"__proto__":{"a":1}}`,
  "deep arrays": "[".repeat(DEPTH) + "]".repeat(DEPTH),
  "an object with deep arrays": `{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`,
  "deep objects": `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
  "a list with a NUL": JSON.stringify(["\0"]),
  "a list of deep objects": `[${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}]`,
};

type Bodied = {
  readonly name: string;
  readonly route: Route;
  readonly body: JsonBody;
  readonly example: object;
};

const bodied: readonly Bodied[] = Object.entries(routes).flatMap(([noun, ofNoun]) => {
  const given: Readonly<Record<string, RouteExamples>> = examples[noun as keyof typeof examples];
  return Object.entries(ofNoun).flatMap(([name, route]: [string, Route]) => {
    const [first] = Object.values(given[name]?.body ?? {});
    if (route.body?.kind !== "json" || first === undefined) return [];
    // Without the session, which nobody has: the other fields then reach the store.
    const { session_id: _, ...example } = first.value as Readonly<Record<string, unknown>>;
    return [{ name: route.operationId, route, body: route.body, example }];
  });
});

/** The example with the placeholder in each of its fields in turn, and in each field that it does not have. */
function withPlaceholders(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, at) => withPlaceholders(item).map((other) => value.with(at, other)));
    return [PLACEHOLDER, ...inner];
  }
  if (typeof value !== "object" || value === null) return [PLACEHOLDER];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    withPlaceholders(item).map((other) => ({ ...value, [name]: other })),
  );
  return [PLACEHOLDER, ...inner];
}

function hostileBodies({ body, example }: Bodied): string[] {
  const { shape } = body.schema as z.ZodMiniObject;
  const missing = Object.keys(shape)
    .filter((name) => !(name in example))
    .map((name) => ({ ...example, [name]: PLACEHOLDER }));
  return (
    [...withPlaceholders(example), ...missing]
      // The fixture's verifier takes every text for a token. The form of real ones is strict.
      .filter((one) => (one as { subject_token?: unknown }).subject_token !== PLACEHOLDER)
      .flatMap((one) =>
        Object.values(hostileValues).map((value) =>
          JSON.stringify(one).replace(JSON.stringify(PLACEHOLDER), () => value),
        ),
      )
  );
}

onEveryStore((kind) => {
  describe("hostile fields", () => {
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let ids: Readonly<Record<string, string>>;
    let capability: string;

    beforeAll(async () => {
      const fixture = await startFixture({ level: "core", store: kind });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture, "subscribed");
      const written = await putWorkflow(fixture.core, {
        agentId: mine.agent.id,
        id: null,
        name: "w",
        prompt: "p",
      });
      if (!written.ok) throw new Error(written.refusal.reason);
      ids = { agentID: mine.agent.id, id: written.value.id };
      const json = { subject_token: "token" };
      const answer = await api.send("/v1/ci/oidc/exchange", { method: "POST", json });
      capability = exchangeResponseSchema.parse(answer.body).access_token;
    });

    afterAll(() => api.close());

    it.each(bodied)("$name answers none with a 500", async ({ route, ...rest }) => {
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
      const bearer = route.callers.includes("owner") ? mine.owner : capability;
      for (const raw of hostileBodies({ route, ...rest })) {
        const headers = { "content-type": "application/json" };
        const answer = await api.send(path, { method: route.method, bearer, raw, headers });
        expect(answer.status, `${raw.slice(0, 300)} got ${answer.text.slice(0, 200)}`).toBeLessThan(500);
      }
    });

    it("keeps nothing that it cannot show", async () => {
      const { agentID } = ids;
      for (const path of [
        "/v1/agents",
        `/v1/agents/${agentID}`,
        `/v1/agents/${agentID}/runs`,
        `/v1/agents/${agentID}/schedules`,
      ]) {
        const answer = await api.send(path, { bearer: mine.owner });
        expect([path, answer.status]).toEqual([path, 200]);
      }
    });
  });
});
