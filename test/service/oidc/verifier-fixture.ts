// A verifier against a real issuer on loopback, with a clock that only the test moves and a log that is kept.

import { expect } from "vitest";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import { startIssuer, type TestIssuer } from "../../../fakes/issuer/issuer.ts";
import { type IssuerKeyOptions, makeIssuerKey } from "../../../fakes/issuer/key.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { LogFields, Logger } from "../../../src/base/log.ts";
import type { ExchangeReason } from "../../../src/contract/problems/problem.ts";
import type { ExchangeRefusal } from "../../../src/service/core/ci/refusals.ts";
import type { JobStatement, VerifiedToken } from "../../../src/service/core/ci-jobs/job-identity.ts";
import type { IssuerConfig } from "../../../src/service/oidc/issuer-config.ts";
import { tokenVerifier } from "../../../src/service/oidc/verify-token.ts";

export const AUDIENCE = "svc.example";
export const START_MS = Date.parse("2026-01-15T10:00:00Z");

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Resolves once something sleeps. */
  whenSleeping(): Promise<void>;
}

export function manualClock(startMs = START_MS): ManualClock {
  let nowMs = startMs;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let watchers: (() => void)[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: nowMs + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        });
        for (const watcher of watchers.splice(0)) watcher();
      }),
    advance: (ms) => {
      nowMs += ms;
      const due = sleepers.filter(({ at }) => at <= nowMs);
      sleepers = sleepers.filter(({ at }) => at > nowMs);
      for (const { wake } of due) wake();
    },
    whenSleeping: () =>
      sleepers.length > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            watchers = [...watchers, resolve];
          }),
  };
}

export function memoryLogger(lines: string[]): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => {
    lines.push(`${level} ${JSON.stringify(fields)} ${message}`);
  };
  const logger: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => logger,
  };
  return logger;
}

export interface Fixture {
  readonly issuer: TestIssuer;
  readonly clock: ManualClock;
  readonly logs: readonly string[];
  /** A good token, but for what is overridden. */
  token(overrides?: Claims): string;
  /** Expects the token to pass. */
  accept(token: string, statement?: JobStatement): Promise<VerifiedToken>;
  /** Expects a refusal for this reason, which repeats no part of the token, nor a claim before the signature passed. */
  refuse(token: string, reason: ExchangeReason, statement?: JobStatement): Promise<ExchangeRefusal>;
  close(): Promise<void>;
}

export type FixtureOptions = {
  readonly key?: IssuerKeyOptions;
  /** Fields of the issuer's entry, replaced. */
  readonly entry?: Partial<IssuerConfig>;
  /** Further issuers that the service accepts. */
  readonly others?: readonly IssuerConfig[];
};

/** Made once: a test that needs its own key asks for it. */
const usualKey = await makeIssuerKey();

const UNVERIFIED: readonly ExchangeReason[] = [
  "token_malformed",
  "issuer_unknown",
  "issuer_disabled",
  "algorithm_refused",
  "key_unknown",
  "key_refused",
  "keys_unavailable",
  "signature_invalid",
];

export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const clock = manualClock();
  const issuer = await startIssuer({ now: clock.now, key: options.key ?? usualKey });
  const logs: string[] = [];
  const issuers = [{ ...entryOf(issuer), ...options.entry }, ...(options.others ?? [])];
  const verifier = tokenVerifier({ issuers, audience: AUDIENCE, clock, logger: memoryLogger(logs) });
  return {
    issuer,
    clock,
    logs,
    token: (overrides = {}) => issuer.sign(issuer.githubClaims({ aud: AUDIENCE, ...overrides })),
    accept: async (token, statement) => {
      const result = await verifier.verify(token, statement);
      if (!result.ok) expect.fail(`refused: ${JSON.stringify(result.refusal)}`);
      return result.value;
    },
    refuse: async (token, reason, statement) => {
      const result = await verifier.verify(token, statement);
      if (result.ok) expect.fail("the token was accepted");
      const { refusal } = result;
      expect(refusal.reason).toBe(reason);
      expect(refusal.detail).toMatch(/^[A-Z].*\.$/);
      if (UNVERIFIED.includes(reason)) expect(Object.keys(refusal).sort()).toEqual(["detail", "reason"]);
      const said = JSON.stringify(refusal) + logs.join("\n");
      for (const part of token.split(".")) if (part.length > 8) expect(said).not.toContain(part);
      return refusal;
    },
    close: issuer.close,
  };
}

/** A test issuer as an entry of CI_ISSUERS. */
export function entryOf(issuer: TestIssuer): IssuerConfig {
  return {
    provider: "github",
    issuer: issuer.url,
    jwks_uri: issuer.jwksUri,
    clone_url: "https://git.example/{repository}.git",
    enabled: true,
    allow_events: [],
  };
}
