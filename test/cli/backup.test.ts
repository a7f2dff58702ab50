// A backup that is made while the service works, and what its restore gives back: rows and blobs, on every store and place of blobs.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { SEAL_NONCE_BYTES, seal, sealingKeyOf } from "../../src/base/sealed-text.ts";
import { folderBlobs } from "../../src/service/blobs/folder.ts";
import { archiveJournals } from "../../src/service/core/runs/archives/archive-journals.ts";
import { archiveRuns } from "../../src/service/core/runs/archives/archive-runs.ts";
import { makeTestKey, operateOn } from "../support/account-key.ts";
import { BackupLoad, type FilledService, fillService } from "../support/backup/backup-load.ts";
import { BackupPlace, type BlobKind, clientOf, readBackup } from "../support/backup/backup-place.ts";
import { expectFilled } from "../support/backup/expect-filled.ts";
import { memoryLogger } from "../support/fixtures/core-fixture.ts";
import { keptConnection } from "../support/mcp/kept-connection.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const SEALING_KEY = Buffer.alloc(32, 7).toString("base64");
/** Many commands, each a process of its own. */
const PATIENCE = { timeout: 180_000 };
const blobKinds: readonly BlobKind[] = ["a folder", "S3"];

let folder: string;
const places: BackupPlace[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-backup-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

async function makePlace(...args: Parameters<typeof BackupPlace.make>): Promise<BackupPlace> {
  const place = await BackupPlace.make(...args);
  places.push(place);
  return place;
}

/** A service at work with something in it. */
async function startFilled(place: BackupPlace, size = { workspaces: 2, files: 6, runs: 5 }) {
  const { secret, accountId } = await makeTestKey(place.store, { owner: { plan: "subscribed" } });
  await operateOn(place.store, (operator) => operator.grant({ accountId, credits: 10_000 }));
  const client = clientOf(await place.start(), secret);
  const filled: FilledService = await fillService(client, size);
  return { secret, client, filled };
}

onEveryStore((kind) => {
  describe.each(blobKinds)("a backup of a store whose blobs are in %s", (blobs) => {
    it(
      "is consistent under load, incremental, and restored row by row and byte by byte",
      PATIENCE,
      async () => {
        const place = await makePlace(kind, { blobs });
        const { secret, client, filled } = await startFilled(place);
        const backup = join(folder, `${kind.name}-${blobs.length}`);
        const load = new BackupLoad(client);
        const first = await place.runJson("backup", backup);
        expect(first).toMatchObject({ lost: [], blobs: { copied: expect.any(Number) } });
        await load.stop();
        expect(load.written).toBeGreaterThan(0);
        // The rows of what was erased meanwhile are gone, and so are its blobs.
        expect(await place.runJson("backup", backup)).toMatchObject({ lost: [], blobs: { count: 4 } });
        const last = await place.runJson("backup", backup);
        expect(last).toMatchObject({ lost: [], blobs: { count: 4, copied: 0, copied_bytes: 0 } });
        expect((await readdir(backup)).filter((name) => name.startsWith("store-"))).toHaveLength(1);
        await place.stop();

        const other = await makePlace(kind, { blobs, isEmpty: true });
        const restored = await other.runJson("restore", backup);
        const { bytes } = last.blobs as { readonly bytes: number };
        const copied = { count: 4, copied: 4, copied_bytes: bytes };
        expect(restored).toMatchObject({ lost: [], missing_keys: [], rows: last.rows, blobs: copied });
        const again = join(folder, `${kind.name}-${blobs.length}-again`);
        await other.runJson("backup", again);
        expect(await readBackup(again)).toEqual(await readBackup(backup));
        await expectFilled(clientOf(await other.start(), secret), filled);
      },
    );
  });

  describe("a backup", () => {
    it(
      "that was made while workspaces with their blobs were erased names no blob that it lacks",
      PATIENCE,
      async () => {
        const place = await makePlace(kind, { blobs: "a folder" });
        const { secret, client, filled } = await startFilled(place, { workspaces: 1, files: 3, runs: 1 });
        const load = new BackupLoad(client, 4);
        const backup = join(folder, `erased-${kind.name}`);
        for (let round = 0; round < 2; round += 1)
          expect(await place.runJson("backup", backup)).toMatchObject({ lost: [] });
        await load.stop();
        expect(load.erased).toBeGreaterThan(0);
        await place.stop();
        const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
        await other.runJson("restore", backup);
        expect(await other.runJson("store", "verify", "--contents")).toMatchObject({ lost: [] });
        await expectFilled(clientOf(await other.start(), secret), filled);
      },
    );

    it("has events that have left the database, which a restored service reads as before", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      const { secret, client, filled } = await startFilled(place, { workspaces: 0, files: 0, runs: 3 });
      const eventsOf = async (reader: typeof client) => {
        const events: unknown[] = [];
        for (const runId of filled.runIds)
          for await (const event of reader.runs.follow({ runId })) events.push(event);
        return events;
      };
      const before = await eventsOf(client);
      await place.stop();
      const store = await place.store.open();
      const archiving = { store, clock: systemClock, random: systemRandom, log: memoryLogger([]) };
      const sweep = {
        blobs: folderBlobs(place.blobFolder ?? ""),
        endedBefore: Date.now() + 1,
        isStopped: () => false,
      };
      expect(await archiveRuns(archiving, sweep)).toBe(3);
      await store.close();
      expect(await place.store.query("select seq from run_events")).toEqual([]);
      expect(await eventsOf(clientOf(await place.start(), secret))).toEqual(before);
      const backup = join(folder, `archived-${kind.name}`);
      expect(await place.runJson("backup", backup)).toMatchObject({ lost: [], blobs: { count: 3 } });
      await place.stop();
      const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
      await other.runJson("restore", backup);
      expect(await other.runJson("store", "verify", "--contents")).toMatchObject({ lost: [] });
      expect(await eventsOf(clientOf(await other.start(), secret))).toEqual(before);
    });

    it("has no journals, also none that have left the database", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      const { filled } = await startFilled(place, { workspaces: 0, files: 0, runs: 1 });
      await place.stop();
      const [runId = ""] = filled.runIds;
      const store = await place.store.open();
      const entry = { runId, entry: 1, kind: "turn", version: 2, body: "sealed", tree: null } as const;
      await store.transact((tx) => tx.journal.append({ ...entry, turn: 1, seq: 1 }));
      await store.transact((tx) => tx.journal.end({ runId, now: Date.now() - 1 }));
      const sweep = {
        blobs: folderBlobs(place.blobFolder ?? ""),
        endedBefore: Date.now(),
        isStopped: () => false,
      };
      expect(await archiveJournals({ store, clock: systemClock, random: systemRandom }, sweep)).toBe(1);
      await store.close();
      const verify = (of: BackupPlace) => of.runJson("store", "verify", "--contents");
      expect(await verify(place)).toMatchObject({ lost: [], checked: 1 });
      const backup = join(folder, `journals-${kind.name}`);
      expect(await place.runJson("backup", backup)).toMatchObject({ lost: [], blobs: { count: 0 } });
      const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
      await other.runJson("restore", backup);
      expect(await verify(other)).toMatchObject({ lost: [] });
      expect(await other.store.query("select key from blobs")).toEqual([]);
      expect(await other.store.query("select run_id from journal_archives")).toEqual([]);
    });

    it("is not restored over a store that has rows unless told, and then replaces all of it", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      const { secret, filled } = await startFilled(place, { workspaces: 1, files: 2, runs: 1 });
      const backup = join(folder, `replaced-${kind.name}`);
      await place.runJson("backup", backup);
      const other = await makePlace(kind, { blobs: "a folder" });
      await makeTestKey(other.store);
      const before = await other.store.query("select id from accounts");
      const refused = await other.run(["restore", backup]);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toMatch(/There is a store already: its table "\w+" has rows\..+--replace/);
      expect(await other.store.query("select id from accounts")).toEqual(before);
      await other.runJson("restore", backup, "--replace");
      expect(await other.store.query("select id from accounts order by id")).toEqual(
        await place.store.query("select id from accounts order by id"),
      );
      await expectFilled(clientOf(await other.start(), secret), filled);
    });

    it("of a newer version, or one that was changed since, is refused before anything is touched", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      await makeTestKey(place.store);
      const backup = join(folder, `refused-${kind.name}`);
      await place.runJson("backup", backup);
      const manifestPath = join(backup, "manifest.json");
      const manifest = JSON.parse(await readFile(manifestPath, "utf8"));
      const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
      const restore = async () => {
        const { code, stderr } = await other.run(["restore", backup]);
        return `${code} ${stderr}`;
      };
      const migrations = [...manifest.store.migrations, "900-of-the-future"];
      await writeFile(
        manifestPath,
        JSON.stringify({ ...manifest, store: { ...manifest.store, migrations } }),
      );
      expect(await restore()).toMatch(
        /^1 The backup is of a newer version .*"900-of-the-future"\. Restore it by that version/,
      );
      await writeFile(manifestPath, JSON.stringify(manifest));
      const accounts = join(backup, manifest.folder, "accounts.ndjson.gz");
      const bytes = await readFile(accounts);
      await writeFile(accounts, bytes.subarray(0, -1));
      expect(await restore()).toMatch(
        /^1 The backup cannot be used: .*accounts\.ndjson\.gz is not what was written/,
      );
      await rm(manifestPath);
      expect(await restore()).toMatch(/^1 .*has no complete backup: there is no manifest\.json/);
    });

    it("whose blobs are damaged is restored without them only where that is asked for", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      await startFilled(place, { workspaces: 1, files: 4, runs: 0 });
      const backup = join(folder, `damaged-${kind.name}`);
      await place.runJson("backup", backup);
      const [damaged = ""] = Object.keys((await readBackup(backup)).blobs);
      const path = join(backup, "blobs", damaged);
      const bytes = await readFile(path);
      bytes[5] = (bytes[5] ?? 0) ^ 1;
      await writeFile(path, bytes);
      const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
      const refused = await other.run(["restore", backup]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(damaged)]);
      const { code, stderr } = await other.run(["restore", backup, "--incomplete"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(damaged)]);
      // The next backup of the store finds it out, and mends the folder, where it is told to read.
      expect(await place.runJson("backup", backup)).toMatchObject({ blobs: { copied: 0 } });
      expect(await place.runJson("backup", backup, "--contents")).toMatchObject({ blobs: { copied: 1 } });
    });

    it("names the keys of sealed values, and has none of them", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      await makeTestKey(place.store);
      const backup = join(folder, `keys-${kind.name}`);
      const { code, stdout } = await place.run(["backup", backup], { RUN_SECRETS_KEY: SEALING_KEY });
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/RUN_SECRETS_KEY \(fingerprint [0-9a-f]{8}\) is not in the backup/),
      ]);
      const files = await readdir(backup, { recursive: true, withFileTypes: true });
      for (const file of files.filter((entry) => entry.isFile())) {
        const text = await readFile(join(file.parentPath, file.name), "latin1");
        expect(text.includes(SEALING_KEY), file.name).toBe(false);
      }
    });

    it("counts deploy keys among the sealed values, and a restore names the key that they need", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      const key = sealingKeyOf(Buffer.from(SEALING_KEY, "base64"));
      const sealed = seal("a private key", {
        key,
        nonce: Buffer.alloc(SEAL_NONCE_BYTES),
        boundTo: "agent-1",
      });
      const store = await place.store.open();
      await store.transact((tx) =>
        tx.repositoryAccess.put({
          agentId: "agent-1",
          createdAt: 1,
          kind: "deploy_key",
          publicKey: "ssh-ed25519 AAAA",
          sealed,
        }),
      );
      await store.transact((tx) =>
        tx.runIdentity.putKey({ sequence: 1, kid: "k", publicJwk: "{}", sealed, startsAt: 1 }),
      );
      const connection = keptConnection({ accountId: "account-1", connectedBy: "person-1", sealed });
      await store.transact((tx) => tx.mcpConnections.put(connection));
      await store.close();
      const backup = join(folder, `deploy-keys-${kind.name}`);
      const needed = [{ setting: null, fingerprint: key.id, values: 3 }];
      expect(await place.runJson("backup", backup)).toMatchObject({ keys: needed });
      const other = await makePlace(kind, { blobs: "a folder", isEmpty: true });
      expect(await other.runJson("restore", backup)).toMatchObject({ missing_keys: needed });
    });

    it("is written into no folder of other files, and over no other store's backup", async () => {
      const place = await makePlace(kind, { blobs: "a folder" });
      const { client } = await startFilled(place, { workspaces: 0, files: 0, runs: 0 });
      await client.workspaces.create({ body: {} });
      const backup = join(folder, `other-${kind.name}`);
      await place.runJson("backup", backup);
      const other = await makePlace(kind, { blobs: "a folder" });
      await startFilled(other, { workspaces: 0, files: 0, runs: 0 });
      expect(await other.run(["backup", backup])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("the backup of another store"),
      });
      const full = await mkdtemp(join(folder, "full-"));
      await writeFile(join(full, "letters.txt"), "mine");
      expect(await other.run(["backup", full])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('other files, such as "letters.txt"'),
      });
    });
  });

  describe("store verify", () => {
    it.each(blobKinds)("finds what %s has lost, and brings it back from a backup", async (blobs) => {
      const place = await makePlace(kind, { blobs });
      const { client, filled } = await startFilled(place, { workspaces: 1, files: 7, runs: 0 });
      const backup = join(folder, `verify-${kind.name}-${blobs.length}`);
      expect(await place.runJson("store", "verify", "--contents")).toMatchObject({ checked: 3, lost: [] });
      await place.runJson("backup", backup);
      const keys = Object.keys((await readBackup(backup)).blobs);
      await loseOne(place, keys[0] ?? "");
      const { code, stdout } = await place.run(["store", "verify"]);
      expect([code, stdout]).toEqual([1, expect.stringContaining(`${keys[0]}  is gone`)]);
      const healed = await place.runJson("store", "verify", "--from", backup);
      expect(healed).toMatchObject({ checked: 3, healed: [{ key: keys[0], fault: "missing" }], lost: [] });
      if (place.blobFolder !== null) {
        const path = join(place.blobFolder, keys[1] ?? "");
        const bytes = await readFile(path);
        bytes[9] = (bytes[9] ?? 0) ^ 1;
        await writeFile(path, bytes);
        expect(await place.runJson("store", "verify")).toMatchObject({ lost: [] });
        // Whoever reads it finds that, and marks it.
        await expect(expectFilled(client, filled)).rejects.toThrow();
        const marked = await place.run(["store", "verify"]);
        expect([marked.code, marked.stdout]).toEqual([
          1,
          expect.stringContaining(`${keys[1]}  has other contents`),
        ]);
        expect((await place.run(["store", "verify", "--contents"])).stdout).toContain("has other contents");
        expect(await place.runJson("store", "verify", "--contents", "--from", backup)).toMatchObject({
          healed: [{ key: keys[1], fault: "contents" }],
        });
        expect(await place.runJson("store", "verify")).toMatchObject({ lost: [] });
      }
      await expectFilled(client, filled);
    });
  });
});

describe("a store moves", { tags: ["postgres"] }, () => {
  it.each([
    ["SQLite with a folder to PostgreSQL with S3", sqliteStore, "a folder", postgresStore, "S3"],
    ["PostgreSQL with S3 to SQLite with a folder", postgresStore, "S3", sqliteStore, "a folder"],
  ] as const)("from %s by a backup", async (_, from, fromBlobs, to, toBlobs) => {
    const place = await makePlace(from, { blobs: fromBlobs });
    const { secret, filled } = await startFilled(place);
    const backup = join(folder, `moved-${from.name}`);
    await place.stop();
    await place.runJson("backup", backup);
    const other = await makePlace(to, { blobs: toBlobs, isEmpty: true });
    await other.runJson("restore", backup);
    const again = join(folder, `moved-${from.name}-again`);
    await other.runJson("backup", again);
    expect(await readBackup(again)).toEqual(await readBackup(backup));
    await expectFilled(clientOf(await other.start(), secret), filled);
  });
});

describe("a restore over a store from which nodes serve", () => {
  it("is refused on PostgreSQL, and names them", {
    ...PATIENCE,
    tags: ["postgres"],
  }, async () => {
    const place = await makePlace(postgresStore, { blobs: "a folder" });
    await startFilled(place, { workspaces: 1, files: 2, runs: 1 });
    const backup = join(folder, "served-PostgreSQL");
    await place.runJson("backup", backup);
    const { pid } = place.process;
    // A node of another schema of the database is none of this store.
    const elsewhere = await makePlace(postgresStore, { blobs: "a folder" });
    await elsewhere.start();
    const before = await place.store.query("select * from runs");
    const refused = await place.run(["restore", backup, "--replace"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      new RegExp(
        `^A node serves from the database at DATABASE_URL: "agent-service on \\S+, process ${pid}" .*Stop it, then restore.*pg_terminate_backend\\(\\d+\\)`,
      ),
    );
    expect(await place.store.query("select * from runs")).toEqual(before);
    // However it ended: its connection has ended with it.
    await place.process.kill();
    await place.runJson("restore", backup, "--replace");
    await place.start();
  });

  it("is refused on SQLite", async () => {
    const place = await makePlace(sqliteStore, { blobs: "a folder" });
    await startFilled(place, { workspaces: 1, files: 2, runs: 1 });
    const backup = join(folder, "served-SQLite");
    await place.runJson("backup", backup);
    const refused = await place.run(["restore", backup, "--replace"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(String(place.process.pid));
  });
});

describe("where there is no store", () => {
  it("nothing is made", async () => {
    const place = await makePlace(sqliteStore, { blobs: "a folder", isEmpty: true });
    const { code, stderr } = await place.run(["backup", join(folder, "nothing")]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no store in")]);
    expect(await readdir(place.settings.DATA_DIR ?? "")).toEqual([]);
  });
});

async function loseOne(place: BackupPlace, key: string): Promise<void> {
  if (place.blobFolder !== null) return await rm(join(place.blobFolder, key));
  const { s3Blobs } = await import("../../src/service/blobs/s3.ts");
  const { systemClock } = await import("../../src/base/clock.ts");
  const { settings } = place;
  const config = {
    endpoint: settings.S3_ENDPOINT ?? "",
    bucket: settings.S3_BUCKET ?? "",
    region: "us-east-1",
    accessKeyId: settings.S3_ACCESS_KEY_ID ?? "",
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY ?? "",
    pathStyle: true,
  };
  await s3Blobs({ config, clock: systemClock, random: () => 0.5 }).delete([key]);
}
