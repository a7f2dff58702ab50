// PUT /v1/ci/commits/{sha}: takes a pack. Its size is judged before a byte is read, its row is written before its blobs,
// and the commit is held from the transaction on that says so.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { SentCommit } from "../../../contract/ci/commits.ts";
import { recordDefaultHead } from "../commits/default-head.ts";
import { findHeldCommit, PackBlobs } from "../commits/held-commits.ts";
import type { HeldPack } from "../commits/held-pack.ts";
import type { ReceivedPack } from "../commits/pack-receiver.ts";
import type { Reservation } from "../commits/store-port.ts";
import type { Core } from "../core.ts";
import { type CommitAccess, type CommitRequest, findAccess } from "./commit-access.ts";
import { makeRoom, roomFor } from "./pack-quota.ts";
import type { SendCommitRefusal } from "./refusals.ts";
import { useCommit } from "./use-commit.ts";

/** A thin pack grows by what its differences are made from. */
const GROWTH_FACTOR = 4;
const GROWTH_FLOOR_BYTES = 64_000_000;

type SendCommitRequest = CommitRequest & {
  /** Of the body, in bytes. Null where the request does not say it. */
  readonly size: number | null;
  readonly content: AsyncIterable<Uint8Array>;
  /** Commits that the pack builds on. */
  readonly bases: readonly string[];
  readonly signal: AbortSignal;
};

/** Safe to repeat, and to race. Rejects as reading the content does, and with a BlobStoreError. */
export async function sendCommit(
  core: Core,
  request: SendCommitRequest,
): Promise<Result<SentCommit, SendCommitRefusal>> {
  const access = await findAccess(core, request);
  if (!access.ok) return access;
  const { size, sha } = request;
  if (size === null) return refused({ reason: "length_missing" });
  const { keeping, repository } = access.value;
  const { maxUploadBytes: allowed } = keeping.limits;
  if (size > allowed) return refused({ reason: "upload_too_large", bytes: size, allowed });
  const reader = core.store.committed;
  const earlier = await findHeldCommit(reader, { repository, sha });
  const isThere = earlier !== null && (await new PackBlobs(keeping.blobs).hasAll(earlier.packs));
  if (isThere && (await useCommit(core, request, earlier))) return ok(sentOf(earlier.tip));

  const bases = await findBases(core, access.value, request.bases);
  if (bases === null) return refused(goneBase);
  const now = core.clock.now();
  const id = core.random.uuid(now);
  const place: Reservation = { id, repository, bytes: size, now, ...keysOf(id) };
  if (!(await reserve(core, access.value, { place, bases }))) {
    return refused(await overQuota(core, access.value, size));
  }
  let isHeld = false;
  try {
    const sent = await takeIn(core, access.value, { request: { ...request, size }, place, bases });
    isHeld = sent.ok;
    return sent;
  } finally {
    if (!isHeld) await forget(core, place);
  }
}

type Taking = {
  readonly request: SendCommitRequest & { readonly size: number };
  readonly place: Reservation;
  readonly bases: readonly HeldPack[];
};

async function takeIn(
  core: Core,
  access: CommitAccess,
  { request, place, bases }: Taking,
): Promise<Result<SentCommit, SendCommitRefusal>> {
  const { receiver } = access.keeping;
  const { sha, size, content, signal } = request;
  const maxStoredBytes = size * GROWTH_FACTOR + GROWTH_FLOOR_BYTES;
  const received = await receiver.receive({
    id: place.id,
    repository: `${place.repository.issuer} ${place.repository.id}`,
    owner: access.owner,
    sha,
    bases,
    size,
    content,
    maxStoredBytes,
    signal,
  });
  if (!received.ok) return received;
  try {
    return await keep(core, access, { request, place, bases, received: received.value });
  } finally {
    await received.value.close();
  }
}

async function keep(
  core: Core,
  access: CommitAccess,
  { request, place, bases, received }: Taking & { readonly received: ReceivedPack },
): Promise<Result<SentCommit, SendCommitRefusal>> {
  const { blobs } = access.keeping;
  const { pack, index, objects, shallow } = received;
  const { signal, sha } = request;
  const { job } = request.caller.capability;
  await blobs.put({ key: place.packKey, size: pack.bytes, open: pack.open, signal });
  await blobs.put({ key: place.indexKey, size: index.bytes, open: index.open, signal });
  const now = core.clock.now();
  const held: HeldPack = {
    id: place.id,
    repository: place.repository,
    tip: sha,
    shallow,
    bases: bases.map(({ id }) => id),
    objects,
    bytes: pack.bytes + index.bytes,
    pack: { key: place.packKey, bytes: pack.bytes, sha256: pack.sha256 },
    index: { key: place.indexKey, bytes: index.bytes, sha256: index.sha256 },
    createdAt: now,
    usedAt: now,
  };
  const outcome = await core.store
    .transact(async (tx) => {
      await tx.agents.lock(access.agentId);
      const needed = [held.id, ...held.bases];
      const grown = held.bytes - place.bytes;
      if (grown > 0 && !(await makeRoom(core, tx, { access, bytes: grown, needed }))) return "over_quota";
      if (!(await tx.packs.hold(held))) return "expired";
      if (!(await tx.packs.touch({ ids: held.bases, now }))) throw new BaseGoneError();
      if (sha === job.sha) await recordDefaultHead(core, tx, { agentId: access.agentId, job });
      return "held";
    })
    .catch((cause: unknown) => {
      if (cause instanceof BaseGoneError) return "base_gone" as const;
      throw cause;
    });
  switch (outcome) {
    case "held":
      await received.adopt();
      return ok(sentOf(held));
    case "over_quota":
      return refused(await overQuota(core, access, held.bytes));
    case "expired":
      return refused({ reason: "upload_expired" });
    case "base_gone":
      return refused(goneBase);
  }
}

/** Undoes the transaction. */
class BaseGoneError extends Error {}

const goneBase = {
  reason: "base_absent",
  detail:
    'A commit that "base" names is not held, or not any more. Ask again what is, and send what lacks then.',
} as const;

/** Every pack that these commits are made of. Null where one is not held. */
async function findBases(
  core: Core,
  { repository }: CommitAccess,
  shas: readonly string[],
): Promise<readonly HeldPack[] | null> {
  const packs = new Map<string, HeldPack>();
  for (const sha of new Set(shas)) {
    const held = await findHeldCommit(core.store.committed, { repository, sha });
    if (held === null) return null;
    for (const pack of held.packs) packs.set(pack.id, pack);
  }
  return [...packs.values()];
}

/** False where the quota does not allow it. */
async function reserve(
  core: Core,
  access: CommitAccess,
  { place, bases }: Pick<Taking, "place" | "bases">,
): Promise<boolean> {
  const needed = bases.map(({ id }) => id);
  return await core.store.transact(async (tx) => {
    // Uploads of a repository are counted one after another.
    await tx.agents.lock(access.agentId);
    if (!(await makeRoom(core, tx, { access, bytes: place.bytes, needed }))) return false;
    await tx.packs.touch({ ids: needed, now: place.now });
    await tx.packs.reserve(place);
    return true;
  });
}

/** The rows go, and say which blobs have to. */
async function forget(core: Core, { id }: Reservation): Promise<void> {
  await core.store.transact((tx) => tx.packs.delete({ ids: [id], now: core.clock.now() }));
}

async function overQuota(core: Core, access: CommitAccess, bytes: number) {
  const left = await roomFor(core, core.store.committed, access);
  return { reason: "upload_quota", bytes, left, quota: access.keeping.limits.quotaBytes } as const;
}

function keysOf(id: string): Pick<Reservation, "packKey" | "indexKey"> {
  const name = `packs/${id.slice(-2)}/${id}`;
  return { packKey: `${name}.pack`, indexKey: `${name}.idx` };
}

function sentOf({ tip: sha, objects, bytes }: HeldPack): SentCommit {
  return { sha, objects, bytes };
}
