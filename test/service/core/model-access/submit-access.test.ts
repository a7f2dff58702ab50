// Which runs may bring their own access to a model, on every store.

import { describe, expect, it } from "vitest";
import { sealingKeyOf } from "../../../../src/base/sealed-text.ts";
import { submitRunRequestSchema } from "../../../../src/contract/runs/run-requests.ts";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import type { Policy } from "../../../../src/service/core/core.ts";
import { keepAccess, readAccess } from "../../../../src/service/core/model-access/kept-access.ts";
import { renewAccess } from "../../../../src/service/core/runs/renew-access.ts";
import { CoreFixture, type CoreFixtureOptions } from "../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const TOKEN = "sk-ant-oat01-first-token-of-the-run";
const NEWER = "sk-ant-oat01-newer-token-of-the-run";
const MINUTE = 60_000;
const takes: Partial<Policy> = { takesModelAccess: true, baseUrl: "https://service.example" };

function accessUntil(expiresAt: number, token = TOKEN) {
  const expires_at = new Date(expiresAt).toISOString();
  return { provider: "anthropic", model: "claude-x", access_token: token, expires_at } as const;
}

async function start(options: CoreFixtureOptions = {}) {
  const fixture = await CoreFixture.start({ ...options, policy: { ...takes, ...options.policy } });
  const submit = (expiresAt: number, more: { key?: string; token?: string } = {}) =>
    fixture.trySubmit({
      message: "go",
      model_access: accessUntil(expiresAt, more.token),
      ...(more.key === undefined ? {} : { idempotency_key: more.key }),
    });
  const held = async (runId: string) => await fixture.store.transact((tx) => tx.runSecrets.find(runId));
  return { fixture, submit, held, now: () => fixture.clock.now() };
}

describe("the field", () => {
  it("names what is wrong with it, and never the token", () => {
    const parse = (access: object) =>
      submitRunRequestSchema.safeParse({ message: "go", model_access: access });
    const good = accessUntil(0);
    expect(parse(good).success).toBe(true);
    const wrong = [
      [{ ...good, provider: "copilot" }, "provider"],
      [{ ...good, model: "two words" }, "model"],
      [{ ...good, access_token: `${TOKEN}\nx` }, "access_token"],
      [{ ...good, access_token: "" }, "access_token"],
      [{ ...good, expires_at: "soon" }, "expires_at"],
    ] as const;
    for (const [access, field] of wrong) {
      const { error } = parse(access);
      expect(error?.issues[0]?.path.join("."), field).toBe(`model_access.${field}`);
      expect(JSON.stringify(error?.issues)).not.toContain("sk-ant");
    }
  });
});

describe("a submission with access to a model", () => {
  const refusalOf = async (options: CoreFixtureOptions, lifeMs = 10 * MINUTE) => {
    const { fixture, submit, now } = await start(options);
    const submitted = await submit(now() + lifeMs);
    await fixture.close();
    if (submitted.ok) return null;
    const { code, message, fields } = toProblem(submitted.refusal);
    return [code, fields?.reason, message];
  };

  it("is taken at an https address, and at loopback without TLS", async () => {
    expect(await refusalOf({})).toBeNull();
    for (const baseUrl of ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"])
      expect(await refusalOf({ policy: { baseUrl } }), baseUrl).toBeNull();
  });

  it.each<[string, CoreFixtureOptions, number, string]>([
    [
      "not_executed",
      { policy: { takesModelAccess: false } },
      MINUTE,
      'This service executes no runs that bring access to a model of their own. Leave "model_access" out.',
    ],
    [
      "service_insecure",
      { policy: { baseUrl: "http://localhost.example" } },
      MINUTE,
      "This service is reached at http://localhost.example, without TLS: it takes no access token there. Its operator sets BASE_URL to its https:// address.",
    ],
    [
      "secrets_key_missing",
      { secretKeys: null },
      MINUTE,
      "This service has no key to keep access tokens with. Its operator sets RUN_SECRETS_KEY on every node.",
    ],
    [
      "wire_unsupported",
      { policy: { coderWire: { backend: "none", wire: "gemini" } } },
      MINUTE,
      'The agent of this service speaks the protocol gemini, which anthropic does not. Bring access to a provider that does, or leave "model_access" out.',
    ],
    [
      "wire_unsupported",
      { policy: { coderWire: { backend: "none", wire: null } } },
      MINUTE,
      'The agent of this service reaches its model by itself, so that it cannot use an access to anthropic. Leave "model_access" out, or ask the operator to set MODEL_PROVIDER.',
    ],
    ["access_expired", {}, 0, ""],
    ["access_ending", {}, 29_999, ""],
  ])("is refused: %s", async (reason, options, lifeMs, message) => {
    const refusal = await refusalOf(options, lifeMs);
    expect(refusal).toEqual([
      "model_access_refused",
      reason,
      message === "" ? expect.stringMatching(/^The access token end.* Exchange a fresh ID token/) : message,
    ]);
  });

  it("of an agent of another backend than the program is not compared with the program's protocol", async () => {
    expect(await refusalOf({ policy: { coderWire: { backend: "acp", wire: "gemini" } } })).toBeNull();
  });

  it("with an account's key is refused", async () => {
    const { fixture, now } = await start();
    const { agentId } = (await fixture.caller()).capability;
    const submitted = await fixture.submitter.submit({
      caller: {
        kind: "account",
        accountId: "account-1",
        callerClass: "owner",
        personId: null,
        role: "owner",
      },
      agentId,
      body: { message: "go", model_access: accessUntil(now() + MINUTE) },
      idempotencyKey: null,
    });
    expect(submitted).toEqual({ ok: false, refusal: { reason: "model_access_needs_job" } });
    await fixture.close();
  });
});

onEveryStore((store) => {
  describe("the access of a run", () => {
    it("is kept sealed beside the run, and is no part of its input", async () => {
      const { fixture, submit, held, now } = await start({ store });
      const expiresAt = now() + MINUTE;
      const submitted = await submit(expiresAt);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      const kept = await held(runId);
      expect(kept).toEqual({ runId, sealed: expect.stringMatching(/^v1\./), expiresAt });
      expect(kept?.sealed).not.toContain(TOKEN);
      const input = await fixture.store.committed.runs.findInput(runId);
      expect(input?.modelAccess).toEqual({
        provider: "anthropic",
        model: "claude-x",
        heldBy: runId,
        firstExpiresAt: expiresAt,
      });
      expect(JSON.stringify(input)).not.toContain(TOKEN);
      expect((await fixture.run(runId)).modelBilling).toBe("repository");
      if (input?.modelAccess === undefined) throw new Error("There is no access.");
      expect(await readAccess(fixture.core, input.modelAccess)).toEqual({ ok: true, value: TOKEN });
      await fixture.close();
    });

    it("is renewed by the same request again, which is still the first run", async () => {
      const { fixture, submit, now } = await start({ store });
      const first = await submit(now() + MINUTE, { key: "key" });
      const again = await submit(now() + 2 * MINUTE, { key: "key", token: NEWER });
      const late = await submit(now() - 1, { key: "key", token: "another-token-that-has-ended" });
      if (!first.ok) throw new Error(first.refusal.reason);
      const { runId } = first.value;
      for (const replay of [again, late])
        expect(replay).toMatchObject({ ok: true, value: { runId, isReplay: true } });
      const access = (await fixture.store.committed.runs.findInput(runId))?.modelAccess;
      if (access === undefined) throw new Error("There is no access.");
      expect(await readAccess(fixture.core, access)).toEqual({ ok: true, value: NEWER });
      const other = await fixture.trySubmit({
        message: "go",
        model_access: { ...accessUntil(now() + MINUTE), model: "claude-y" },
        idempotency_key: "key",
      });
      expect(other).toEqual({ ok: false, refusal: { reason: "key_reused", key: "key" } });
      await fixture.close();
    });

    it("is renewed by jobs of the CI run that brought it, to the token that ends last", async () => {
      const { fixture, submit, held, now } = await start({ store });
      const submitted = await submit(now() + MINUTE);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      const caller = await fixture.caller();
      const { job } = caller.capability;
      const renew = async (token: string, lifeMs: number, as = caller) =>
        await renewAccess(fixture.core, {
          caller: as,
          runId,
          access: { access_token: token, expires_at: new Date(now() + lifeMs).toISOString() },
        });
      const as = (change: Partial<typeof job>, agentId = caller.capability.agentId) => ({
        ...caller,
        capability: { ...caller.capability, agentId, job: { ...job, ...change } },
      });
      const token = async () => {
        const access = (await fixture.store.committed.runs.findInput(runId))?.modelAccess;
        return access === undefined ? null : await readAccess(fixture.core, access);
      };
      expect(await renew("x".repeat(20), 5 * MINUTE, as({ runId: "501" }))).toEqual({
        ok: false,
        refusal: { reason: "model_access_of_another", runId },
      });
      expect(await renew("x".repeat(20), 5 * MINUTE, as({}, "another-agent"))).toEqual({
        ok: false,
        refusal: { reason: "run_of_another", runId },
      });
      expect(await token()).toEqual({ ok: true, value: TOKEN });
      expect(await renew(NEWER, 3 * MINUTE, as({ runAttempt: "2" }))).toEqual({ ok: true, value: null });
      expect(await renew("earlier-token-that-arrives-late", 2 * MINUTE)).toEqual({ ok: true, value: null });
      expect(await token()).toEqual({ ok: true, value: NEWER });
      expect(await renew("a-token-that-has-ended", 0)).toMatchObject({
        refusal: { reason: "access_expired" },
      });
      expect(await renew("a-token-that-ends-soon", 1_000)).toMatchObject({
        refusal: { reason: "access_ending" },
      });
      expect((await held(runId))?.expiresAt).toBe(now() + 3 * MINUTE);
      await fixture.close();
    });

    it("is not renewed for a run that brought none, nor for one that is not there", async () => {
      const { fixture, held, now } = await start({ store });
      const runId = await fixture.submit();
      const caller = await fixture.caller();
      const access = { access_token: TOKEN, expires_at: new Date(now() + MINUTE).toISOString() };
      expect(await renewAccess(fixture.core, { caller, runId, access })).toEqual({
        ok: false,
        refusal: { reason: "model_access_none", runId },
      });
      expect(await held(runId)).toBeNull();
      expect(await renewAccess(fixture.core, { caller, runId: "nowhere", access })).toEqual({
        ok: false,
        refusal: { reason: "run_not_found", runId: "nowhere" },
      });
      await fixture.close();
    });

    it("says when it has ended, was lost, or was sealed with a key that this node has not", async () => {
      const { fixture, submit, now } = await start({ store });
      const submitted = await submit(now() + MINUTE);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      const access = (await fixture.store.committed.runs.findInput(runId))?.modelAccess;
      if (access === undefined) throw new Error("There is no access.");
      const { core } = fixture;
      expect(await readAccess({ ...core, secretKeys: null }, access)).toMatchObject({
        refusal: { reason: "key_unknown" },
      });
      const { secretKeys } = core;
      if (secretKeys === null) throw new Error("There is no key.");
      const next = { current: sealingKeyOf(Buffer.alloc(32, 9)), previous: null };
      expect(await readAccess({ ...core, secretKeys: next }, access)).toEqual({
        ok: false,
        refusal: { reason: "key_unknown", keyId: secretKeys.current.id },
      });
      const both = { ...next, previous: secretKeys.current };
      expect(await readAccess({ ...core, secretKeys: both }, access)).toEqual({ ok: true, value: TOKEN });
      const moved = { runId: "run-2", token: TOKEN, expiresAt: now() + MINUTE };
      await core.store.transact(async (tx) => {
        await keepAccess({ ...core, secretKeys }, tx, moved);
        const other = await tx.runSecrets.find("run-2");
        await tx.runSecrets.keep({ runId, sealed: other?.sealed ?? "", expiresAt: now() + MINUTE });
      });
      expect(await readAccess(core, access)).toEqual({ ok: false, refusal: { reason: "unreadable" } });
      const lost = { ...access, heldBy: "run-3" };
      expect(await readAccess(core, lost)).toEqual({ ok: false, refusal: { reason: "lost" } });
      fixture.clock.advance(MINUTE);
      const expired = { ok: false, refusal: { reason: "expired", expiredAt: now() } };
      expect(await readAccess(core, access)).toEqual(expired);
      const step = { now: now() + 1, auditedBefore: 0, limit: 100 };
      while ((await core.store.transact((tx) => tx.expiry.deleteExpired(step))) > 0);
      expect(await core.store.transact((tx) => tx.runSecrets.find(runId))).toBeNull();
      expect(await readAccess(core, access)).toEqual(expired);
      await fixture.close();
    });
  });
});
