// Keys that sign the ID tokens of runs, and when each of them signs and is published. Pure.
// Why: docs/decisions/172-the-service-vouches-for-its-runs.md

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A key signs for so long. */
const SIGNS_MS = 30 * DAY_MS;
/** It is published so long before it signs, at least: verifiers keep what they have read. */
const PUBLISHED_BEFORE_MS = HOUR_MS;
/** And so long after it has signed: tokens of it end within minutes, and clocks differ. */
const KEPT_MS = DAY_MS;

export type IdentityKey = {
  /** 1 for the first, one more for each that follows. */
  readonly sequence: number;
  /** RFC 7638, of the public key. */
  readonly kid: string;
  /** The public key as a JWK, in JSON. */
  readonly publicJwk: string;
  /** The private key as a JWK, in JSON, sealed. Bound to `kid`. */
  readonly sealed: string;
  /** It signs from then on, until the next one does. */
  readonly startsAt: number;
};

type Timed = Pick<IdentityKey, "sequence" | "startsAt">;

/** The key that signs now: the latest that has started. Null where there is none yet. */
export function signerAt<Key extends Timed>(keys: readonly Key[], now: number): Key | null {
  return keys.findLast(({ startsAt }) => startsAt <= now) ?? null;
}

/** What is to be made so that a key signs now and the next one is published. `startsAt` in the order of the sequence. */
export function missingAt(keys: readonly Timed[], now: number): readonly Timed[] {
  const last = keys.at(-1);
  if (last === undefined) {
    return [
      { sequence: 1, startsAt: now },
      { sequence: 2, startsAt: now + SIGNS_MS },
    ];
  }
  if (last.startsAt > now) return [];
  const startsAt = Math.max(last.startsAt + SIGNS_MS, now + PUBLISHED_BEFORE_MS);
  return [{ sequence: last.sequence + 1, startsAt }];
}

/** When a key that is not among these begins to sign: an uploaded set is good until then. */
export function signedUntil(keys: readonly Timed[]): number | null {
  const last = keys.at(-1);
  return last === undefined ? null : last.startsAt + SIGNS_MS;
}

/** The sequence below which keys have signed nothing that is still good. */
export function firstKept(keys: readonly Timed[], now: number): number {
  // A key has ended when the one after it began.
  const ended = keys.findLast(
    (_, index) => (keys[index + 1]?.startsAt ?? Number.POSITIVE_INFINITY) + KEPT_MS <= now,
  );
  return (ended?.sequence ?? 0) + 1;
}
