// What the holder of a refused credential is told: what to do differs between an account's key and a job's capability.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toProblem } from "../../../../../src/service/api/shared/problems/to-problem.ts";
import { makeApiKey, openAccount, revokeApiKey } from "../../../../../src/service/core/accounts/keys.ts";
import { authenticate } from "../../../../../src/service/core/authentication/authenticate.ts";
import { exchangeToken, revokeCapability } from "../../../../../src/service/core/ci/exchange-token.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";

describe("the problem of a refused credential", () => {
  let fixture: CoreFixture;

  beforeEach(async () => {
    fixture = await startFixture({ level: "core" });
  });

  afterEach(() => fixture.close());

  const problemOf = async (bearer: string) => {
    const caller = await authenticate(fixture.core, bearer);
    if (caller.ok) throw new Error("The credential was accepted.");
    return toProblem(caller.refusal);
  };

  const exchange = async () => {
    const exchanged = await exchangeToken(fixture.core, { subjectToken: "token", requestId: "request" });
    if (!exchanged.ok) throw new Error(`The exchange was refused: ${exchanged.refusal.reason}`);
    return exchanged.value;
  };

  it("tells the holder of a revoked API key to use another key, not to exchange a token", async () => {
    const { id: accountId } = await openAccount(fixture.core, "registered_free");
    const request = { accountId, callerClass: "owner", name: "laptop" } as const;
    const { key, secret } = await makeApiKey(fixture.core, request);
    await revokeApiKey(fixture.core, key.id);
    const problem = await problemOf(secret);
    expect(problem).toMatchObject({ status: 401, code: "unauthorized" });
    expect(problem.message).toBe("The API key was revoked. Use another key of the account.");
  });

  it("tells a job with a revoked capability to exchange a fresh token", async () => {
    const { accessToken, capability } = await exchange();
    await revokeCapability(fixture.core, { capability, requestId: "request" });
    expect((await problemOf(accessToken)).message).toBe(
      "The capability was revoked. Exchange a fresh token for a new one.",
    );
  });

  it("tells a job with an expired capability when it ended", async () => {
    const { accessToken, capability } = await exchange();
    fixture.clock.advance(capability.expiresAt - fixture.clock.now());
    expect((await problemOf(accessToken)).message).toBe(
      `The capability ended at ${new Date(capability.expiresAt).toISOString()}. Exchange a fresh token for a new one.`,
    );
  });
});
