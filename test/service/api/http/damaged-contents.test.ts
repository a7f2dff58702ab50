// Large contents whose blob was changed or has gone, as every reader of the API meets them: none is given them as if they were whole.

import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../../src/client/client.ts";
import { makeTestKey } from "../../../support/account-key.ts";
import { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

/** Read in pieces of 64 KB: the last one is shorter than any message about it. */
const BYTES = 4 * 64 * 1024 + 10;
const WINDOW = 1_000;

onEveryStore((kind) => {
  describe("contents that are not what was written", () => {
    let fixture: ServiceFixture;
    let client: Client;
    let key: string;

    beforeAll(async () => {
      const place = await kind.make();
      ({ secret: key } = await makeTestKey(place, { owner: { plan: "subscribed" } }));
      fixture = await ServiceFixture.start({ store: { ...kind, make: async () => place } });
      const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
      client = createClient({ baseUrl: fixture.url, credential: () => key, retry });
    });
    afterAll(() => fixture.close());

    /** A file in the canonical copy, and the path of its blob on the disk. */
    async function written(letter: string) {
      const { id: workspaceId } = await client.workspaces.create({ body: {} });
      const content = Buffer.alloc(BYTES, letter);
      const at = { workspaceId };
      await client.files.upload({ ...at, query: { path: "large.txt" }, body: content });
      const folder = join(fixture.place.settings.dataDir, "blobs", "ws", workspaceId);
      const [name = ""] = await readdir(folder);
      const url = `${fixture.url}/v1/workspaces/${workspaceId}/files`;
      return { workspaceId, content, blob: join(folder, name), url };
    }

    async function flipBit(path: string, at = BYTES / 2): Promise<void> {
      const bytes = await readFile(path);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes, { mode: 0o600 });
    }

    const get = (url: string, headers: Record<string, string> = {}) =>
      fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers } });

    /** Null where the transfer broke off. */
    const bodyOf = (response: Response): Promise<Buffer | null> =>
      response.arrayBuffer().then(
        (bytes) => Buffer.from(bytes),
        () => null,
      );

    it("end a download before its last byte, and every later one before its first", async () => {
      const { blob, url, workspaceId } = await written("a");
      expect((await bodyOf(await get(`${url}/download?path=large.txt`)))?.length).toBe(BYTES);
      await flipBit(blob);
      const first = await get(`${url}/download?path=large.txt`);
      expect(first.status).toBe(200);
      expect(await bodyOf(first)).toBeNull();
      const second = await get(`${url}/download?path=large.txt`);
      expect(second.status).toBe(500);
      expect(second.headers.get("content-disposition")).toBeNull();
      expect(second.headers.get("etag")).toBeNull();
      expect(await second.json()).toMatchObject({ code: "contents_lost" });
      const marked = await fixture.place.query("select key from blobs where lost_at is not null");
      expect(marked.filter(({ key: name }) => String(name).includes(workspaceId))).toHaveLength(1);
      // A folder that was restored is used again.
      await flipBit(blob);
      expect((await bodyOf(await get(`${url}/download?path=large.txt`)))?.length).toBe(BYTES);
      const left = await fixture.place.query("select key from blobs where lost_at is not null");
      expect(left.filter(({ key: name }) => String(name).includes(workspaceId))).toEqual([]);
    });

    it("are not sent in parts, wherever the part is", async () => {
      const { blob, url } = await written("b");
      await flipBit(blob);
      const part = await get(`${url}/download?path=large.txt`, { range: `bytes=0-${WINDOW - 1}` });
      expect(part.status).toBe(500);
      expect(part.headers.get("content-range")).toBeNull();
      const window = await get(`${url}/read?path=large.txt&offset=0&limit=${WINDOW}`);
      expect(window.status).toBe(500);
      expect(await window.json()).toMatchObject({ code: "contents_lost" });
    });

    it("are refused by name where the blob is gone or cut off, by every way that leads to them", async () => {
      for (const damage of [rm, (path: string) => writeFile(path, "short")]) {
        const { blob, url, workspaceId } = await written("c");
        const begun = await client.copies.checkpoint({ workspaceId, body: {} });
        const saved = await client.operations.get({
          workspaceId,
          operationId: begun.id,
          query: { wait: 20 },
        });
        if (saved.status !== "succeeded") throw new Error(JSON.stringify(saved));
        const revision = `${fixture.url}/v1/workspaces/${workspaceId}/revisions/${saved.result.revision_id}`;
        const link = await client.files.downloadUrl({ workspaceId, body: { path: "large.txt" } });
        await damage(blob);
        for (const address of [
          `${url}/download?path=large.txt`,
          `${url}/read?path=large.txt`,
          `${url}/read?path=large.txt&offset=0&limit=${WINDOW}`,
          `${revision}/files/download?path=large.txt`,
          `${revision}/files/read?path=large.txt`,
          `${revision}/bundle`,
          link.url,
        ]) {
          const answer = await get(address);
          expect(answer.status, address).toBe(500);
          expect(answer.headers.get("retry-after"), address).toBeNull();
          expect(await answer.json(), address).toMatchObject({ code: "contents_lost" });
        }
      }
    });

    it("are whole again once the same were sent again", async () => {
      const { blob, url, workspaceId, content } = await written("g");
      await flipBit(blob);
      expect(await bodyOf(await get(`${url}/download?path=large.txt`))).toBeNull();
      await client.files.upload({ workspaceId, query: { path: "again.txt" }, body: content });
      for (const path of ["large.txt", "again.txt"]) {
        expect(await bodyOf(await get(`${url}/download?path=${path}`))).toEqual(content);
      }
    });

    it("do not get into a bundle", async () => {
      const { blob, workspaceId } = await written("d");
      const begun = await client.copies.checkpoint({ workspaceId, body: {} });
      const saved = await client.operations.get({ workspaceId, operationId: begun.id, query: { wait: 20 } });
      if (saved.status !== "succeeded") throw new Error(JSON.stringify(saved));
      await flipBit(blob);
      const url = `${fixture.url}/v1/workspaces/${workspaceId}/revisions/${saved.result.revision_id}/bundle`;
      const bundle = await get(url);
      expect(bundle.status).toBe(500);
      expect(await bundle.json()).toMatchObject({ code: "contents_lost" });
    });

    it("are told to a program as what they are: a transfer that broke off, then a loss that nobody repeats", async () => {
      const { blob, workspaceId, content } = await written("e");
      const whole = await client.files.download({ workspaceId, query: { path: "large.txt" } });
      const hash = createHash("sha256").update(Buffer.from(await new Response(whole.body).arrayBuffer()));
      expect(hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
      await flipBit(blob, BYTES - 1);
      const broken = await client.files.download({ workspaceId, query: { path: "large.txt" } });
      await expect(new Response(broken.body).arrayBuffer()).rejects.toMatchObject({
        name: "ConnectionError",
        code: "connection_failed",
      });
      const patient = createClient({ baseUrl: fixture.url, credential: () => key });
      await expect(
        patient.files.download({ workspaceId, query: { path: "large.txt" } }),
      ).rejects.toMatchObject({ status: 500, code: "contents_lost" });
    });
  });
});
