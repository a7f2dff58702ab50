// Signing in with a key: which ones do, and how often an address may try.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { makeApiKey, openAccount, revokeApiKey } from "../../../../src/service/core/accounts/keys.ts";
import { signInByKey } from "../../../../src/service/core/sign-in/sign-in-by-key.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";

describe("signing in with a key", () => {
  let fixture: CoreFixture;

  beforeEach(async () => {
    fixture = await startFixture({ level: "core" });
  });

  afterEach(() => fixture.close());

  const signIn = (secret: string, address = "192.0.2.1") => signInByKey(fixture.core, { secret, address });
  const makeKey = async (callerClass: "owner" | "ai_client" = "owner") => {
    const { id: accountId } = await openAccount(fixture.core, "registered_free");
    return await makeApiKey(fixture.core, { accountId, callerClass, name: "test" });
  };

  it("is for the account of an owner's key, which counts as used", async () => {
    const { key, secret } = await makeKey();
    expect(await signIn(secret)).toEqual({
      ok: true,
      value: { accountId: key.accountId, personId: key.personId },
    });
    expect(await fixture.store.committed.credentials.find(key.hash)).toMatchObject({
      lastUsedAt: fixture.clock.now(),
    });
  });

  it("refuses a key that was revoked, one that never was, and any other text", async () => {
    const { key, secret } = await makeKey();
    await revokeApiKey(fixture.core, key.id);
    const unknown = makeSecretToken("svc_sk_", fixture.core.random.bytes(32)).text;
    for (const text of [secret, unknown, "svc_sk_", "", "hunter2", "\0"]) {
      expect(await signIn(text)).toEqual({ ok: false, refusal: { reason: "key_refused" } });
    }
  });

  it("refuses an AI client's key and a job's capability", async () => {
    const { secret } = await makeKey("ai_client");
    const capability = makeSecretToken("svc_ci_", fixture.core.random.bytes(32)).text;
    for (const text of [secret, capability]) {
      expect(await signIn(text)).toEqual({ ok: false, refusal: { reason: "key_of_another_kind" } });
    }
  });

  it("lets an address fail ten times a minute, and counts none that succeeds", async () => {
    const { secret } = await makeKey();
    for (let tries = 0; tries < 20; tries += 1) expect((await signIn(secret)).ok).toBe(true);
    for (let tries = 0; tries < 10; tries += 1) await signIn("svc_sk_wrong");
    expect(await signIn(secret)).toMatchObject({ ok: false, refusal: { reason: "rate_limited" } });
    expect((await signIn(secret, "192.0.2.2")).ok).toBe(true);
    fixture.clock.advance(60_000);
    expect((await signIn(secret)).ok).toBe(true);
  });
});
