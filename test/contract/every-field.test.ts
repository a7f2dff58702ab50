// Every field of a request whose answer has a field of that name: what was sent is what is answered. A field that a use case
// forgets is answered as it was before, or not at all.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type DocumentedRoute,
  documentedRoutes,
  documentedSchemas,
  exampleBodies,
  type JsonObject,
  mainCallerOf,
} from "../support/document-checker.ts";
import { DocumentedWorld, type WorldJob } from "../support/every-route/documented-world.ts";
import { valuesOf } from "../support/every-route/schema-values.ts";
import {
  fitted,
  makeStandingThings,
  paramsFor,
  type StandingThings,
} from "../support/every-route/standing-things.ts";
import { sqliteStore } from "../support/stores/stores.ts";

type Fields = Readonly<Record<string, unknown>>;
type Case = { readonly route: DocumentedRoute; readonly field: string; readonly schema: JsonObject };

const JSON_TYPE = "application/json";
const SEED = 1;
const DRAWN = 20;

/** What takes more than a request beside the standing things. Each has a test of its noun. */
const elsewhere: Readonly<Record<string, string>> = {
  "agentsCreate: model": "a model that the service has",
  "agentsCreate: user_id": "nothing: it is not read",
  "agentsUpdate: ci_policy": "an agent of a repository",
  "repositoryAccessPut: kind": "an agent of a repository",
  // test/service/core/runs/report-delivery.test.ts
  "ciReportDelivery: pull_request": "a report of its own: a job reports once",
  "ciReportDelivery: check_run": "a report of its own: a job reports once",
  "ciReportDelivery: findings": "a report of its own: a job reports once",
  "runsSubmit: session_id": "a session that was begun",
  "workspaceRunsSubmit: session_id": "a session that was begun",
  "workflowsActivate: version": "a second version",
  "membersAdd: role": "a member that is not the manager",
  "sitePublish: revision_id": "a person who is signed in",
  "sitePublish: folder": "a person who is signed in",
  "filesRestore: path": "a file that was deleted",
  "copyFilesRestore: path": "a file that was deleted",
  "changesetsCreate: revision_id": "a request without a copy",
  "changesetsResolve: validation_evidence": "a changeset with conflicts",
};

const nameOf = ({ route, field }: Case): string => `${route.operation.operationId}: ${field}`;

const cases: readonly Case[] = documentedRoutes.flatMap((route) => {
  const { requestBody, responses } = route.operation;
  const asked = propertiesOf(requestBody?.content[JSON_TYPE]?.schema);
  const answered = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content }]) => Object.keys(propertiesOf(content?.[JSON_TYPE]?.schema)));
  return Object.entries(asked)
    .filter(([field]) => answered.includes(field))
    .map(([field, schema]) => ({ route, field, schema: schema as JsonObject }));
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

it("leaves out only fields that there are", () => {
  const names = cases.map(nameOf);
  expect(Object.keys(elsewhere).filter((name) => !names.includes(name))).toEqual([]);
});

it.each(cases.filter((one) => !(nameOf(one) in elsewhere)).map((one) => ({ ...one, name: nameOf(one) })))(
  "$name",
  async ({ route, field, schema }) => {
    const tried: string[] = [];
    for (const { example, value } of valuesFor({ route, field, schema })) {
      const { body, status, sent } = await send(route, { ...example, [field]: value });
      if (status < 300) {
        expect((body as Fields)[field]).toEqual(sent[field]);
        return;
      }
      tried.push(`${JSON.stringify(value)}: ${status} ${JSON.stringify(body)}`);
    }
    expect.fail(`No value was taken:\n${tried.join("\n")}`);
  },
);

/** Those of examples, and drawn ones, in an example that has the field, or in the first one. */
function valuesFor({ route, field, schema }: Case): readonly { example: Fields; value: unknown }[] {
  const examples = exampleBodies(route.operation) as readonly Fields[];
  const shown = examples.filter((one) => field in one).map((example) => ({ example, value: example[field] }));
  const drawn = fc.sample(
    valuesOf(schema, () => [], { field, depth: 0 }),
    { seed: SEED, numRuns: DRAWN },
  );
  // Null last: what a use case forgets is null, too.
  const values = drawn.toSorted((one, other) => Number(one === null) - Number(other === null));
  return [...shown, ...values.flatMap((value) => examples.map((example) => ({ example, value })))];
}

async function send(route: DocumentedRoute, fields: Fields) {
  const caller = mainCallerOf(route.operation);
  const params = { ...paramsFor(route.path, things), ...(caller === "job" ? job.params : {}) };
  const sent = made(fitted(fields, params) as Fields);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "unknown");
  const answer = await world.fixture.api.send(path, {
    method: route.method,
    headers: "idempotency_key" in sent ? {} : { "idempotency-key": crypto.randomUUID() },
    ...(caller === "everybody" ? {} : { bearer: caller === "job" ? job.capability : world.mine.owner }),
    json: sent,
  });
  return { status: answer.status, body: answer.body, sent };
}

/** Nothing that is there is found in the place of what is to be made. */
function made({ if_exists, ...fields }: Fields): Fields {
  return if_exists === undefined ? fields : { ...fields, name: crypto.randomUUID() };
}

function propertiesOf(schema: JsonObject | undefined): Fields {
  const { $ref, properties = {} } = schema ?? {};
  if (typeof $ref === "string") return propertiesOf(documentedSchemas[$ref.split("/").at(-1) ?? ""]);
  return properties as Fields;
}
