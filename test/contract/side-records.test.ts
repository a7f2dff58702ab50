// What the service says and leaves beside an answer, as golden files: the text of each refusal, the rows of the audit trail, who
// is woken by which act, and the names of the metrics. `npm test -- test/contract/side-records -u`
// writes them anew: read the difference before it is committed.

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { auditActions } from "../../src/service/core/audit/audit-entry.ts";
import { prometheusMeter } from "../../src/service/telemetry/metrics.ts";
import { documentedRoutes } from "../support/document-checker.ts";
import { DocumentedWorld } from "../support/every-route/documented-world.ts";
import { Refusals } from "../support/every-route/refusals.ts";
import type { Answer, Call } from "../support/service-client.ts";
import { sqliteStore } from "../support/stores/stores.ts";

/** Each has a test of its own: providers of identities, passkeys, MCP servers and OAuth are not of this world, and no example caps a member. */
const AUDITED_ELSEWHERE = [
  // Of the operator's pages.
  "operator_link_made",
  "operator_added",
  "operator_removed",
  "operator_sign_in",
  "operator_sign_out",
  "mint",
  "release",
  "policy",
  "member_capped",
  "passkey_added",
  "passkey_removed",
  "identity_linked",
  "identity_removed",
  // It takes an authorization server, and a person.
  "mcp_connected",
];

let world: DocumentedWorld;
const refusals = new Set<string>();
const wakes = new Set<string>();

beforeAll(async () => {
  world = await DocumentedWorld.start(sqliteStore);
  const { fixture, play } = world;
  const { api, core } = fixture;
  const { send } = api;
  Object.assign(api, {
    send: async (path: string, options?: Call) => {
      const answer = await send(path, options);
      recordRefusal(path, options?.method ?? "GET", answer);
      return answer;
    },
  });
  const { signals } = core.core;
  const publish = signals.publish.bind(signals);
  vi.spyOn(signals, "publish").mockImplementation((id) => {
    const name = publisher();
    if (name !== null) wakes.add(name);
    publish(id);
  });
  await play.ofAgents();
  await play.ofJobs();
  await play.ofApprovals();
  await play.ofWorkspaces();
  const refused = new Refusals(world);
  await refused.ofKeys();
  await refused.ofErasure();
  await refused.ofFiles();
  await refused.ofStates();
  await refused.ofMoney();
  await refused.ofTime();
  await actInPages();
});

afterAll(() => world.close());

/** What an owner does in the pages alone. */
async function actInPages(): Promise<void> {
  const { fixture, mine } = world;
  const origin = fixture.core.core.policy.baseUrl;
  const post = async (path: string, form: Readonly<Record<string, string>>, cookie = "") =>
    await fixture.api.send(path, { method: "POST", form, headers: { origin, cookie } });
  const { headers } = await post("/sign-in", { key: mine.owner, to: "/settings/keys" });
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  await post("/settings/keys", { name: "new", class: "owner" }, cookie);
  const { text } = await fixture.api.send("/settings/keys", { headers: { cookie } });
  const id = /name="id" value="([^"]+)"/.exec(text)?.[1] ?? "";
  await post("/settings/keys/revoke", { id }, cookie);
  await post("/sign-out", {}, cookie);
}

function recordRefusal(path: string, method: string, { status, body }: Answer): void {
  const { code, error } = (body ?? {}) as { code?: string; error?: string };
  if (status < 400 || code === undefined || error === undefined) return;
  // The same words for every body: every-route.test.ts and unknown-fields.test.ts have them.
  if (code === "invalid_request" || code === "idempotency_key_reused") return;
  const route = documentedRoutes.find((one) => {
    const pattern = one.path.replace(/\{\w+\}/g, "[^/]+");
    return one.method === method && new RegExp(`^${pattern}$`).test(path.split("?")[0] ?? "");
  });
  refusals.add(`${route?.operation.operationId} ${status} ${code}: ${normal(error)}`);
}

/** Without what is another one in each run. */
function normal(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "{id}")
    .replaceAll(/\b[\da-f]{40}\b/g, "{sha}")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "{service}")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "{time}");
}

/** The use case that publishes: its name stays where its file moves. Null for the work of the executor, which has its own pace. */
function publisher(): string | null {
  const frames = (new Error().stack ?? "").split("\n").filter((line) => line.includes("/src/service/"));
  const [, name, folder] =
    /at (?:async )?(\w+) \(.*\/src\/service\/(\w+)\//.exec(
      frames.find((line) => !line.includes("RunSignals")) ?? "",
    ) ?? [];
  return folder === "core" ? (name ?? null) : null;
}

const lines = (all: Iterable<string>): string => `${[...all].sort().join("\n")}\n`;

it("refuses in these words", async () => {
  expect(refusals.size).toBeGreaterThan(60);
  await expect(lines(refusals)).toMatchFileSnapshot("./golden/refusals.txt");
});

it("leaves these rows in the audit trail", async () => {
  const query = { accountId: null, repositoryName: null, before: null, limit: 1_000 };
  const rows = await Promise.all(
    auditActions.map((action) => world.fixture.core.store.committed.audit.list({ ...query, action })),
  );
  const shapes = rows.flat().map((row) => {
    const { action, outcome, id: _, at: __, ...rest } = row;
    const filled = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    return `${action} ${outcome}: ${filled
      .map(([name]) => name)
      .sort()
      .join(", ")}`;
  });
  await expect(lines(new Set(shapes))).toMatchFileSnapshot("./golden/audit.txt");
  const seen = new Set(rows.flat().map(({ action }) => action));
  const unseen = auditActions.filter((action) => !seen.has(action));
  expect(unseen.sort()).toEqual(AUDITED_ELSEWHERE.toSorted());
});

it("wakes those who wait after these acts", async () => {
  await expect(lines(wakes)).toMatchFileSnapshot("./golden/wakes.txt");
});

it("names its metrics so", async () => {
  const meter = prometheusMeter();
  meter.watch({
    runsInFlight: () => 0,
    runsWaiting: async () => 0,
    loopDelayMs: () => 0,
    blobsMissing: () => 0,
    storageFailures: () => 0,
    load: () => ({ requests: 0, polls: 0, sockets: 0 }),
  });
  const { text } = await meter.exposition();
  const named = text.split("\n").filter((line) => /^# (?:HELP|TYPE) agent_service_/.test(line));
  expect(named.length).toBeGreaterThan(20);
  await expect(lines(named)).toMatchFileSnapshot("./golden/metrics.txt");
});
