// The memory of a sign-in that takes several requests, such as a challenge or a nonce: bound to the browser by a secret that it
// keeps in a cookie, usable once and for 10 minutes.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import type { Core } from "../core.ts";
import type { AttemptKind } from "./attempt.ts";

const ATTEMPT_PREFIX = "svc_try_";
export const ATTEMPT_MS = 10 * 60 * 1000;

/** Remembers `state`. Returns the secret that finds it again. */
export async function beginAttempt(
  core: Core,
  { kind, state }: { kind: AttemptKind; state: unknown },
): Promise<string> {
  const { text, hash } = makeSecretToken(ATTEMPT_PREFIX, core.random.bytes(32));
  const expiresAt = core.clock.now() + ATTEMPT_MS;
  await core.store.transact((tx) =>
    tx.signIn.insertAttempt({ hash, kind, state: JSON.stringify(state), expiresAt }),
  );
  return text;
}

/** The value that was remembered, once. Null for a secret that was used, is too old or never was. */
export async function takeAttempt(
  core: Core,
  { kind, secret }: { kind: AttemptKind; secret: string | null },
): Promise<unknown> {
  if (secret === null || !isWellFormedSecret(ATTEMPT_PREFIX, secret)) return null;
  const hash = hashSecret(secret);
  const attempt = await core.store.transact((tx) => tx.signIn.takeAttempt(hash));
  if (attempt === null || attempt.kind !== kind || attempt.expiresAt <= core.clock.now()) return null;
  return JSON.parse(attempt.state);
}
