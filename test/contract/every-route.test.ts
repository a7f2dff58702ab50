// Every route of the OpenAPI document, called with every credential, id and body that it should not like: only what the
// document says comes back, and never a 500.

import { afterAll, beforeAll, describe, it } from "vitest";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { putWorkflow } from "../../src/service/core/workflows/workflows.ts";
import { documentedRoutes, expectDeclared } from "../support/document-checker.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { scriptedBackend } from "../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../support/service-account.ts";
import type { Call } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const ODD_IDS = [
  UNKNOWN_ID,
  "x",
  "%00",
  "..%2f..",
  "'; drop table runs; --",
  "%F0%9F%A4%96",
  "i".repeat(5_000),
];

const bodies: readonly Call[] = [
  {},
  { raw: "{", headers: { "content-type": "application/json" } },
  { raw: "null", headers: { "content-type": "application/json" } },
  { raw: '"text"', headers: { "content-type": "application/json" } },
  { raw: "[]", headers: { "content-type": "application/json" } },
  { raw: "<xml/>", headers: { "content-type": "application/xml" } },
  { form: { a: "b" } },
  { json: {} },
  { json: { unknown: true, name: 7, message: null, prompt: [], version: "1", config: "no" } },
  { json: { name: "\0", message: "\0", prompt: "\0", session_id: "\0", idempotency_key: "\0" } },
  { json: { message: "a".repeat(3_000_000) } },
  { json: { ci_policy: null } },
  { json: { ci_policy: { refs: ["refs/heads/main"], actors: ["\0"] } } },
];

onEveryStore((kind) => {
  describe("every route", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let theirs: TestAccount;
    let tokens = 0;
    let ids: Readonly<Record<string, readonly string[]>>;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind, backend: scriptedBackend(async () => {}) });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture);
      theirs = await makeAccount(fixture);
      const runOf = async ({ agent, id }: TestAccount) => {
        const submitted = await fixture.submitter.submit({
          caller: { kind: "account", accountId: id, callerClass: "owner" },
          agentId: agent.id,
          body: { message: "hello" },
          idempotencyKey: null,
        });
        if (!submitted.ok) throw new Error(submitted.refusal.reason);
        return submitted.value.runId;
      };
      const workflowOf = async ({ agent }: TestAccount) => {
        const written = await putWorkflow(fixture.core, {
          agentId: agent.id,
          id: null,
          name: "w",
          prompt: "p",
        });
        if (!written.ok) throw new Error(written.refusal.reason);
        return written.value.id;
      };
      ids = {
        agentID: [mine.agent.id, theirs.agent.id],
        runID: [await runOf(mine), await runOf(theirs)],
        id: [await workflowOf(mine), await workflowOf(theirs)],
        userID: [mine.id, theirs.id],
      };
    });

    afterAll(() => api.close());

    /** A job's, made by the fixture's verifier, which takes each text for a token. */
    const capability = async () => {
      tokens += 1;
      // There are more routes than a repository's jobs may exchange tokens a minute.
      fixture.clock.advance(1_000);
      const json = { subject_token: `token-${tokens}` };
      const answer = await api.send("/v1/ci/oidc/exchange", { method: "POST", json });
      return exchangeResponseSchema.parse(answer.body).access_token;
    };

    it.each(documentedRoutes)(
      "$method $path says only what the document says",
      async ({ method, path, operation }) => {
        const bearers = [
          undefined,
          "wrong",
          `svc_sk_${"a".repeat(49)}`,
          mine.aiClient,
          theirs.owner,
          mine.owner,
        ];
        const isRead = operation.requestBody === undefined;
        // Of its own for each route: one of them ends it.
        bearers.push(await capability());
        for (const filled of fill(path, ids)) {
          for (const bearer of bearers) {
            for (const body of isRead || bearer !== mine.owner ? bodies.slice(0, 1) : bodies) {
              const call = { ...body, method, ...(bearer === undefined ? {} : { bearer }) };
              expectDeclared(`${method} ${filled}`, operation, await api.send(filled, call));
            }
          }
        }
      },
    );
  });
});

/** The path with its parameters filled in: ours, another account's, and what is no id at all. */
function fill(path: string, ids: Readonly<Record<string, readonly string[]>>): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const put = (values: Readonly<Record<string, string>>) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? UNKNOWN_ID);
  const known = (place: number) =>
    Object.fromEntries(names.map((name) => [name, ids[name]?.[place] ?? UNKNOWN_ID]));
  const odd = names.flatMap((name) => ODD_IDS.map((id) => put({ ...known(0), [name]: id })));
  return [put(known(0)), put(known(1)), ...odd];
}
