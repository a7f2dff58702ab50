// A repository, packs of its commits, and the parts of a node that keep them: in one folder, removed after the test.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { TestRepository } from "../../../../fakes/code-host/git-repository.ts";
import { type Clock, systemClock } from "../../../../src/base/clock.ts";
import type { Result } from "../../../../src/base/result.ts";
import { folderBlobs } from "../../../../src/service/blobs/folder.ts";
import { type KeptCommits, keepCommits } from "../../../../src/service/checkouts/packs/keep-commits.ts";
import type { PackLimits } from "../../../../src/service/checkouts/packs/pack-limits.ts";
import type { BlobStore } from "../../../../src/service/core/blobs/blob-store.ts";
import type { HeldPack } from "../../../../src/service/core/commits/held-pack.ts";
import type { PackRefusal } from "../../../../src/service/core/commits/pack-receiver.ts";

const LIMITS: PackLimits = {
  maxBytes: 50_000_000,
  maxCheckoutBytes: 50_000_000,
  cloneTimeoutMs: 60_000,
  maxObjects: 10_000,
  maxCommits: 100,
  maxUnfoldedBytes: 2_000_000_000,
  maxCpuSeconds: 60,
  maxUploads: 4,
  maxUploadsOfOwner: 2,
  maxWaitingUploads: 8,
  maxWaitingUploadsOfOwner: 4,
  uploadWaitMs: 60_000,
};

export type SendOptions = {
  readonly bases?: readonly HeldPack[];
  readonly id?: string;
  readonly repository?: string;
  readonly owner?: string;
  readonly size?: number;
  readonly content?: AsyncIterable<Uint8Array>;
  readonly maxStoredBytes?: number;
  readonly signal?: AbortSignal;
};

export class PackFixture {
  readonly folder: string;
  readonly repository: TestRepository;
  readonly blobs: BlobStore;
  #packs = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.repository = new TestRepository(folder, "octo/fixture.git");
    this.blobs = folderBlobs(join(folder, "blobs"));
  }

  static async make(): Promise<PackFixture> {
    return new PackFixture(await mkdtemp(join(tmpdir(), "pack-test-")));
  }

  kept(
    options: {
      limits?: Partial<PackLimits>;
      clock?: Clock;
      maxCachedBytes?: number;
      name?: string;
      environment?: Readonly<Record<string, string | undefined>>;
    } = {},
  ): KeptCommits {
    const { limits, clock = systemClock, maxCachedBytes = 50_000_000, name = "node" } = options;
    const { environment = process.env } = options;
    return keepCommits({
      folder: join(this.folder, name),
      environment,
      blobs: this.blobs,
      maxCachedBytes,
      limits: { ...LIMITS, ...limits },
      clock,
    });
  }

  /** What a job sends: the commits that `revisions` name, as `git rev-list` reads them. */
  pack(revisions: readonly string[]): Buffer {
    return this.packObjects(`${revisions.join("\n")}\n`, ["--revs", "--thin"]);
  }

  /** Of the objects that are named, or of what `options` make of the names. */
  packObjects(input: string, options: readonly string[]): Buffer {
    const args = ["pack-objects", ...options, "--stdout", "--delta-base-offset", "-q"];
    return execFileSync("git", args, {
      cwd: this.repository.path,
      input,
      maxBuffer: 1_000_000_000,
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  /** Sends a pack and keeps it, as the service does. */
  async hold(
    kept: KeptCommits,
    sha: string,
    { pack, ...options }: SendOptions & { readonly pack: Buffer },
  ): Promise<HeldPack> {
    const id = this.#nextId();
    const received = await this.send(kept, sha, { ...options, pack, id });
    if (!received.ok) throw new Error(JSON.stringify(received.refusal));
    const { bases = [] } = options;
    const { value } = received;
    const files = { pack: value.pack, index: value.index };
    for (const [name, { bytes: size, open }] of Object.entries(files))
      await this.blobs.put({ key: `packs/${id}.${name}`, size, open });
    await value.adopt();
    await value.close();
    return {
      id,
      repository: { issuer: "https://issuer.example", id: "1" },
      tip: sha,
      shallow: value.shallow,
      bases: [...new Set(bases.flatMap((base) => [base.id, ...base.bases]))],
      objects: value.objects,
      bytes: value.pack.bytes + value.index.bytes,
      pack: { key: `packs/${id}.pack`, bytes: value.pack.bytes, sha256: value.pack.sha256 },
      index: { key: `packs/${id}.index`, bytes: value.index.bytes, sha256: value.index.sha256 },
      createdAt: this.#packs,
      usedAt: this.#packs,
    };
  }

  async send(kept: KeptCommits, sha: string, { pack, ...options }: SendOptions & { readonly pack: Buffer }) {
    return await kept.receiver.receive({
      id: options.id ?? this.#nextId(),
      sha,
      repository: options.repository ?? "octo/fixture",
      owner: options.owner ?? "octo",
      bases: options.bases ?? [],
      size: options.size ?? pack.length,
      content: options.content ?? chunks(pack),
      maxStoredBytes: options.maxStoredBytes ?? 100_000_000,
      signal: options.signal ?? AbortSignal.timeout(60_000),
    });
  }

  /** What uploads have left on disk. */
  async leftOvers(): Promise<readonly string[]> {
    return await readdir(join(this.folder, "node", "uploads")).catch(() => []);
  }

  #nextId(): string {
    this.#packs += 1;
    return `00000000-0000-4000-8000-${String(this.#packs).padStart(12, "0")}`;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function* chunks(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A pack of these objects, in this order: what git would not write, too. */
export function writePack(
  objects: readonly { type: number; content: Buffer; prefix?: Buffer; size?: number }[],
  options: { count?: number } = {},
): Buffer {
  const header = Buffer.alloc(12);
  header.write("PACK");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(options.count ?? objects.length, 8);
  const parts = objects.flatMap(({ type, content, prefix = Buffer.alloc(0), size = content.length }) => [
    objectHeader(type, size),
    prefix,
    deflateSync(content),
  ]);
  const body = Buffer.concat([header, ...parts]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/**
 * A pack of a few bytes an object that unfolds to `differences` objects of 16 MB: each is one difference, which copies the
 * same megabyte again and again.
 */
export function unfoldingPack(differences: number): Buffer {
  const base = Buffer.alloc(1_000_000, "x");
  const name = createHash("sha1").update(`blob ${base.length}\0`).update(base).digest();
  // Copies 1,000,000 bytes from the beginning: 0x0f4240.
  const copy = Buffer.from([0x80 | 0x10 | 0x20 | 0x40, 0x40, 0x42, 0x0f]);
  const copies = Array.from({ length: 16 }, () => copy);
  const made = Array.from({ length: differences }, (_, place) => {
    // What makes each object another one: four bytes at its end.
    const end = Buffer.alloc(5, 4);
    end.writeUInt32BE(place, 1);
    const size = base.length * copies.length + 4;
    return {
      type: 7,
      content: Buffer.concat([varint(base.length), varint(size), ...copies, end]),
      prefix: name,
    };
  });
  return writePack([{ type: 3, content: base }, ...made]);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
  } while (rest > 0);
  return Buffer.from(bytes);
}

function objectHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  bytes.push((type << 4) | (size % 16) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

export function refusalOf(result: Result<unknown, PackRefusal>): PackRefusal {
  if (result.ok) throw new Error("The pack was taken.");
  return result.refusal;
}
