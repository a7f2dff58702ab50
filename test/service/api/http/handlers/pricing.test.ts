import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelPricing, toolPricing } from "../../../../../src/service/core/money/rate-cards.ts";
import { decodeRates } from "../../../../../src/service/settings/rates-file.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../../../support/rates-document.ts";

const decoded = decodeRates(ratesDocument());
if (!decoded.ok) throw new Error(decoded.refusal.join("\n"));
const rates = decoded.value;

describe("the public rate cards", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { rates } });
  });

  afterAll(() => fixture.close());

  const cards = [
    ["/v1/pricing/models", modelPricing(rates)],
    ["/v1/pricing/tools", toolPricing(rates)],
  ] as const;

  it.each(cards)("%s is shown to everybody, to be kept five minutes", async (path, card) => {
    for (const call of [{}, { bearer: "nonsense" }]) {
      const answer = await fixture.call(path, call);
      expect([answer.status, answer.body]).toEqual([200, card]);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
      expect(answer.headers.get("etag")).toMatch(/^"[\w-]+"$/);
    }
  });

  it.each(cards)("%s answers 304 to whoever has it", async (path) => {
    const etag = (await fixture.call(path)).headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await fixture.call(path, { headers: { "if-none-match": known } });
      expect([answer.status, answer.text]).toEqual([304, ""]);
      expect(answer.headers.get("etag")).toBe(etag);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    }
    expect((await fixture.call(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("have another ETag once the rates are others, and the same one on another node", async () => {
    const etags = async () => [
      (await fixture.call("/v1/pricing/models")).headers.get("etag"),
      (await fixture.call("/v1/pricing/tools")).headers.get("etag"),
    ];
    const before = await etags();
    await fixture.restart();
    expect(await etags()).toEqual(before);
    await fixture.restart({ config: { rates: { ...rates, modelNote: "New.", allowanceReset: "yearly" } } });
    const after = await etags();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});
