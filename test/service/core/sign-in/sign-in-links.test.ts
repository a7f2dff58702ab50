// One-time links: whom they sign in, how often and until when.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount } from "../../../../src/service/core/accounts/keys.ts";
import {
  describeSignInLink,
  makeFirstSignInLink,
  makeSignInLink,
  SIGN_IN_LINK_MS,
  useSignInLink,
} from "../../../../src/service/core/sign-in/sign-in-links.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const OVER = { ok: false, refusal: { reason: "link_over" } };

onEveryStore((kind) => {
  describe("a sign-in link", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
    });

    afterEach(() => fixture.close());

    const linkOf = async (accountId: string) => {
      const made = await makeSignInLink(fixture.core, accountId);
      if (made === null) throw new Error("There is no such account.");
      return made;
    };

    it("signs its account in once, also where two use it at the same time", async () => {
      const { core } = fixture;
      const { id, ownerId } = await openAccount(core, "registered_free");
      const { token } = await linkOf(id);
      const uses = await Promise.all([useSignInLink(core, token), useSignInLink(core, token)]);
      expect(uses.filter(({ ok }) => ok)).toEqual([
        { ok: true, value: { accountId: id, personId: ownerId } },
      ]);
      expect(uses).toContainEqual(OVER);
    });

    it("is not used up by looking at it", async () => {
      const { core } = fixture;
      const { id } = await openAccount(core, "registered_free");
      const { token, expiresAt } = await linkOf(id);
      const shown = { accountId: id, expiresAt };
      expect([await describeSignInLink(core, token), await describeSignInLink(core, token)]).toEqual([
        shown,
        shown,
      ]);
      expect((await useSignInLink(core, token)).ok).toBe(true);
      expect(await describeSignInLink(core, token)).toBeNull();
    });

    it("ends after 15 minutes", async () => {
      const { core, clock } = fixture;
      const { token } = await linkOf((await openAccount(core, "registered_free")).id);
      clock.advance(SIGN_IN_LINK_MS);
      expect(await describeSignInLink(core, token)).toBeNull();
      expect(await useSignInLink(core, token)).toEqual(OVER);
    });

    it("opens the first account of a service, and nothing once there is one", async () => {
      const { core, store } = fixture;
      const [first, second] = [await makeFirstSignInLink(core), await makeFirstSignInLink(core)];
      expect(await describeSignInLink(core, first.token)).toMatchObject({ accountId: null });
      expect(await store.committed.accounts.count()).toBe(0);
      const used = await useSignInLink(core, first.token);
      if (!used.ok) throw new Error(used.refusal.reason);
      expect(await store.committed.accounts.find(used.value.accountId)).not.toBeNull();
      expect(await describeSignInLink(core, second.token)).toBeNull();
      expect(await useSignInLink(core, second.token)).toEqual(OVER);
      expect(await store.committed.accounts.count()).toBe(1);
    });

    it("is not made for an account that there is not", async () => {
      expect(await makeSignInLink(fixture.core, "00000000-0000-7000-8000-000000000000")).toBeNull();
    });

    it.each(["", "svc_link_short", "svc_sk_0123456789"])("is no other text: %j", async (token) => {
      expect(await describeSignInLink(fixture.core, token)).toBeNull();
      expect(await useSignInLink(fixture.core, token)).toEqual(OVER);
    });

    it("is stored by its hash alone, and deleted once it has ended", async () => {
      const { core, store, clock, place } = fixture;
      const { token } = await linkOf((await openAccount(core, "registered_free")).id);
      expect(await dumpPlace(place)).not.toContain(token);
      clock.advance(SIGN_IN_LINK_MS + 1);
      const step = { now: clock.now(), auditedBefore: 0, limit: 100 };
      expect(await store.transact((tx) => tx.expiry.deleteExpired(step))).toBe(1);
      expect(await place.query("select * from sign_in_links")).toEqual([]);
    });
  });
});
