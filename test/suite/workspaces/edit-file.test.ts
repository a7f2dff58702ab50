// An edit of a workspace's file as rule 13 of the API asks for it, over real HTTP: every branch, and nothing overwritten.

import { expect, it } from "vitest";
import { createClient, EditConflictError } from "../../../src/client/client.ts";
import { fetchTransport } from "../../../src/client/transport.ts";
import { onEveryDeployment } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

const path = "page.txt";

onEveryDeployment("edits of files of workspaces", (service) => {
  const withFile = async (content: string) => {
    const { owner, ownerKey, ai } = await service().account();
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    const workingCopyId = copyIdOf(await owner.copies.create({ workspaceId }));
    const place = { workspaceId, workingCopyId };
    const made = await owner.copyFiles.write({ ...place, body: { path, content } });
    const read = () => owner.copyFiles.read({ ...place, query: { path } });
    /** As another client does it, between reading and writing. */
    const write = async (next: string, mode?: "100644" | "100755") => {
      const body = { path, content: next, ...(mode === undefined ? {} : { mode }) };
      return await ai.copyFiles.write({ ...place, body, ifMatch: (await read()).etag });
    };
    const etag = "etag" in made ? made.etag : "";
    return { owner, ownerKey, ai, place, read, write, etag };
  };

  it("write what was edited with the ETag that was read", async () => {
    const { owner, place, read, etag } = await withFile("one\n");
    const edited = await owner.copyFiles.edit({ ...place, path, edit: (text) => `${text}two\n` });
    expect(edited).toMatchObject({ path, content: "one\ntwo\n", isWritten: true });
    expect(edited.etag).not.toBe(etag);
    expect(await read()).toMatchObject({ content: "one\ntwo\n", etag: edited.etag });
    const same = await owner.copyFiles.edit({ ...place, path, edit: async (text) => text });
    expect(same).toEqual({ path, content: "one\ntwo\n", etag: edited.etag, isWritten: false });
  });

  it("rule 13: are sent once more where the ETag is stale and the contents are those that were read", async () => {
    const { owner, place, read, write, etag } = await withFile("one\n");
    let calls = 0;
    const edited = await owner.copyFiles.edit({
      ...place,
      path,
      edit: async (text) => {
        calls += 1;
        // The same contents under another ETag, as in a copy that was made anew.
        const now = await write("one\n", "100755");
        expect("etag" in now && now.etag !== etag).toBe(true);
        return `${text}two\n`;
      },
    });
    expect([calls, edited.isWritten]).toEqual([1, true]);
    expect(await read()).toMatchObject({ content: "one\ntwo\n", mode: "100755", etag: edited.etag });
  });

  it("rule 13: stop where the contents differ, with both ETags and all three contents", async () => {
    const { owner, place, read, write, etag } = await withFile("one\n");
    const failure = await owner.copyFiles
      .edit({
        ...place,
        path,
        edit: async (text) => {
          await write("theirs\n");
          return `${text}mine\n`;
        },
      })
      .catch((cause: unknown) => cause);
    const current = await read();
    expect(failure).toBeInstanceOf(EditConflictError);
    expect(failure).toMatchObject({
      code: "edit_conflict",
      path,
      readEtag: etag,
      readContent: "one\n",
      currentEtag: current.etag,
      currentContent: "theirs\n",
      editedContent: "one\nmine\n",
    });
    expect(current.content).toBe("theirs\n");
  });

  it("rule 13: stop at a second refusal, with what is there by then", async () => {
    const { ownerKey, place, read, write, etag } = await withFile("one\n");
    const asked: string[] = [];
    const client = createClient({
      baseUrl: service().url(),
      credential: ownerKey,
      transport: async (request) => {
        asked.push(request.method);
        // Another is faster than the second attempt.
        if (asked.filter((method) => method === "PUT").length === 2 && request.method === "PUT")
          await write("theirs\n");
        return await fetchTransport(request);
      },
    });
    const editing = client.copyFiles.edit({
      ...place,
      path,
      edit: async () => {
        await write("one\n", "100755");
        return "mine\n";
      },
    });
    await expect(editing).rejects.toMatchObject({
      code: "edit_conflict",
      readEtag: etag,
      readContent: "one\n",
      editedContent: "mine\n",
      currentContent: "theirs\n",
    });
    const current = await read();
    await expect(editing).rejects.toMatchObject({ currentEtag: current.etag });
    expect(current.content).toBe("theirs\n");
    expect(asked).toEqual(["GET", "PUT", "GET", "PUT", "GET"]);
  });

  it("stop where the file was deleted meanwhile", async () => {
    const { owner, ai, place, etag } = await withFile("one\n");
    const editing = owner.copyFiles.edit({
      ...place,
      path,
      edit: async () => {
        await ai.copyFiles.delete({ ...place, body: { path } });
        return "mine\n";
      },
    });
    await expect(editing).rejects.toMatchObject({
      code: "edit_conflict",
      readEtag: etag,
      currentEtag: null,
      currentContent: null,
      editedContent: "mine\n",
    });
    expect((await owner.copyFiles.list({ ...place, query: {} })).items).toEqual([]);
  });

  it("read a file that is larger than one window as a whole", async () => {
    const large = "äöü€😀 line\n".repeat(40_000);
    const { owner, place } = await withFile(large);
    let seen = "";
    const edited = await owner.copyFiles.edit({
      ...place,
      path,
      edit: (text) => {
        seen = text;
        return `${text}end\n`;
      },
    });
    expect(seen === large).toBe(true);
    const { body } = await owner.copyFiles.download({ ...place, query: { path } });
    expect((await new Response(body).text()) === `${large}end\n`).toBe(true);
    expect(edited.content.length).toBe(large.length + 4);
  });

  it("lose none of many edits of one file that are repeated after a conflict", async () => {
    const { owner, ai, place, read } = await withFile("");
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}\n`);
    const append = async (line: string, client: typeof owner): Promise<void> => {
      try {
        await client.copyFiles.edit({ ...place, path, edit: (text) => text + line });
      } catch (cause) {
        if (!(cause instanceof EditConflictError)) throw cause;
        await append(line, client);
      }
    };
    await Promise.all(lines.map((line, index) => append(line, index % 2 === 0 ? owner : ai)));
    expect((await read()).content.split("\n").sort()).toEqual(
      ["", ...lines.map((line) => line.trim())].sort(),
    );
  });

  it("are made in the canonical copy by its owner", async () => {
    const { owner, place } = await withFile("one\n");
    const { workspaceId } = place;
    await owner.files.write({ workspaceId, body: { path, content: "canonical\n" } });
    await owner.files.edit({ workspaceId, path, edit: () => "edited\n" });
    expect((await owner.files.read({ workspaceId, query: { path } })).content).toBe("edited\n");
  });
});
