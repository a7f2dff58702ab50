// Keys and access tokens: one lookup by hash, on every store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccessToken, ApiKey } from "../../../src/service/core/accounts/credential.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const key: ApiKey = {
  id: "key-1",
  hash: "hash-1",
  accountId: "account-1",
  personId: "person-1",
  callerClass: "owner",
  name: "laptop",
  hint: "abcd",
  createdAt: 1_000,
  lastUsedAt: null,
  revokedAt: null,
};
const token: AccessToken = {
  id: "token-1",
  hash: "hash-2",
  accountId: "account-1",
  personId: "person-1",
  clientId: "https://app.example/client.json",
  scopes: ["runs:read", "runs:write"],
  resource: "https://agents.example/mcp",
  grantId: "grant-1",
  createdAt: 2_000,
  lastUsedAt: null,
  expiresAt: 10_000,
  revokedAt: null,
};
const DAY_MS = 24 * 60 * 60 * 1000;

onEveryStore((kind) => {
  describe("credentials", () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await kind.make();
      store = await place.open();
      await store.transact(async (tx) => {
        await tx.credentials.insert({ kind: "key", ...key });
        await tx.credentials.insert({ kind: "access_token", ...token });
        await tx.credentials.insert({ kind: "access_token", ...token, id: "token-2", hash: "hash-3" });
        const other = { grantId: "grant-2", id: "token-3", hash: "hash-4" };
        await tx.credentials.insert({ kind: "access_token", ...token, ...other });
      });
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const find = (hash: string) => store.committed.credentials.find(hash);

    it("finds each by its hash, and lists keys alone", async () => {
      expect(await find("hash-1")).toEqual({ kind: "key", ...key, role: null, person: {} });
      expect(await find("hash-2")).toEqual({ kind: "access_token", ...token, role: null, person: {} });
      expect(await find("hash-5")).toBeNull();
      expect(await store.committed.credentials.listKeys("account-1")).toEqual([key]);
      expect(await store.committed.credentials.listKeys("account-2")).toEqual([]);
    });

    it("revokes the tokens of one grant, and no key by a token's id", async () => {
      await store.transact((tx) => tx.credentials.revokeTokensOf({ grantId: "grant-1", now: 3_000 }));
      const revokedAt = async (hash: string) => (await find(hash))?.revokedAt;
      expect([await revokedAt("hash-2"), await revokedAt("hash-3")]).toEqual([3_000, 3_000]);
      expect([await revokedAt("hash-1"), await revokedAt("hash-4")]).toEqual([null, null]);
      await store.transact((tx) => tx.credentials.revokeToken({ hash: "hash-4", now: 4_000 }));
      expect(await revokedAt("hash-4")).toBe(4_000);
      const revoke = (id: string) => store.transact((tx) => tx.credentials.revokeKey({ id, now: 5_000 }));
      expect([await revoke("token-1"), await revoke("key-1"), await revoke("key-1")]).toEqual([
        false,
        true,
        false,
      ]);
      expect(await revokedAt("hash-2")).toBe(3_000);
    });

    it("keeps tokens for a day after their end, so that their holder is told, and keys for ever", async () => {
      const sweep = async (now: number) =>
        await store.transact((tx) => tx.expiry.deleteExpired({ now, auditedBefore: 0, limit: 100 }));
      expect(await sweep(token.expiresAt + DAY_MS)).toBe(0);
      expect(await sweep(token.expiresAt + DAY_MS + 1)).toBe(3);
      expect(await find("hash-2")).toBeNull();
      expect(await find("hash-1")).toEqual({ kind: "key", ...key, role: null, person: {} });
    });
  });
});
