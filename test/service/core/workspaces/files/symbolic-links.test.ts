// Symbolic links by the files API: made by a field of their own, shown with where they lead, and followed by nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../../../src/client/client.ts";
import { makeApiKey, openAccount } from "../../../../../src/service/core/accounts/keys.ts";
import { copyIdOf } from "../../../../suite/workspaces/copy-id.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { openMcpClient, textOf } from "../../../../support/mcp/mcp-client.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("symbolic links", () => {
    let core: CoreFixture;
    let api: HttpApi;
    let owner: Client;
    let key: string;

    beforeAll(async () => {
      core = await CoreFixture.start({ store });
      api = await openHttpApi(core);
      const { id: accountId } = await openAccount(core.core, "subscribed");
      const { secret } = await makeApiKey(core.core, { accountId, callerClass: "owner", name: "k" });
      key = secret;
      owner = createClient({ baseUrl: api.url, credential: () => secret });
    });

    afterAll(() => api.close());

    const workspace = async () => {
      const { id: workspaceId } = await owner.workspaces.create({});
      await owner.files.write({ workspaceId, body: { path: "README.md", content: "hello\n" } });
      return workspaceId;
    };
    const checkpoint = async (workspaceId: string) => {
      const { id: operationId } = await owner.copies.checkpoint({ workspaceId, body: {} });
      const ended = await owner.operations.get({ workspaceId, operationId, query: { wait: 20 } });
      expect(ended.status).toBe("succeeded");
      return (await owner.workspaces.get({ workspaceId })).current_revision_id;
    };

    it("are made by their target, and say where they lead, unsaved and saved", async () => {
      const workspaceId = await workspace();
      const target = "../README.md";
      const made = await owner.files.write({ workspaceId, body: { path: "docs/index.md", target } });
      const link = { type: "symlink", path: "docs/index.md", mode: "120000", size: 12, target };
      expect(made).toMatchObject(link);
      const revisionId = await checkpoint(workspaceId);
      const placed = { workspaceId, revisionId };
      const path = "docs/index.md";
      expect(await owner.files.stat({ workspaceId, query: { path } })).toMatchObject(link);
      expect(await owner.revisionFiles.stat({ ...placed, query: { path } })).toMatchObject(link);
      const query = { recursive: true };
      for (const { items } of [
        await owner.files.list({ workspaceId, query }),
        await owner.revisionFiles.list({ ...placed, query }),
      ]) {
        const shown = items.map((item) => ("target" in item ? item.target : item.path));
        expect(shown).toEqual(["README.md", target]);
      }
      for (const text of [
        await owner.files.read({ workspaceId, query: { path } }),
        await owner.revisionFiles.read({ ...placed, query: { path } }),
      ]) {
        expect(text).toMatchObject({ content: target, mode: "120000", target });
      }
      const file = await owner.files.read({ workspaceId, query: { path: "README.md" } });
      expect(file).not.toHaveProperty("target");
    });

    it.each(["../../etc/passwd", "/etc/passwd", "a/../../../x", "C:\\x"])(
      "never lead to %s, also where a link is written over",
      async (target) => {
        const workspaceId = await workspace();
        const refusal = {
          status: 400,
          code: "invalid_request",
          message: expect.stringContaining("same tree"),
        };
        await expect(
          owner.files.write({ workspaceId, body: { path: "docs/a", target } }),
        ).rejects.toMatchObject(refusal);
        const body = { path: "docs/a", target: "../README.md" };
        const made = await owner.files.write({ workspaceId, body });
        const ifMatch = "etag" in made ? made.etag : "";
        await expect(
          owner.files.write({ workspaceId, body: { path: "docs/a", content: target }, ifMatch }),
        ).rejects.toMatchObject(refusal);
        const bytes = () => Buffer.from(target);
        for (const query of [
          { path: "docs/a", existing: "replace" as const },
          { path: "docs/b", mode: "120000" as const },
        ]) {
          await expect(owner.files.upload({ workspaceId, query, body: bytes })).rejects.toMatchObject(
            refusal,
          );
        }
        const large = () => Buffer.alloc(100_000, "a");
        const query = { path: "docs/c", mode: "120000" as const };
        await expect(owner.files.upload({ workspaceId, query, body: large })).rejects.toMatchObject(refusal);
      },
    );

    it("are uploaded by their mode, become files by theirs, and are nobody's folder", async () => {
      const workspaceId = await workspace();
      const query = { path: "link", mode: "120000" as const };
      const { items } = await owner.files.upload({
        workspaceId,
        query,
        body: () => Buffer.from("README.md"),
      });
      expect(items).toMatchObject([{ type: "symlink", target: "README.md" }]);
      await expect(owner.files.read({ workspaceId, query: { path: "link/x" } })).rejects.toMatchObject({
        status: 404,
      });
      await expect(
        owner.files.write({ workspaceId, body: { path: "link/x", content: "x" } }),
      ).rejects.toMatchObject({ status: 409, code: "path_taken" });
      const [link] = items;
      const ifMatch = link !== undefined && "etag" in link ? link.etag : "";
      const body = { path: "link", content: "text", mode: "100644" as const };
      expect(await owner.files.write({ workspaceId, body, ifMatch })).toMatchObject({ type: "file" });
      expect(await owner.files.read({ workspaceId, query: { path: "README.md" } })).toMatchObject({
        content: "hello\n",
      });
    });

    it.each([
      [{ path: "a" }],
      [{ path: "a", content: "x", target: "b" }],
      [{ path: "a", target: "b", encoding: "base64" as const }],
      [{ path: "a", target: "b", mode: "100755" as const }],
      [{ path: ".gitmodules", target: "b" }],
    ])("are no %j", async (body) => {
      const workspaceId = await workspace();
      await expect(owner.files.write({ workspaceId, body })).rejects.toMatchObject({ status: 400 });
    });

    it("are made and shown by the tools of assistants", async () => {
      const workspaceId = await workspace();
      await checkpoint(workspaceId);
      const copyId = copyIdOf(await owner.copies.create({ workspaceId, body: {} }));
      const client = await openMcpClient(api.url, { bearer: key });
      try {
        const place = { workspace_id: workspaceId, copy_id: copyId };
        const files = [{ path: "a/link", target: "../README.md" }];
        const written = await client.callTool({ name: "write_files", arguments: { ...place, files } });
        expect(written.isError ?? false, textOf(written)).toBe(false);
        const listed = await client.callTool({
          name: "list_files",
          arguments: { ...place, recursive: true },
        });
        expect(listed.structuredContent).toMatchObject({
          entries: [{ path: "README.md" }, { path: "a/link", type: "symlink", target: "../README.md" }],
        });
        expect(textOf(listed)).toContain("a/link -> ../README.md");
        const outside = await client.callTool({
          name: "write_files",
          arguments: { ...place, files: [{ path: "b", target: "/etc/passwd" }] },
        });
        expect([outside.isError, textOf(outside)]).toEqual([true, expect.stringContaining("same tree")]);
      } finally {
        await client.close();
      }
    });
  });
});
