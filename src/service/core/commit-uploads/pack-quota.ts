// The quota of a repository's packs, and the removal that makes room: the least recently used, and nothing that a run in flight
// works on or that was used just now.

import { findHeldCommit } from "../commits/held-commits.ts";
import { commitsOf } from "../commits/run-commit.ts";
import type { OldPack } from "../commits/store-port.ts";
import type { Core } from "../core.ts";
import type { StoreReader, StoreTransaction } from "../ports/store.ts";
import type { CommitAccess } from "./commit-access.ts";

/** A job submits its run soon after it has asked for its commit, or sent it. */
const JUST_USED_MS = 10 * 60_000;

/** Bytes that a pack may have, so that the repository stays within its quota. */
export async function roomFor(core: Core, reader: StoreReader, access: CommitAccess): Promise<number> {
  const { maxUploadBytes, quotaBytes } = access.keeping.limits;
  if ((await reader.packs.countBytes(access.repository)) + maxUploadBytes <= quotaBytes)
    return maxUploadBytes;
  const { kept } = await sortOut(core, reader, access);
  return Math.max(0, Math.min(maxUploadBytes, quotaBytes - bytesOf(kept)));
}

/** Deletes what is in the way of a pack of so many bytes. False where that is not enough: then nothing is deleted. */
export async function makeRoom(
  core: Core,
  tx: StoreTransaction,
  { access, bytes, needed }: { access: CommitAccess; bytes: number; needed: readonly string[] },
): Promise<boolean> {
  const { quotaBytes } = access.keeping.limits;
  let left = quotaBytes - bytes - (await tx.packs.countBytes(access.repository));
  if (left >= 0) return true;
  const ids: string[] = [];
  const { free } = await sortOut(core, tx, access);
  for (const { id, bytes: freed } of free) {
    if (left >= 0) break;
    // What the pack builds on was used just now.
    if (needed.includes(id)) continue;
    ids.push(id);
    left += freed;
  }
  if (left < 0) return false;
  await tx.packs.delete({ ids, now: core.clock.now() });
  return true;
}

/** Deletes every pack of a repository whose agent takes no more work, but for those of runs that have not ended. */
export async function deleteUnneeded(
  core: Core,
  tx: StoreTransaction,
  of: Pick<CommitAccess, "agentId" | "repository">,
): Promise<void> {
  const needed = await packsOfRuns(tx, of);
  const all = await tx.packs.listOldest(of.repository);
  const used = new Set(all.flatMap(({ id, bases }) => (needed.has(id) ? [id, ...bases] : [])));
  const ids = all.flatMap(({ id, tip }) => (used.has(id) || tip === null ? [] : [id]));
  await tx.packs.delete({ ids, now: core.clock.now() });
}

/** Packs that may go, the least recently used first, and those that stay. */
async function sortOut(
  core: Core,
  reader: StoreReader,
  access: CommitAccess,
): Promise<{ free: readonly OldPack[]; kept: readonly OldPack[] }> {
  const used = new Set<string>();
  const usedSince = core.clock.now() - JUST_USED_MS;
  const all = await reader.packs.listOldest(access.repository);
  for (const { id, bases, usedAt } of all) {
    if (usedAt < usedSince) continue;
    for (const one of [id, ...bases]) used.add(one);
  }
  for (const id of await packsOfRuns(reader, access)) used.add(id);
  return { free: all.filter(({ id }) => !used.has(id)), kept: all.filter(({ id }) => used.has(id)) };
}

/** The packs of all runs of the repository that have not ended. */
async function packsOfRuns(
  reader: StoreReader,
  { agentId, repository }: Pick<CommitAccess, "agentId" | "repository">,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const known = new Set<string>();
  for (const runId of await reader.runs.listUnfinishedOfAgent(agentId)) {
    const input = await reader.runs.findInput(runId);
    for (const sha of input === null ? [] : commitsOf(input)) {
      if (known.has(sha)) continue;
      known.add(sha);
      const held = await findHeldCommit(reader, { repository, sha });
      for (const { id } of held?.packs ?? []) ids.add(id);
    }
  }
  return ids;
}

function bytesOf(packs: readonly OldPack[]): number {
  return packs.reduce((sum, { bytes }) => sum + bytes, 0);
}
