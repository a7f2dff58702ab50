// Every bound that the OpenAPI document names of a request's field: a value at the bound is taken, one beyond it is refused
// by a message that names the field.

import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type DocumentedRoute,
  documentedRoutes,
  exampleBodies,
  mainCallerOf,
} from "../support/document-checker.ts";
import { DocumentedWorld, type WorldJob } from "../support/every-route/documented-world.ts";
import { type BoundedValue, boundsOf, withValue } from "../support/every-route/schema-bounds.ts";
import {
  fitted,
  makeStandingThings,
  paramsFor,
  type StandingThings,
  takesAway,
} from "../support/every-route/standing-things.ts";
import { sqliteStore } from "../support/stores/stores.ts";

type Case = {
  readonly route: DocumentedRoute;
  readonly where: "body" | "query";
  readonly bound: BoundedValue;
};

const JSON_TYPE = "application/json";

const cases: readonly Case[] = documentedRoutes
  .toSorted((one, other) => takesAway(one) - takesAway(other))
  .flatMap((route) => {
    const { parameters = [], requestBody } = route.operation;
    const ofBody = boundsOf(requestBody?.content[JSON_TYPE]?.schema ?? {});
    const inQuery = parameters.filter((one) => one.in === "query");
    const ofQuery = inQuery.flatMap(({ name, schema }) => boundsOf(schema, [name]));
    return [
      ...ofBody.map((bound) => ({ route, where: "body" as const, bound })),
      ...ofQuery.map((bound) => ({ route, where: "query" as const, bound })),
    ];
  });

let world: DocumentedWorld;
let things: StandingThings;
let job: WorldJob;

beforeAll(async () => {
  world = await DocumentedWorld.start(sqliteStore);
  const { fixture, mine, api } = world;
  things = await makeStandingThings({ fixture, account: mine, api });
  job = await world.job();
});

afterAll(() => world.close());

/** What the answer says of the field with the bound, or of what the field is in. Undefined where it says nothing. */
async function complaint({ route, where, bound }: Case, value: unknown): Promise<string | undefined> {
  const { operation } = route;
  const caller = mainCallerOf(operation);
  const params = { ...paramsFor(route.path, things), ...(caller === "job" ? job.params : {}) };
  const [example] = exampleBodies(operation);
  const body = example === undefined ? undefined : fitted(example, params);
  const json = where === "body" ? withValue(body, bound, value) : body;
  const query = new URLSearchParams({
    ...(operation.parameters?.some(({ name }) => name === "path") ? { path: "a.txt" } : {}),
    ...(where === "query" ? { [bound.name]: String(value) } : {}),
  });
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "unknown");
  const answer = await world.fixture.api.send(`${path}?${query}`, {
    method: route.method,
    // A key in the header goes before one in the body.
    headers: bound.name === "idempotency_key" ? {} : { "idempotency-key": crypto.randomUUID() },
    ...(caller === "everybody" ? {} : { bearer: caller === "job" ? job.capability : world.mine.owner }),
    ...(json === undefined ? {} : { json }),
  });
  expect(answer.status).toBeLessThan(500);
  const dotted = bound.path.join(".");
  const { fields = [] } = (answer.body ?? {}) as { fields?: readonly { field: string; allowed: string }[] };
  return fields.find(({ field }) => dotted === field || dotted.startsWith(`${field}.`))?.allowed;
}

it("has bounds for hundreds of fields", () => {
  expect(cases.length).toBeGreaterThan(250);
});

it.each(cases.map((one) => ({ ...one, name: nameOf(one) })))("$name", async (one) => {
  const beyond = await complaint(one, one.bound.beyond);
  expect(beyond, "a value beyond the bound is refused").toBeDefined();
  if (one.bound.at === undefined) return;
  // Another rule of the field may refuse it still: by other words.
  expect(await complaint(one, one.bound.at), "a value at the bound is taken").not.toBe(beyond);
});

function nameOf({ route, bound }: Case): string {
  return `${route.operation.operationId}: ${bound.path.join(".")}, ${bound.rule}`;
}
