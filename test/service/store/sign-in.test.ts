// Unfinished sign-ins, identities and passkeys, on each store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ATTEMPT_MS, beginAttempt, takeAttempt } from "../../../src/service/core/sign-in/attempts.ts";
import type { Identity, Passkey } from "../../../src/service/core/sign-in/identity.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const identity: Identity = {
  id: "identity-1",
  personId: "person-1",
  kind: "oidc",
  issuer: "https://id.example",
  subject: "77",
  name: "ada@example.com",
  createdAt: 1_000,
  lastUsedAt: null,
};
const passkey: Passkey = {
  credentialId: "Y3JlZGVudGlhbA",
  personId: "person-1",
  name: "laptop",
  publicKey: "cHVibGlj",
  counter: 3,
  transports: ["internal", "hybrid"],
  isBackedUp: false,
  createdAt: 1_000,
  lastUsedAt: null,
};

onEveryStore((kind) => {
  describe("signing in", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
    });

    afterEach(() => fixture.close());

    it("remembers an attempt for one taker of its kind, and for ten minutes", async () => {
      const { core, clock } = fixture;
      const begin = () => beginAttempt(core, { kind: "passkey", state: { challenge: "abc" } });
      const secret = await begin();
      const taken = await Promise.all([
        takeAttempt(core, { kind: "passkey", secret }),
        takeAttempt(core, { kind: "passkey", secret }),
      ]);
      expect(taken.filter((state) => state !== null)).toEqual([{ challenge: "abc" }]);
      expect(await takeAttempt(core, { kind: "identity", secret: await begin() })).toBeNull();
      const late = await begin();
      clock.advance(ATTEMPT_MS);
      expect(await takeAttempt(core, { kind: "passkey", secret: late })).toBeNull();
      expect(await takeAttempt(core, { kind: "passkey", secret: null })).toBeNull();
    });

    it("gives a subject of an issuer to one account", async () => {
      const { store } = fixture;
      const insert = (one: Identity) => store.transact((tx) => tx.identities.insert(one));
      expect(await insert(identity)).toBe(true);
      expect(await insert({ ...identity, id: "identity-2", personId: "person-2" })).toBe(false);
      expect(await insert({ ...identity, id: "identity-3", issuer: "https://other.example" })).toBe(true);
      const { issuer, subject } = identity;
      expect(await store.committed.identities.find({ issuer, subject })).toEqual(identity);
      await store.transact((tx) => tx.identities.touch({ id: identity.id, name: "new", now: 2_000 }));
      const [first, second] = await store.committed.identities.list("person-1");
      expect(first).toEqual({ ...identity, name: "new", lastUsedAt: 2_000 });
      expect(second?.issuer).toBe("https://other.example");
      const remove = (personId: string) =>
        store.transact((tx) => tx.identities.remove({ id: identity.id, personId }));
      expect([await remove("person-2"), await remove("person-1"), await remove("person-1")]).toEqual([
        false,
        true,
        false,
      ]);
    });

    it("keeps passkeys, and accepts a counter only if it goes up", async () => {
      const { store } = fixture;
      const { credentialId } = passkey;
      const insert = (one: Passkey) => store.transact((tx) => tx.identities.insertPasskey(one));
      expect([await insert(passkey), await insert({ ...passkey, personId: "person-2" })]).toEqual([
        true,
        false,
      ]);
      expect(await store.committed.identities.findPasskey(credentialId)).toEqual(passkey);
      const use = (counter: number) =>
        store.transact((tx) =>
          tx.identities.usePasskey({ credentialId, counter, isBackedUp: true, now: 2_000 }),
        );
      expect([await use(3), await use(2), await use(0), await use(4), await use(4)]).toEqual([
        false,
        false,
        false,
        true,
        false,
      ]);
      expect(await store.committed.identities.listPasskeys("person-1")).toEqual([
        { ...passkey, counter: 4, isBackedUp: true, lastUsedAt: 2_000 },
      ]);
      const remove = (personId: string) =>
        store.transact((tx) => tx.identities.removePasskey({ credentialId, personId }));
      expect([await remove("person-2"), await remove("person-1")]).toEqual([false, true]);
    });

    it("lets a passkey that does not count be used again and again", async () => {
      const { store } = fixture;
      const { credentialId } = passkey;
      await store.transact((tx) => tx.identities.insertPasskey({ ...passkey, counter: 0 }));
      const use = () =>
        store.transact((tx) =>
          tx.identities.usePasskey({ credentialId, counter: 0, isBackedUp: false, now: 2_000 }),
        );
      expect([await use(), await use()]).toEqual([true, true]);
    });
  });
});
