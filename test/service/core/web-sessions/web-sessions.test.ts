// Signing browsers in and out, on every store.

import { afterEach, describe, expect, it } from "vitest";
import { systemRandom } from "../../../../src/base/ids.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import {
  isRecent,
  RECENT_MS,
  WEB_SESSION_MS,
} from "../../../../src/service/core/web-sessions/web-session.ts";
import {
  confirmWebSession,
  endOtherWebSessions,
  endWebSession,
  findWebSession,
  openWebSession,
} from "../../../../src/service/core/web-sessions/web-sessions.ts";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../../support/stores/stores.ts";
import { ownerOf } from "../../../support/web-sign-in.ts";

const ACCOUNT = "01890000-0000-7000-8000-000000000001";
const audit = { accountId: null, action: null, repositoryName: null, before: null, limit: 10 };
const OTHER = "01890000-0000-7000-8000-000000000002";

onEveryStore((kind) => {
  describe("a browser's session", () => {
    let place: StorePlace;
    let store: Store;

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const start = async () => {
      place = await kind.make();
      store = await place.open();
      const core = { store, clock: new ManualClock(), random: systemRandom };
      const open = async (accountId: string) =>
        await openWebSession(core, {
          accountId,
          personId: await ownerOf(core, accountId),
          method: "key",
          userAgent: "x".repeat(1_000),
        });
      return { core, open };
    };

    it("is found by its secret, lives while it is seen, and stores no secret", async () => {
      const { core, open } = await start();
      const { session, secret } = await open(ACCOUNT);
      expect(session.userAgent.length).toBe(300);
      expect(await findWebSession(core, secret)).toEqual(session);
      expect(await findWebSession(core, null)).toBeNull();
      expect(await findWebSession(core, session.hash)).toBeNull();
      core.clock.advance(WEB_SESSION_MS - 1);
      const seen = await findWebSession(core, secret);
      expect(seen).toMatchObject({ seenAt: core.clock.now(), expiresAt: core.clock.now() + WEB_SESSION_MS });
      core.clock.advance(WEB_SESSION_MS);
      expect(await findWebSession(core, secret)).toBeNull();
      expect(JSON.stringify(await place.query("select * from web_sessions"))).not.toContain(secret);
      const step = { now: core.clock.now(), auditedBefore: 0, limit: 10 };
      await store.transact((tx) => tx.expiry.deleteExpired({ ...step, now: step.now + 1 }));
      expect(await place.query("select * from web_sessions")).toEqual([]);
    });

    it("is recent for ten minutes after its person proved who they are", async () => {
      const { core, open } = await start();
      const { session, secret } = await open(ACCOUNT);
      core.clock.advance(RECENT_MS);
      expect(isRecent(session, core.clock.now())).toBe(false);
      await confirmWebSession(core, session);
      const again = await findWebSession(core, secret);
      expect(again !== null && isRecent(again, core.clock.now())).toBe(true);
    });

    it("is ended alone, by its own person, or with all others of the person", async () => {
      const { core, open } = await start();
      const [one, two, three] = [await open(ACCOUNT), await open(ACCOUNT), await open(ACCOUNT)];
      const foreign = await open(OTHER);
      const requestId = "r";
      const { personId } = one.session;
      const mine = { accountId: ACCOUNT, personId, requestId };
      const audited = async () =>
        (await store.committed.audit.list(audit)).map(({ action, accountId }) => [action, accountId]);
      const found = async () =>
        (await store.committed.webSessions.list({ personId, now: core.clock.now() })).map(({ id }) => id);
      expect(await endWebSession(core, { ...foreign.session, id: one.session.id, requestId })).toBe(false);
      expect(await endWebSession(core, { ...one.session, requestId })).toBe(true);
      expect(await endWebSession(core, { ...one.session, requestId })).toBe(false);
      expect(await found()).toEqual([two.session.id, three.session.id].sort());
      expect(await endOtherWebSessions(core, { ...mine, kept: two.session.id })).toBe(1);
      expect(await found()).toEqual([two.session.id]);
      expect(await endOtherWebSessions(core, { ...mine, kept: null })).toBe(1);
      expect(await findWebSession(core, foreign.secret)).not.toBeNull();
      // One for each act that ended a session.
      expect(await audited()).toEqual(Array(3).fill(["sign_out", ACCOUNT]));
    });
  });
});
