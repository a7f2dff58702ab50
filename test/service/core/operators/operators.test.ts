// Who operates the service, on each store: links that register them once, sessions and what ends them, passkeys that were copied.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OperatorIdentity } from "../../../../src/service/core/operators/operator.ts";
import {
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
} from "../../../../src/service/core/operators/operator-sessions.ts";
import {
  addOperator,
  findOperatorLink,
  isOperated,
  makeOperatorLink,
  removeOperator,
  useOperator,
} from "../../../../src/service/core/operators/operators.ts";
import { makeSignInLink } from "../../../../src/service/core/sign-in/sign-in-links.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeOperator, makePasskey, signInOperator } from "../../../support/operators.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../support/web-sign-in.ts";

const HOUR_MS = 60 * 60_000;

onEveryStore((store) => {
  describe("operators", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store });
    });

    afterEach(() => fixture.close());

    const add = async (token: string) => {
      const { core } = fixture;
      const passkey = makePasskey(core);
      const id = core.random.uuid(core.clock.now());
      return await addOperator(core, { id, token, passkey, requestId: "request" });
    };
    const entries = async () => {
      const query = { accountId: null, action: null, repositoryName: null, before: null, limit: 50 };
      return (await fixture.store.committed.audit.list(query))
        .map(({ action, outcome, operatorId }) => [action, outcome, operatorId])
        .sort();
    };

    it("are registered by a link, once, whoever comes at the same time", async () => {
      const { core } = fixture;
      expect(await isOperated(core)).toBe(false);
      const { token, expiresAt } = await makeOperatorLink(core);
      expect([expiresAt - core.clock.now(), await isOperated(core)]).toEqual([15 * 60_000, false]);
      for (let looks = 0; looks < 3; looks += 1)
        expect(await findOperatorLink(core, token)).toEqual({ expiresAt });
      const added = await Promise.all([add(token), add(token), add(token)]);
      expect(added.map((one) => (one.ok ? "added" : one.refusal.reason)).sort()).toEqual([
        "added",
        "link_over",
        "link_over",
      ]);
      expect([await findOperatorLink(core, token), await isOperated(core)]).toEqual([null, true]);
      const [operator, ...others] = await fixture.store.committed.operators.list();
      expect([operator?.name, others]).toEqual(["Ada's laptop", []]);
      expect(await entries()).toEqual([
        ["operator_added", "ok", operator?.id],
        ["operator_link_made", "ok", undefined],
      ]);
      expect(await dumpPlace(fixture.place)).not.toContain(token);
    });

    it("are registered by no link that has ended, is an account's, or never was", async () => {
      const { core, clock } = fixture;
      const account = await makeAccount(fixture);
      const foreign = await makeSignInLink(core, account.id);
      const { token } = await makeOperatorLink(core);
      const wrong = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
      for (const text of [foreign?.token ?? "", wrong, "", "svc_oplink_"]) {
        expect(await findOperatorLink(core, text)).toBeNull();
        expect(await add(text)).toMatchObject({ ok: false, refusal: { reason: "link_over" } });
      }
      clock.advance(15 * 60_000);
      expect(await findOperatorLink(core, token)).toBeNull();
      expect(await add(token)).toMatchObject({ ok: false, refusal: { reason: "link_over" } });
      expect(await fixture.store.committed.operators.list()).toEqual([]);
    });

    it("keep a link that was used for a passkey which is an operator's already", async () => {
      const { core } = fixture;
      const { credentialId } = await makeOperator(core);
      const { token } = await makeOperatorLink(core);
      const passkey = makePasskey(core, { credentialId });
      const again = await addOperator(core, { id: "another", token, passkey, requestId: "request" });
      expect(again).toMatchObject({ ok: false, refusal: { reason: "passkey_refused" } });
      expect(await findOperatorLink(core, token)).not.toBeNull();
    });

    it("are signed in for eight hours, however often they are seen, and signed out at once", async () => {
      const { core, clock } = fixture;
      const { operator, secret } = await signInOperator(core);
      expect(await findOperatorSession(core, secret)).toMatchObject({ operatorId: operator.id });
      clock.advance(8 * HOUR_MS - 1);
      const session = await findOperatorSession(core, secret);
      expect(session).not.toBeNull();
      clock.advance(1);
      expect(await findOperatorSession(core, secret)).toBeNull();
      const next = await signInOperator(core, operator);
      const opened = await findOperatorSession(core, next.secret);
      if (opened === null) throw new Error("There is no session.");
      await endOperatorSession(core, { session: opened, requestId: "request" });
      await endOperatorSession(core, { session: opened, requestId: "request" });
      expect(await findOperatorSession(core, next.secret)).toBeNull();
      expect(
        (await entries()).map(([action]) => action).filter((action) => action?.includes("sign")),
      ).toEqual(["operator_sign_in", "operator_sign_in", "operator_sign_out"]);
      expect(await dumpPlace(fixture.place)).not.toContain(next.secret);
    });

    it("lose the session that the browser had so far when they sign in anew", async () => {
      const { core } = fixture;
      const { operator, secret } = await signInOperator(core);
      const earlier = await findOperatorSession(core, secret);
      await openOperatorSession(core, { who: { kind: "passkey", operator }, earlier, requestId: "request" });
      expect(await findOperatorSession(core, secret)).toBeNull();
    });

    it("are nobody once they are removed, in every browser, and others stay", async () => {
      const { core } = fixture;
      const first = await signInOperator(core);
      const again = await signInOperator(core, first.operator);
      const other = await signInOperator(core);
      expect(await removeOperator(core, first.operator.id)).toMatchObject({ id: first.operator.id });
      expect(await removeOperator(core, first.operator.id)).toBeNull();
      const found = [first, again, other].map(({ secret }) => findOperatorSession(core, secret));
      expect((await Promise.all(found)).map((session) => session !== null)).toEqual([false, false, true]);
      const { operators } = fixture.store.committed;
      expect(await operators.findByCredential(first.operator.credentialId)).toBeNull();
      expect(await entries()).toContainEqual(["operator_removed", "ok", first.operator.id]);
    });

    it("are refused where the passkey was copied: its counter does not go up", async () => {
      const { core } = fixture;
      const operator = await makeOperator(core, { counter: 5 });
      const use = (counter: number) => useOperator(core, { operator, counter, isBackedUp: true });
      expect([(await use(6)).ok, (await use(6)).ok, (await use(5)).ok, (await use(0)).ok]).toEqual([
        true,
        false,
        false,
        false,
      ]);
      const silent = await makeOperator(core, { counter: 0 });
      for (let uses = 0; uses < 2; uses += 1)
        expect((await useOperator(core, { operator: silent, counter: 0, isBackedUp: false })).ok).toBe(true);
    });

    it("are an identity for as long as the settings name it, and no other subject or issuer", async () => {
      const named = (identities: readonly OperatorIdentity[]) => ({
        ...fixture.core,
        policy: { ...fixture.core.policy, operators: { identities, settings: () => [] } },
      });
      const identity = {
        kind: "oidc",
        issuer: "https://id.example/",
        subject: "77",
        name: "ada@example.com",
      } as const;
      const who = { kind: "oidc", identity } as const;
      const { secret } = await openOperatorSession(fixture.core, {
        who,
        earlier: null,
        requestId: "request",
      });
      const found = async (identities: readonly OperatorIdentity[]) =>
        (await findOperatorSession(named(identities), secret)) !== null;
      expect(await found([{ issuer: "https://id.example", subject: "77" }])).toBe(true);
      expect(await found([])).toBe(false);
      expect(await found([{ issuer: "https://id.example", subject: "7" }])).toBe(false);
      expect(await found([{ issuer: "https://id.example.org", subject: "77" }])).toBe(false);
      expect(await found([{ issuer: "https://id.example", subject: "ada@example.com" }])).toBe(false);
      expect((await entries()).at(-1)).toEqual(["operator_sign_in", "ok", "https://id.example/#77"]);
    });

    it("have sessions that are no account's, and no account's session is theirs", async () => {
      const { core } = fixture;
      const account = await makeAccount(fixture);
      const { secret } = await signInTo(core, account.id);
      expect(await findOperatorSession(core, secret)).toBeNull();
      expect(await findOperatorSession(core, null)).toBeNull();
      expect(await findOperatorSession(core, "svc_op_")).toBeNull();
    });
  });
});
