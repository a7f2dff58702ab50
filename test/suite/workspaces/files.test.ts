// Files of canonical copies, working copies and revisions, on every deployment: the ten operations, their conditions, and what
// others may not.

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { fileEntrySchema } from "../../../src/contract/workspaces/files/files.ts";
import type { OperationView } from "../../../src/contract/workspaces/operations.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

const LARGE_BYTES = 300_000;

onEveryDeployment("files of workspaces", (service) => {
  const withCopy = async () => {
    const account = await service().account();
    const workspace = await account.owner.workspaces.create({ body: {} });
    const workspaceId = workspace.id;
    const workingCopyId = copyIdOf(await account.owner.copies.create({ workspaceId }));
    const files = `/v1/workspaces/${workspaceId}/copies/${workingCopyId}/files`;
    return { ...account, workspace, workspaceId, workingCopyId, at: { workspaceId, workingCopyId }, files };
  };
  type Account = Awaited<ReturnType<typeof withCopy>>;
  const write = ({ files, ownerKey: bearer }: Account, json: unknown, headers: Record<string, string> = {}) =>
    service().call(`${files}/write`, { method: "PUT", bearer, json, headers });
  const saved = async ({ owner, workspaceId, workingCopyId }: Account): Promise<string> => {
    const begun = await owner.copies.checkpoint({ workspaceId, body: { working_copy_id: workingCopyId } });
    const done = await owner.operations.get({ workspaceId, operationId: begun.id, query: { wait: 20 } });
    return revisionOf(done);
  };
  const upload = async ({ files, ownerKey }: Account, form: FormData, query = "") => {
    const response = await fetch(`${service().url()}${files}/upload${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ownerKey}` },
      body: form,
    });
    return { status: response.status, text: await response.text() };
  };

  it("rule 13: are made, read, replaced on the condition of their ETag, and have git's names", async () => {
    const account = await withCopy();
    const { ai, at } = account;
    const made = await write(account, { path: "src/main.ts", content: "one\n" });
    expect(made.status, made.text).toBe(201);
    const file = fileEntrySchema.parse(made.body);
    const oid = createHash("sha1").update("blob 4\0one\n").digest("hex");
    expect(file).toMatchObject({ type: "file", path: "src/main.ts", name: "main.ts", oid, size: 4 });
    if (file.type !== "file") throw new Error("It is no file.");
    expect(made.headers.get("etag")).toBe(`"${file.etag}"`);
    expect(file.etag).toMatch(/^\d+$/);
    expect(await ai.copyFiles.stat({ ...at, query: { path: "src/main.ts" } })).toEqual(file);
    const read = await ai.copyFiles.read({ ...at, query: { path: "src/main.ts" } });
    expect(read).toMatchObject({ content: "one\n", offset: 0, next_offset: null, etag: file.etag });

    const stale = await write(account, { path: "src/main.ts", content: "two\n" }, { "if-match": '"12"' });
    expect(stale.status).toBe(412);
    expect(stale.body).toMatchObject({ error: "etag mismatch", current_etag: file.etag });
    const there = await write(account, { path: "src/main.ts", content: "two\n" });
    expect(there.body).toMatchObject({ error: "etag mismatch", current_etag: file.etag });
    for (const ifMatch of [`"${file.etag}"`, "*"]) {
      const content = `${ifMatch}\n`;
      const replaced = await write(account, { path: "src/main.ts", content }, { "if-match": ifMatch });
      expect(replaced.status, replaced.text).toBe(200);
    }
    const bare = await ai.copyFiles.write({
      ...at,
      ifMatch: (await statOf(account, "src/main.ts")).etag,
      body: { path: "src/main.ts", content: "one\n" },
    });
    expect(bare).toEqual(file);
    const absent = await write(account, { path: "no", content: "" }, { "if-match": "*" });
    expect(absent.body).toMatchObject({ code: "precondition_failed", error: "etag mismatch" });
    expect(absent.body).not.toHaveProperty("current_etag");
  });

  const statOf = async ({ owner, at }: Account, path: string) => {
    const entry = await owner.copyFiles.stat({ ...at, query: { path } });
    if (entry.type !== "file" && entry.type !== "symlink") throw new Error(`${path} is a ${entry.type}.`);
    return entry;
  };

  it("rule 9: are listed folder by folder and as a whole, by pages", async () => {
    const account = await withCopy();
    const { owner, at } = account;
    const paths = ["a.b", "a/1", "a/2/x", "a-", "b/é", "z"];
    for (const path of paths) await write(account, { path, content: path });
    const list = async (query: { path?: string; recursive?: boolean; limit?: number }) => {
      const found: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await owner.copyFiles.list({ ...at, query: { ...query, cursor } });
        found.push(...page.items.map((item) => `${item.path}${item.type === "folder" ? "/" : ""}`));
        cursor = page.next_cursor;
        if (cursor === "") return found;
      }
    };
    for (const limit of [1, 2, 100]) {
      expect(await list({ limit })).toEqual(["a-", "a.b", "a/", "b/", "z"]);
      expect(await list({ path: "a", limit })).toEqual(["a/1", "a/2/"]);
      expect(await list({ recursive: true, limit })).toEqual(["a-", "a.b", "a/1", "a/2/x", "b/é", "z"]);
      expect(await list({ path: "a", recursive: true, limit })).toEqual(["a/1", "a/2/x"]);
    }
    const bearer = account.ownerKey;
    const { next_cursor: cursor } = await owner.copyFiles.list({ ...at, query: { limit: 1 } });
    for (const query of [`path=a&cursor=${cursor}`, "cursor=!!", "cursor=bm8"]) {
      const other = await service().call(`${account.files}/list?${query}`, { bearer });
      expectProblem(other, [400, "invalid_request"]);
    }
    expectProblem(await service().call(`${account.files}/list?path=none`, { bearer }), [404, "not_found"]);
    expect(await owner.copyFiles.stat({ ...at })).toMatchObject({ type: "folder", path: "", name: "" });
  });

  it("are refused at paths that some system takes for another, and where a file and a folder meet", async () => {
    const account = await withCopy();
    for (const path of [
      "../x",
      "/x",
      "a//b",
      "a/./b",
      "a/",
      ".git/config",
      "a/.GIT/x",
      "git~1/x",
      ".git./x",
      ".g\u200cit/x",
      ".git::$INDEX_ALLOCATION/x",
      "a\\.git\\x",
      "x".repeat(256),
      "a/".repeat(2_000),
    ]) {
      const answer = await write(account, { path, content: "x" });
      expectProblem(answer, [400, "path_invalid"]);
    }
    for (const path of ["a\0b", "", "\uD800"]) {
      expectProblem(await write(account, { path, content: "x" }), [400, "invalid_request"]);
    }
    await write(account, { path: "a/b", content: "x" });
    const above = await write(account, { path: "a", content: "x" });
    expectProblem(above, [409, "path_taken"]);
    expect(above.body).toMatchObject({ paths: ["a", "a/"] });
    expectProblem(await write(account, { path: "a/b/c", content: "x" }), [409, "path_taken"]);
    for (const [mode, content] of [
      ["120000", "../../etc/passwd"],
      ["120000", "/etc/passwd"],
      ["120000", ""],
    ]) {
      expectProblem(await write(account, { path: "a/link", content, mode }), [400, "invalid_request"]);
    }
    expectProblem(await write(account, { path: ".gitmodules", content: "a/b", mode: "120000" }), [
      400,
      "path_invalid",
    ]);
    const link = await write(account, { path: "a/link", content: "../a/b", mode: "120000" });
    expect(link.body).toMatchObject({ type: "symlink", size: 6 });
    expectProblem(await write(account, { path: "c", content: "%", encoding: "base64" }), [
      400,
      "invalid_request",
    ]);
  });

  it("rule 10: are read in windows that are cut between characters, and as bytes where they are no text", async () => {
    const account = await withCopy();
    const { owner, at, files, ownerKey: bearer } = account;
    const text = "aé日\u{1F600}".repeat(60_000);
    const parts: string[] = [];
    await write(account, { path: "long.txt", content: text });
    for (let offset: number | null = 0; offset !== null; ) {
      const window = await owner.copyFiles.read({
        ...at,
        query: { path: "long.txt", offset, limit: 100_001 },
      });
      parts.push(window.content);
      expect(window.offset).toBe(offset);
      offset = window.next_offset;
    }
    expect(parts.length).toBe(Math.ceil((10 * 60_000) / 100_001));
    expect(parts.join("")).toBe(text);
    const largest = await owner.copyFiles.read({ ...at, query: { path: "long.txt", limit: 0 } });
    expect(Buffer.byteLength(largest.content)).toBeGreaterThan(256 * 1024 - 4);
    expect(Buffer.byteLength(largest.content)).toBeLessThanOrEqual(256 * 1024);
    const single = await owner.copyFiles.read({ ...at, query: { path: "long.txt", offset: 2, limit: 1 } });
    expect(single).toMatchObject({ content: "日", offset: 3, next_offset: 6 });
    const beyond = await service().call(`${files}/read?path=long.txt&offset=600001`, { bearer });
    expectProblem(beyond, [416, "range_not_satisfiable"]);
    const content = Buffer.from([0xff, 0x00, 0x01]).toString("base64");
    await write(account, { path: "a.bin", content, encoding: "base64" });
    expectProblem(await service().call(`${files}/read?path=a.bin`, { bearer }), [415, "not_text"]);
    expectProblem(await service().call(`${files}/read?path=none`, { bearer }), [404, "not_found"]);
    const windowed = await service().call(`${files}/download?path=a.bin&offset=1`, { bearer });
    expectProblem(windowed, [400, "invalid_request"]);
    const download = await owner.copyFiles.download({ ...at, query: { path: "a.bin" } });
    expect([...new Uint8Array(await new Response(download.body).arrayBuffer())]).toEqual([0xff, 0, 1]);
    const range = await owner.copyFiles.download({
      ...at,
      query: { path: "long.txt" },
      range: { start: 1, end: 3 },
    });
    expect([range.status, range.contentRange]).toEqual([206, "bytes 1-2/600000"]);
    expect(await new Response(range.body).text()).toBe("é");
    const raw = await service().call(`${files}/download?path=${encodeURIComponent("long.txt")}`, { bearer });
    expect(Object.fromEntries(raw.headers)).toMatchObject({
      "content-disposition": "attachment; filename=\"long.txt\"; filename*=UTF-8''long.txt",
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    });
  });

  it("are uploaded together or not at all, small and large, and are the same when they are read", async () => {
    const account = await withCopy();
    const { owner, at } = account;
    const large = Buffer.alloc(LARGE_BYTES, "0123456789\r\n--");
    const form = new FormData();
    form.append("file", new Blob(["small"]), "a/small.txt");
    form.append("file", new Blob([large]), "large.bin");
    const made = await upload(account, form, "?path=in");
    expect(made.status, made.text).toBe(201);
    const read = async (path: string) =>
      Buffer.from(
        await new Response((await owner.copyFiles.download({ ...at, query: { path } })).body).arrayBuffer(),
      );
    expect((await read("in/large.bin")).equals(large)).toBe(true);
    expect((await read("in/a/small.txt")).toString()).toBe("small");
    expect(await statOf(account, "in/large.bin")).toMatchObject({
      oid: createHash("sha1").update(`blob ${LARGE_BYTES}\0`).update(large).digest("hex"),
      size: LARGE_BYTES,
    });

    const mixed = new FormData();
    mixed.append("file", new Blob(["new"]), "in/new.txt");
    mixed.append("file", new Blob(["other"]), "in/a/small.txt");
    const refused = await upload(account, mixed);
    expect(refused.status).toBe(412);
    expect(JSON.parse(refused.text)).toMatchObject({ error: "etag mismatch" });
    await expect(statOf(account, "in/new.txt")).rejects.toMatchObject({ status: 404 });
    expect((await upload(account, mixed, "?existing=replace")).status).toBe(200);
    expect((await read("in/a/small.txt")).toString()).toBe("other");

    for (const name of ["../out", ".git/config"]) {
      const bad = new FormData();
      bad.append("file", new Blob(["x"]), "fine");
      bad.append("file", new Blob(["x"]), name);
      expect((await upload(account, bad)).status).toBe(400);
    }
    await expect(statOf(account, "fine")).rejects.toMatchObject({ status: 404 });
    const twice = new FormData();
    for (const text of ["1", "2"]) twice.append("file", new Blob([text]), "twice");
    expect((await upload(account, twice)).status).toBe(400);
    const field = new FormData();
    field.append("note", "text");
    expect((await upload(account, field)).status).toBe(400);

    const raw = await owner.copyFiles.upload({
      ...at,
      query: { path: "raw.bin" },
      body: new Uint8Array(large),
    });
    expect(raw.items[0]).toMatchObject({ path: "raw.bin", size: LARGE_BYTES });
    expect((await read("raw.bin")).equals(large)).toBe(true);
  });

  it("rule 11: go to the trash by file and by folder, come back by their handle, and are purged as a whole", async () => {
    const account = await withCopy();
    const { owner, ai, at, files, ownerKey: bearer } = account;
    for (const path of ["d/1", "d/e/2", "f"]) await write(account, { path, content: path });
    const revisionId = await saved(account);
    await write(account, { path: "d/3", content: "3" });
    await write(account, { path: "d/1", content: "changed" }, { "if-match": "*" });
    const folder = await ai.copyFiles.delete({ ...at, body: { path: "d" } });
    expect(folder.trash).toMatchObject([{ path: "d", files: 3 }]);
    const list = async () =>
      (await owner.copyFiles.list({ ...at, query: { recursive: true } })).items.map(({ path }) => path);
    expect(await list()).toEqual(["f"]);
    expectProblem(await service().call(`${files}/delete`, { method: "POST", bearer, json: { path: "d" } }), [
      404,
      "not_found",
    ]);
    const handle = folder.trash[0]?.handle ?? "";
    await write(account, { path: "d", content: "a file" });
    const restore = (path: string) =>
      service().call(`${files}/restore`, { method: "POST", bearer, json: { path } });
    expectProblem(await restore(handle), [409, "path_taken"]);
    const file = await owner.copyFiles.delete({ ...at, body: { path: "d" } });
    expect(await owner.copyFiles.restore({ ...at, body: { path: handle } })).toEqual({ path: "d", files: 3 });
    expect(await list()).toEqual(["d/1", "d/3", "d/e/2", "f"]);
    expect((await owner.copyFiles.read({ ...at, query: { path: "d/1" } })).content).toBe("changed");
    // What is again as it is in the base counts as no change.
    expect((await owner.copies.get(at)).changed_files).toBe(2);
    expectProblem(await restore(handle), [404, "not_found"]);

    const other = copyIdOf(await owner.copies.create({ workspaceId: account.workspaceId }));
    const elsewhere = await service().call(
      `/v1/workspaces/${account.workspaceId}/copies/${other}/files/restore`,
      { method: "POST", bearer, json: { path: file.trash[0]?.handle } },
    );
    expectProblem(elsewhere, [404, "not_found"]);
    const some = { method: "POST", bearer, json: { path: "d" } };
    expectProblem(await service().call(`${files}/empty-trash`, some), [400, "invalid_request"]);
    expect(await owner.copyFiles.emptyTrash(at)).toEqual({ purged: 1 });
    expectProblem(await restore(file.trash[0]?.handle ?? ""), [404, "not_found"]);

    const stale = await service().call(`${files}/delete`, {
      method: "POST",
      bearer,
      json: { path: "f" },
      headers: { "if-match": '"1"' },
    });
    expect(stale.body).toMatchObject({
      error: "etag mismatch",
      current_etag: (await statOf(account, "f")).etag,
    });
    const revision = { workspaceId: account.workspaceId, revisionId };
    expect((await owner.revisionFiles.list({ ...revision, query: { path: "d" } })).items).toMatchObject([
      { path: "d/1" },
      { path: "d/e", type: "folder", oid: expect.any(String) },
    ]);
  });

  it("rules 10 and 12: of a revision stay as they are, are read whole, and take no offset", async () => {
    const account = await withCopy();
    const { owner, ai, workspaceId, ownerKey: bearer } = account;
    await write(account, { path: "a.txt", content: "first" });
    const revisionId = await saved(account);
    const etag = (await statOf(account, "a.txt")).etag;
    await write(account, { path: "a.txt", content: "second" }, { "if-match": etag });
    const where = { workspaceId, revisionId, query: { path: "a.txt" } };
    expect(await ai.revisionFiles.read(where)).toMatchObject({ content: "first", etag });
    expect(await ai.revisionFiles.stat(where)).toMatchObject({ type: "file", etag });
    expect(await new Response((await ai.revisionFiles.download(where)).body).text()).toBe("first");
    const files = `/v1/workspaces/${workspaceId}/revisions/${revisionId}/files`;
    for (const window of ["offset=1", "limit=0"]) {
      const answer = await service().call(`${files}/read?path=a.txt&${window}`, { bearer });
      expectProblem(answer, [400, "invalid_request"]);
    }
    const form = new FormData();
    form.append("file", new Blob([Buffer.alloc(1_100_000, "a")]), "big.txt");
    expect((await upload(account, form)).status).toBe(201);
    const later = await saved(account);
    const big = await service().call(
      `/v1/workspaces/${workspaceId}/revisions/${later}/files/read?path=big.txt`,
      { bearer },
    );
    expectProblem(big, [413, "file_too_large"]);
    expect(big.body).toMatchObject({ cap_bytes: 1_048_576 });
    const other = await owner.workspaces.create({ body: {} });
    const crossed = await service().call(
      `/v1/workspaces/${other.id}/revisions/${revisionId}/files/stat?path=a.txt`,
      { bearer },
    );
    expectProblem(crossed, [404, "not_found"]);
  });

  it("of the canonical copy are written by the owner alone, and of another account by nobody", async () => {
    const account = await withCopy();
    const { owner, ai, aiKey, workspaceId, workingCopyId } = account;
    const canonical = `/v1/workspaces/${workspaceId}/files`;
    const json = { path: "a", content: "x" };
    const put = (bearer: string) => service().call(`${canonical}/write`, { method: "PUT", bearer, json });
    const refused = await put(aiKey);
    expectProblem(refused, [403, "owner_needed"]);
    expect(refused.text).toContain(`/workspace/${workspaceId}`);
    expect((await owner.files.write({ workspaceId, body: { path: "a", content: "x" } })).path).toBe("a");
    expect((await ai.files.read({ workspaceId, query: { path: "a" } })).content).toBe("x");
    for (const [name, body] of [
      ["delete", { path: "a" }],
      ["restore", { path: "trash/x" }],
      ["empty-trash", {}],
    ] as const) {
      const answer = await service().call(`${canonical}/${name}`, {
        method: "POST",
        bearer: aiKey,
        json: body,
      });
      expectProblem(answer, [403, "owner_needed"]);
    }
    const other = await service().account();
    const theirs = await service().call(`${canonical}/read?path=a`, { bearer: other.ownerKey });
    expectProblem(theirs, [403, "forbidden"]);
    const unknown = await service().call(`/v1/workspaces/${workspaceId}/copies/${UNKNOWN}/files/list`, {
      bearer: account.ownerKey,
    });
    expectProblem(unknown, [404, "not_found"]);
    const elsewhere = await owner.workspaces.create({ body: {} });
    const crossed = await service().call(
      `/v1/workspaces/${elsewhere.id}/copies/${workingCopyId}/files/list`,
      { bearer: account.ownerKey },
    );
    expectProblem(crossed, [404, "not_found"]);
    expectProblem(await service().call(`${canonical}/list`), [401, "unauthorized"]);
  });

  it("are downloaded from an address without a credential, as long as they stay as they are", async () => {
    const account = await withCopy();
    const { ai, at } = account;
    await write(account, { path: "page.html", content: "<script>1</script>" });
    const { url, etag } = await ai.copyFiles.downloadUrl({ ...at, body: { path: "page.html" } });
    const path = new URL(url).pathname;
    const answer = await service().call(path);
    expect([answer.status, answer.text]).toEqual([200, "<script>1</script>"]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      etag: `"${etag}"`,
      "content-type": "application/octet-stream",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "no-store",
    });
    const another = path.endsWith("0") ? "1" : "0";
    expectProblem(await service().call(`${path.slice(0, -1)}${another}`), [404, "not_found"]);
    await write(account, { path: "page.html", content: "other" }, { "if-match": "*" });
    expectProblem(await service().call(path), [404, "not_found"]);
  });

  it("are lost by nobody when many write at once", async () => {
    const account = await withCopy();
    const { owner, at } = account;
    await write(account, { path: "counter", content: "0" });
    const add = async () => {
      for (;;) {
        const { content, etag } = await owner.copyFiles.read({ ...at, query: { path: "counter" } });
        const answer = await write(
          account,
          { path: "counter", content: String(Number(content) + 1) },
          { "if-match": etag },
        );
        if (answer.status === 200) return;
        expect(answer.status, answer.text).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 8 }, add));
    expect((await owner.copyFiles.read({ ...at, query: { path: "counter" } })).content).toBe("8");
    // A file and a folder of one name: one of them is made.
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        [`${round}/x`, `${round}`, `${round}/x/y`, `${round}/z`].map((path) =>
          write(account, { path, content: path }),
        ),
      );
      for (const { status, text } of answers) expect([201, 409], text).toContain(status);
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    }
    const { items } = await owner.copyFiles.list({ ...at, query: { recursive: true } });
    const paths = items.map(({ path }) => path);
    expect(paths.some((path) => paths.some((other) => other.startsWith(`${path}/`)))).toBe(false);
    await saved(account);
  });
});

function revisionOf(operation: OperationView): string {
  const id = operation.status === "succeeded" ? operation.result.revision_id : undefined;
  if (id === undefined) throw new Error(`The operation names no revision: ${JSON.stringify(operation)}`);
  return id;
}
