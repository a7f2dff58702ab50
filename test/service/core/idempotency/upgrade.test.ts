// Keys of requests whose first answer was given by another version of the service, which compared requests in another form.

import { afterEach, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { REQUEST_FORM } from "../../../../src/service/core/idempotency/request-hash.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY = "nightly";
/** As versions wrote it that had no form, of a request that is written otherwise today. */
const OLD_HASH = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";

onEveryStore((store) => {
  describe("a key of another version", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    let workspaceId: string;

    const start = async () => {
      fixture = await startFixture({ level: "core", store });
      api = await openCaller(fixture);
      account = await makeAccount(fixture, "subscribed");
      await grantCredits(fixture.core, { accountId: account.id, credits: 100 });
      workspaceId = idOf((await post("/v1/workspaces", { name: "w" }, "workspace")).body);
    };
    afterEach(() => api.close());

    const post = (path: string, json: unknown, key?: string) =>
      api.send(path, {
        method: "POST",
        bearer: account.owner,
        json,
        headers: key === undefined ? {} : { "idempotency-key": key },
      });
    const keptUntil = () => ({ now: fixture.clock.now(), expiresAt: fixture.clock.now() + DAY_MS });
    /** Makes what the other version had made, and keeps its use of the key as that one wrote it. */
    const kept = {
      run: async (requestHash: string) => {
        const path = `/v1/agents/${account.agent.id}/runs`;
        const { run_id: runId, session_id: sessionId } = (await post(path, { message: "hello" })).body as {
          run_id: string;
          session_id: string;
        };
        const use = { agentId: account.agent.id, key: KEY, runId, sessionId, requestHash, ...keptUntil() };
        await fixture.store.transact((tx) => tx.idempotency.insert(use));
        return { path, json: { message: "hello" }, other: { message: "other" }, id: runId };
      },
      agent: async (requestHash: string) => {
        const id = idOf((await post("/v1/agents", { name: "second" })).body);
        const of = { agentId: `account:${account.id}`, key: KEY, runId: id, sessionId: id };
        await fixture.store.transact((tx) => tx.idempotency.insert({ ...of, requestHash, ...keptUntil() }));
        return { path: "/v1/agents", json: { name: "second" }, other: { name: "third" }, id };
      },
      "task group": async (requestHash: string) => {
        const path = `/v1/workspaces/${workspaceId}/task-groups`;
        const json = { name: "group", budget_credits: 5 };
        const id = idOf((await post(path, json)).body);
        await keepRequest({ scope: "task-groups", subjectId: id, requestHash });
        // What a group may spend is a part of its request.
        return { path, json, other: { ...json, budget_credits: 6 }, id };
      },
      thread: async (requestHash: string) => {
        const path = `/v1/workspaces/${workspaceId}/threads`;
        const id = idOf((await post(path, { title: "one" })).body);
        await keepRequest({ scope: "threads", subjectId: id, requestHash });
        return { path, json: { title: "one" }, other: { title: "two" }, id };
      },
    };
    const keepRequest = async (use: { scope: string; subjectId: string; requestHash: string }) => {
      const scope = `${account.id} ${use.scope} ${workspaceId}`;
      await fixture.store.transact((tx) =>
        tx.requestKeys.insert({ ...use, scope, key: KEY, ...keptUntil() }),
      );
    };

    for (const [what, keep] of Object.entries(kept)) {
      it.each([
        ["an earlier version", OLD_HASH],
        ["a later version", `${REQUEST_FORM + 1}:${OLD_HASH}`],
      ])(`gives the ${what} of %s again`, async (_version, requestHash) => {
        await start();
        const { path, json, id } = await keep(requestHash);
        const again = await post(path, json, KEY);
        expect(again.status, again.text).toBeLessThan(300);
        expect(again.text).toContain(id);
      });

      it(`is refused for another ${what} where this version wrote it`, async () => {
        await start();
        const { path, json, other } = await keep(OLD_HASH);
        const [mine, next] = ["mine", "next"];
        expect((await post(path, json, mine)).status).toBeLessThan(300);
        expect((await post(path, other, mine)).body).toMatchObject({ code: "idempotency_key_reused" });
        expect((await post(path, other, next)).status).toBeLessThan(300);
      });
    }

    it("is told by its form, which is to be increased where one of these hashes changes", async () => {
      await start();
      await post(`/v1/agents/${account.agent.id}/runs`, { message: "hello" }, "run");
      await post("/v1/agents", { name: "second" }, "agent");
      await post(`/v1/workspaces/${workspaceId}/task-groups`, { name: "g", budget_credits: 5 }, "group");
      await post(`/v1/workspaces/${workspaceId}/threads`, { title: "one" }, "thread");
      const hashes = await fixture.place.query(
        "select key, request_hash from idempotency_keys union all select key, request_hash from request_keys order by key",
      );
      expect(Object.fromEntries(hashes.map(({ key, request_hash: hash }) => [key, hash]))).toEqual({
        agent: "2:97521e0b79b61283972b64e2df218cb47696f34ffd7612f07b0bb03b088d9565",
        group: "2:377b54c45a25425d3192719642f3f6a77048213a8b1075577c54917771f588da",
        run: "2:6063fc6c324a4f5e9ae41cbb2d56bb1a69ceb918a30a36324ec65f8ab15f7d83",
        thread: "2:d18cf48fd28c7dd4929d91f1d76220d95bf206baf427783184a80eba6ee821f3",
        workspace: "2:c237c82a79f6e8aa710a72a3b8b704e5ff79e7a16d4bbddf5782e56f08baf31f",
      });
    });
  });
});

function idOf(body: unknown): string {
  const { id } = body as { readonly id?: unknown };
  if (typeof id !== "string") throw new TypeError(`No id in ${JSON.stringify(body)}`);
  return id;
}
