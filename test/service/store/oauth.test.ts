// What the authorization server keeps: consumed once, replaced once, ended with its grant, on every store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/ids.ts";
import type { Artifact } from "../../../src/service/core/oauth/artifact.ts";
import {
  keepAccessToken,
  keepGrantArtifact,
  listGrants,
  openGrant,
  revokeGrant,
  revokeGrantOf,
} from "../../../src/service/core/oauth/grants.ts";
import { serviceSecret } from "../../../src/service/core/oauth/service-secret.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const artifact: Artifact = {
  kind: "AuthorizationCode",
  idHash: "hash-1",
  grantId: "grant-1",
  uid: null,
  userCodeHash: null,
  payload: '{"a":1}',
  consumedAt: null,
  successor: null,
  expiresAt: Date.now() + 60_000,
};
const wanted = {
  accountId: "account-1",
  personId: "person-1",
  clientId: "https://app.example/client.json",
  clientName: "App",
  scope: "runs:read",
  resource: "https://agents.example/mcp",
};

onEveryStore((kind) => {
  describe("the authorization server's store", () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await kind.make();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const core = () => ({ store, clock: systemClock, random: systemRandom });
    const find = (idHash: string) => store.committed.oauthArtifacts.find({ kind: artifact.kind, idHash });
    const tokenOf = (grantId: string, hash: string) => ({
      id: hash,
      hash,
      accountId: "account-1",
      clientId: wanted.clientId,
      scopes: ["runs:read"] as const,
      resource: wanted.resource,
      grantId,
      createdAt: Date.now(),
      lastUsedAt: null,
      expiresAt: Date.now() + 60_000,
      revokedAt: null,
    });

    it("finds by hash, by uid and by user code, and keeps that something was consumed", async () => {
      const device = { ...artifact, kind: "DeviceCode", idHash: "hash-2", userCodeHash: "code", uid: "uid" };
      await store.transact((tx) => tx.oauthArtifacts.put(device));
      const { oauthArtifacts } = store.committed;
      expect(await oauthArtifacts.find({ kind: "DeviceCode", userCodeHash: "code" })).toEqual(device);
      expect(await oauthArtifacts.find({ kind: "DeviceCode", uid: "uid" })).toEqual(device);
      expect(await oauthArtifacts.find({ kind: "RefreshToken", idHash: "hash-2" })).toBeNull();
      await store.transact((tx) => tx.oauthArtifacts.consume({ ...device, now: 5 }));
      await store.transact((tx) => tx.oauthArtifacts.put({ ...device, payload: "{}" }));
      expect(await oauthArtifacts.find(device)).toEqual({ ...device, payload: "{}", consumedAt: 5 });
    });

    it("lets one of many consume, and one of many replace", async () => {
      await store.transact((tx) => tx.oauthArtifacts.put(artifact));
      const replaces = Array.from({ length: 8 }, (_, index) =>
        store.transact((tx) =>
          tx.oauthArtifacts.replace({
            ...artifact,
            from: artifact.payload,
            artifact: { ...artifact, payload: `{"by":${index}}` },
          }),
        ),
      );
      expect((await Promise.all(replaces)).filter(Boolean)).toHaveLength(1);
      const uses = Array.from({ length: 8 }, () =>
        store.transact((tx) => tx.oauthArtifacts.consume({ ...artifact, now: 7 })),
      );
      expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
      expect((await find("hash-1"))?.consumedAt).toBe(7);
    });

    it("ends everything with its grant, and issues nothing more under it", async () => {
      const grant = await openGrant(core(), wanted);
      const other = await openGrant(core(), wanted);
      const code = { ...artifact, grantId: grant.id };
      expect((await keepGrantArtifact(core(), code)).ok).toBe(true);
      expect((await keepAccessToken(core(), tokenOf(grant.id, "token-1"))).ok).toBe(true);
      expect((await keepAccessToken(core(), tokenOf(other.id, "token-2"))).ok).toBe(true);
      // Ids of one millisecond are in any order.
      const listed = (await listGrants(core(), "account-1")).map(({ id }) => id);
      expect(listed.toSorted()).toEqual([grant.id, other.id].toSorted());
      expect(await revokeGrantOf(core(), { accountId: "account-2", id: grant.id })).toBe(false);
      expect(await revokeGrantOf(core(), { accountId: "account-1", id: grant.id })).toBe(true);
      expect(await find("hash-1")).toBeNull();
      expect((await store.committed.credentials.find("token-1"))?.revokedAt).not.toBeNull();
      expect((await store.committed.credentials.find("token-2"))?.revokedAt).toBeNull();
      const late = await keepAccessToken(core(), tokenOf(grant.id, "token-3"));
      expect(late).toEqual({ ok: false, refusal: { reason: "grant_ended" } });
      expect((await keepGrantArtifact(core(), { ...code, idHash: "hash-9" })).ok).toBe(false);
      expect((await listGrants(core(), "account-1")).map(({ id }) => id)).toEqual([other.id]);
    });

    it("leaves no living token behind, however issuing and revoking race", async () => {
      const grant = await openGrant(core(), wanted);
      const hashes = Array.from({ length: 12 }, (_, index) => `race-${index}`);
      await Promise.all([
        ...hashes.slice(0, 6).map((hash) => keepAccessToken(core(), tokenOf(grant.id, hash))),
        revokeGrant(core(), grant.id),
        ...hashes.slice(6).map((hash) => keepAccessToken(core(), tokenOf(grant.id, hash))),
      ]);
      for (const hash of hashes) {
        const token = await store.committed.credentials.find(hash);
        expect(token === null || token.revokedAt !== null).toBe(true);
      }
    });

    it("keeps the first of many secrets", async () => {
      const values = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          serviceSecret(core(), { name: "key", make: async () => `value-${index}` }),
        ),
      );
      expect(new Set(values).size).toBe(1);
    });

    it("deletes what has expired, and a grant a day later", async () => {
      await store.transact((tx) => tx.oauthArtifacts.put({ ...artifact, expiresAt: 1_000 }));
      const grant = await openGrant(core(), { ...wanted, livesMs: 1_000 });
      const sweep = async (now: number) =>
        await store.transact((tx) => tx.expiry.deleteExpired({ now, auditedBefore: 0, limit: 100 }));
      expect(await sweep(1_001)).toBe(1);
      expect(await sweep(grant.expiresAt + 1)).toBe(0);
      expect(await sweep(grant.expiresAt + 24 * 60 * 60 * 1000 + 1)).toBe(1);
    });
  });
});
