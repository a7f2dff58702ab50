import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creditsSchema } from "../../../../src/contract/money/money.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { CallerClass } from "../../../../src/service/core/accounts/credential.ts";
import {
  grantCredits,
  makeApiKey,
  openAccount,
  revokeApiKey,
} from "../../../../src/service/core/accounts/keys.ts";
import { exchangeToken } from "../../../../src/service/core/ci/exchange-token.ts";
import type { Plan } from "../../../../src/service/core/money/plan.ts";
import { decodeRates } from "../../../../src/service/settings/rates-file.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../../support/rates-document.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

onEveryStore((kind) => {
  describe("an account's credits", () => {
    let fixture: CoreFixture;
    let api: HttpApi;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      const rates = decodeRates(ratesDocument());
      if (!rates.ok) throw new Error(rates.refusal.join("\n"));
      Object.assign(fixture.core, { rates: rates.value });
      api = await openHttpApi(fixture);
    });

    afterAll(() => api.close());

    const openWithKey = async (plan: Plan, callerClass: CallerClass = "owner") => {
      const account = await openAccount(fixture.core, plan);
      const { secret, key } = await makeApiKey(fixture.core, {
        accountId: account.id,
        callerClass,
        name: "test",
      });
      return { id: account.id, secret, keyId: key.id };
    };
    const read = (id: string, bearer?: string) =>
      call(`${api.url}/v1/users/${id}/credits`, bearer === undefined ? {} : { bearer });

    it.each([
      ["registered_free", 3],
      ["subscribed", 50],
    ] as const)("are what plan %s begins with, and what can be bought", async (plan, balance) => {
      const { id, secret } = await openWithKey(plan);
      const answer = await read(id, secret);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
      expect(creditsSchema.parse(answer.body)).toEqual(answer.body);
      expect(answer.body).toEqual({
        balance,
        low_credit_threshold: 7,
        peg_cents: 1,
        packs: [{ id: "small", usd_cents: 500, credits: 600 }],
        plans: [{ id: "monthly", usd_cents: 2000, monthly_credits: 2600 }],
        active_plan: null,
        can_manage_billing: false,
        audience: plan,
      });
    });

    it("grow by exactly what is granted", async () => {
      const { id, secret } = await openWithKey("registered_free");
      for (const [credits, balance] of [
        [1, 4],
        [999_999, 1_000_003],
      ] as const) {
        expect(await grantCredits(fixture.core, { accountId: id, credits })).toBe(true);
        expect((await read(id, secret)).body).toMatchObject({ balance });
      }
    });

    it("are shown to an AI client of the account as well", async () => {
      const { id, secret } = await openWithKey("subscribed", "ai_client");
      expect((await read(id, secret)).status).toBe(200);
    });

    it("are shown to no other caller", async () => {
      const owner = await openWithKey("registered_free");
      const stranger = await openWithKey("registered_free");
      for (const id of [owner.id, NOBODY, "no-uuid", owner.id.toUpperCase()]) {
        const answer = await read(id, stranger.secret);
        expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([403, "forbidden"]);
        expect(answer.text).not.toContain(owner.id);
      }
    });

    it("are not for a CI job's capability", async () => {
      const { id } = await openWithKey("registered_free");
      const exchanged = await exchangeToken(fixture.core, { subjectToken: "credits", requestId: "request" });
      if (!exchanged.ok) throw new Error(exchanged.refusal.reason);
      const answer = await read(id, exchanged.value.accessToken);
      expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([403, "forbidden"]);
      expect(answer.text).toContain("account's key");
    });

    it("need a key that is known and not revoked", async () => {
      const { id, secret, keyId } = await openWithKey("registered_free");
      expect((await read(id)).status).toBe(401);
      expect((await read(id, `${secret}0`)).status).toBe(401);
      await revokeApiKey(fixture.core, keyId);
      expect((await read(id, secret)).status).toBe(401);
    });
  });
});
