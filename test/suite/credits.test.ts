// /v1/users/{userID}/credits and the public rate cards.

import { expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { creditsSchema } from "../../src/contract/money/money.ts";
import { modelPricing, toolPricing } from "../../src/service/core/money/rate-cards.ts";
import { deployedRates } from "../support/deployments/deployments.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("credits", (service) => {
  it("are the account's balance, its plan and what it can buy", async () => {
    const { id, aiKey } = await service().account();
    const answer = await service().call(`/v1/users/${id}/credits`, { bearer: aiKey });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toContain("no-store");
    expect(creditsSchema.parse(answer.body)).toMatchObject({
      balance: 10_000,
      low_credit_threshold: 7,
      peg_cents: 1,
      packs: [{ id: "small", usd_cents: 500, credits: 600 }],
      plans: [{ id: "monthly", usd_cents: 2000, monthly_credits: 2600 }],
      audience: "subscribed",
    });
  });

  it("are shown to that account alone", async () => {
    const [mine, theirs, job] = [await service().account(), await service().account(), await service().job()];
    for (const userId of [theirs.id, UNKNOWN, "x"]) {
      const answer = await service().call(`/v1/users/${userId}/credits`, { bearer: mine.ownerKey });
      expectProblem(answer, [403, "forbidden"]);
    }
    const path = `/v1/users/${mine.id}/credits`;
    expectProblem(await service().call(path), [401, "unauthorized"]);
    expectProblem(await service().call(path, { bearer: job.bearer }), [403, "forbidden"]);
  });

  it("are priced by the client without a key", async () => {
    const anyone = createClient({ baseUrl: service().url() });
    expect(await anyone.pricing.models()).toEqual(modelPricing(deployedRates));
    expect(await anyone.pricing.tools()).toEqual(toolPricing(deployedRates));
  });

  it.each([
    ["/v1/pricing/models", modelPricing(deployedRates)],
    ["/v1/pricing/tools", toolPricing(deployedRates)],
  ])("are priced at %s for everybody, to be kept five minutes", async (path, card) => {
    const first = await service().call(path);
    expect([first.status, first.body]).toEqual([200, card]);
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = first.headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await service().call(path, { headers: { "if-none-match": known } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const changed = await service().call(path, { headers: { "if-none-match": '"other"' } });
    expect([changed.status, changed.body]).toEqual([200, card]);
  });
});
