// What waits or counts by intervals when somebody sets the machine's clock back by an hour.

import { expect, it } from "vitest";
import { exchangeResponseSchema } from "../../../../src/contract/ci/exchange.ts";
import { ciRunPageSchema } from "../../../../src/contract/ci/run-page.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { openCaller } from "../../../support/service-account.ts";

const HOUR_MS = 3_600_000;

it("lets callers on at their rate", async () => {
  const fixture = await startFixture({ level: "core", addressRatePerMinute: 2 });
  const api = await openCaller(fixture);
  const ask = async () => (await api.send("/v1/pricing/tools")).status;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
  fixture.clock.setWall(-HOUR_MS);
  expect(await ask()).toBe(429);
  fixture.clock.advance(30_000);
  expect([await ask(), await ask()]).toEqual([200, 429]);
  // Nor is an hour forward an hour's worth of requests.
  fixture.clock.setWall(2 * HOUR_MS);
  expect(await ask()).toBe(429);
  await api.close();
});

it("answers a poll when it has waited for as long as it asked", async () => {
  const fixture = await startFixture({ level: "core" });
  const api = await openCaller(fixture);
  const json = { subject_token: "reader" };
  const exchanged = await api.send("/v1/ci/oidc/exchange", { method: "POST", json });
  const { access_token: bearer } = exchangeResponseSchema.parse(exchanged.body);
  const runId = await fixture.submit();
  const poll = api.send(`/v1/ci/runs/${runId}?after=100&wait=30`, { bearer });
  await fixture.clock.whenSleeping();
  fixture.clock.setWall(-HOUR_MS);
  fixture.clock.advance(30_000);
  const answer = await poll;
  expect(answer.status).toBe(200);
  expect(ciRunPageSchema.parse(answer.body)).toMatchObject({ events: [], done: false });
  await api.close();
});
