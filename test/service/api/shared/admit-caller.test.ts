// Whose rate a request is taken from, and that the store is not asked beyond it.

import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { admitCaller } from "../../../../src/service/api/shared/admit-caller.ts";
import { revokeApiKey } from "../../../../src/service/core/accounts/keys.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { withReads } from "../../../support/wrapped-store.ts";

const OFFICE = "203.0.113.7";

describe("admitCaller", () => {
  let fixture: CoreFixture;
  let mine: TestAccount;
  let theirs: TestAccount;
  let lookups: number;

  beforeEach(async () => {
    lookups = 0;
    fixture = await startFixture({
      level: "core",
      ratePerMinute: 5,
      addressRatePerMinute: 3,
      wrapStore: (store) => {
        const find = async (hash: string) => {
          lookups += 1;
          return await store.committed.credentials.find(hash);
        };
        return withReads(store, { credentials: { find } });
      },
    });
    mine = await makeAccount(fixture);
    theirs = await makeAccount(fixture);
  });

  afterEach(() => fixture.close());

  const guess = () => makeSecretToken("svc_sk_", randomBytes(32)).text;

  /** What becomes of a request: "ok", or why not. */
  const ask = async (bearer: string | null, address = OFFICE) => {
    const admitted = await admitCaller(fixture.core, { bearer, address });
    if (admitted.ok) return "ok";
    const { refusal } = admitted;
    return refusal.reason === "rate_limited" ? `${refusal.scope} ${refusal.retryAfterMs}` : refusal.reason;
  };

  it("bounds guesses by the address, before the store is asked", async () => {
    for (let index = 0; index < 3; index += 1) expect(await ask(guess())).toBe("credential_unknown");
    expect(await ask(guess())).toBe("address 20000");
    expect(lookups).toBe(3);
    expect(await ask(guess(), "198.51.100.8")).toBe("credential_unknown");
    fixture.clock.advance(20_000);
    expect(await ask(guess())).toBe("credential_unknown");
    expect(await ask(guess())).toBe("address 20000");
  });

  it("bounds guesses of one moment alike", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(guess())));
    expect(answers.filter((answer) => answer === "credential_unknown")).toHaveLength(3);
    expect(lookups).toBe(3);
  });

  it("charges requests without a credential, or with text that is none, to the address", async () => {
    expect([await ask(null), await ask("nonsense"), await ask("")]).toEqual([
      "credential_missing",
      "credential_malformed",
      "credential_malformed",
    ]);
    expect(await ask(null)).toBe("address 20000");
    expect(lookups).toBe(0);
    expect(await ask(mine.owner)).toBe("ok");
  });

  it("charges a good credential to its account, not to the address", async () => {
    for (let index = 0; index < 5; index += 1) expect(await ask(mine.owner)).toBe("ok");
    expect(await ask(theirs.owner)).toBe("ok");
    expect(await ask(guess())).toBe("credential_unknown");
  });

  it("counts all keys of an account together, and refuses before the store is asked", async () => {
    for (const key of [mine.owner, mine.aiClient, mine.owner, mine.aiClient, mine.owner]) {
      expect(await ask(key)).toBe("ok");
    }
    const before = lookups;
    expect(await ask(mine.aiClient)).toBe("caller 12000");
    expect(await ask(mine.owner, "198.51.100.8")).toBe("caller 12000");
    expect(lookups).toBe(before);
    expect(await ask(theirs.owner)).toBe("ok");
    fixture.clock.advance(12_000);
    expect(await ask(mine.owner)).toBe("ok");
  });

  it("lets a credential that is known go on while a neighbour behind the address guesses", async () => {
    expect(await ask(mine.owner)).toBe("ok");
    for (let index = 0; index < 9; index += 1) await ask(guess());
    expect(await ask(guess())).toMatch(/^address/);
    expect(await ask(mine.owner)).toBe("ok");
  });

  it("treats a key that was revoked as a stranger's from then on", async () => {
    expect(await ask(mine.owner)).toBe("ok");
    const [key] = (await fixture.store.committed.credentials.listKeys(mine.id)).filter(
      ({ callerClass }) => callerClass === "owner",
    );
    await revokeApiKey(fixture.core, key?.id ?? "");
    const answers: string[] = [];
    for (let index = 0; index < 5; index += 1) answers.push(await ask(mine.owner));
    expect(answers).toEqual([...Array.from({ length: 4 }, () => "key_revoked"), "address 20000"]);
  });
});
