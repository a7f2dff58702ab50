// Contents whose blob was lost: they are whole again once the same contents are sent, whatever path and copy they are sent to.

import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../../src/client/client.ts";
import { makeTestKey } from "../../../support/account-key.ts";
import { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const BYTES = 200_000;

onEveryStore((kind) => {
  describe("lost contents", () => {
    let fixture: ServiceFixture;
    let client: Client;

    beforeAll(async () => {
      const place = await kind.make();
      const { secret } = await makeTestKey(place, { owner: { plan: "subscribed" } });
      fixture = await ServiceFixture.start({ store: { ...kind, make: async () => place } });
      client = createClient({ baseUrl: fixture.url, credential: () => secret });
    });
    afterAll(() => fixture.close());

    const blobFolder = (workspaceId: string) =>
      join(fixture.place.settings.dataDir, "blobs", "ws", workspaceId);

    /** A workspace with one large file, and the path of its blob. */
    async function written(letter: string) {
      const { id: workspaceId } = await client.workspaces.create({ body: {} });
      const content = Buffer.alloc(BYTES, letter);
      await client.files.upload({ workspaceId, query: { path: "large.txt" }, body: content });
      const [name = ""] = await readdir(blobFolder(workspaceId));
      return { workspaceId, content, blob: join(blobFolder(workspaceId), name) };
    }

    const read = async (workspaceId: string, path: string): Promise<Buffer> => {
      const { body } = await client.files.download({ workspaceId, query: { path } });
      return Buffer.from(await new Response(body).arrayBuffer());
    };

    it.each([
      ["gone", rm],
      ["cut off", (path: string) => writeFile(path, "short")],
    ])("that are %s heal when the same file is written again, and by another path", async (_, damage) => {
      for (const path of ["large.txt", "other.txt"]) {
        const { workspaceId, content, blob } = await written("a");
        // The node has it in its cache.
        expect((await read(workspaceId, "large.txt")).equals(content)).toBe(true);
        await damage(blob);
        await client.files.upload({ workspaceId, query: { path, existing: "replace" }, body: content });
        expect((await read(workspaceId, "large.txt")).equals(content)).toBe(true);
        const rows = await fixture.place.query(
          `select blobs.state from workspace_objects join blobs on blobs.key = workspace_objects.blob_key
           where workspace_objects.workspace_id = '${workspaceId}'`,
        );
        expect(rows).toEqual([{ state: "kept" }]);
        // What is lost is to be deleted, and what has come instead is not.
        const states = await fixture.place.query(
          `select state from blobs where key like 'ws/${workspaceId}/%' order by state`,
        );
        expect(states).toEqual([{ state: "discarded" }, { state: "kept" }]);
      }
    });

    it("that are there are not written twice", async () => {
      const { workspaceId, content } = await written("b");
      const row = `select blob_key from workspace_objects where workspace_id = '${workspaceId}' and blob_key is not null`;
      const before = await fixture.place.query(row);
      await client.files.upload({ workspaceId, query: { path: "other.txt" }, body: content });
      expect(await fixture.place.query(row)).toEqual(before);
      expect((await read(workspaceId, "other.txt")).equals(content)).toBe(true);
    });
  });
});
