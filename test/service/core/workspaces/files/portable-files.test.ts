// Names of new files that not every system can hold are refused, by the files API and when a copy is saved. What is there stays.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../../../../src/client/client.ts";
import { createClient } from "../../../../../src/client/client.ts";
import { toProblem } from "../../../../../src/service/api/shared/problems/to-problem.ts";
import { makeApiKey, openAccount } from "../../../../../src/service/core/accounts/keys.ts";
import type { WorkspaceKeeping } from "../../../../../src/service/core/workspaces/workspace-keeping.ts";
import { copyIdOf } from "../../../../suite/workspaces/copy-id.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";

describe("names of new files", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let keeping: WorkspaceKeeping;
  let owner: Client;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    if (core.core.workspaces === null) throw new Error("There are no workspaces.");
    keeping = core.core.workspaces;
    const { id: accountId } = await openAccount(core.core, "subscribed");
    const { secret } = await makeApiKey(core.core, { accountId, callerClass: "owner", name: "k" });
    owner = createClient({ baseUrl: api.url, credential: () => secret });
  });

  afterAll(() => api.close());

  /** As an operator sets WORKSPACE_PATHS. */
  const keep = (paths: "portable" | "any") =>
    Object.assign(core.core, {
      workspaces: {
        ...keeping,
        keepsPathsPortable: paths === "portable",
        describe: (refusal: Parameters<WorkspaceKeeping["describe"]>[0]) => {
          const { code, message: error } = toProblem(refusal);
          return { code, error };
        },
      },
    });

  const workspace = async () => {
    keep("portable");
    const { id: workspaceId } = await owner.workspaces.create({});
    return workspaceId;
  };
  const write = (workspaceId: string, path: string, content = "x") =>
    owner.files.write({ workspaceId, body: { path, content } });
  const checkpoint = async (workspaceId: string, workingCopyId?: string) => {
    const { id: operationId } = await owner.copies.checkpoint({
      workspaceId,
      body: workingCopyId === undefined ? {} : { working_copy_id: workingCopyId },
    });
    return await owner.operations.get({ workspaceId, operationId, query: { wait: 20 } });
  };

  it.each([
    ["a\\b", "Windows takes no"],
    ["sub/CON", "the name of a device on Windows"],
    ["trail./a", "at its end"],
    ["x:y", "Windows takes no"],
  ])("are refused as %j, with the rule", async (path, rule) => {
    const workspaceId = await workspace();
    const refusal = { status: 400, code: "path_invalid", message: expect.stringContaining(rule) };
    await expect(write(workspaceId, path)).rejects.toMatchObject(refusal);
    await expect(write(workspaceId, path)).rejects.toThrow(JSON.stringify(path));
    await expect(
      owner.files.upload({ workspaceId, query: { path }, body: () => Buffer.from("x") }),
    ).rejects.toMatchObject(refusal);
    keep("any");
    expect(await write(workspaceId, path)).toMatchObject({ path });
  });

  it("are taken where they were before: they are read, written, saved and deleted", async () => {
    const workspaceId = await workspace();
    keep("any");
    await write(workspaceId, "src/aux.c");
    await write(workspaceId, "Readme");
    await write(workspaceId, "README");
    expect(await checkpoint(workspaceId)).toMatchObject({ status: "succeeded" });
    keep("portable");
    const read = await owner.files.read({ workspaceId, query: { path: "src/aux.c" } });
    expect(read).toMatchObject({ content: "x" });
    for (const path of ["src/aux.c", "README"]) {
      const { etag } = await owner.files.read({ workspaceId, query: { path } });
      await owner.files.write({ workspaceId, body: { path, content: "y" }, ifMatch: etag });
    }
    await write(workspaceId, "src/other.c");
    expect(await checkpoint(workspaceId)).toMatchObject({ status: "succeeded" });
    await owner.files.delete({ workspaceId, body: { path: "src/aux.c" } });
    expect(await checkpoint(workspaceId)).toMatchObject({ status: "succeeded" });
  });

  it("are refused where case alone tells them from what is saved, or from another of one upload", async () => {
    const workspaceId = await workspace();
    await write(workspaceId, "docs/Guide.md");
    await checkpoint(workspaceId);
    for (const [path, twin] of [
      ["docs/guide.md", "docs/Guide.md"],
      ["Docs/other.md", "docs"],
    ] as const) {
      const refusal = { status: 409, code: "path_taken", message: expect.stringContaining(`"${twin}"`) };
      await expect(write(workspaceId, path)).rejects.toMatchObject(refusal);
    }
    await write(workspaceId, "docs/other.md");
    // Renamed by case.
    await owner.files.delete({ workspaceId, body: { path: "docs/Guide.md" } });
    await write(workspaceId, "docs/guide.md");
    expect(await checkpoint(workspaceId)).toMatchObject({ status: "succeeded" });
  });

  it("that are not saved yet are compared when they are saved, by whoever wrote them", async () => {
    const workspaceId = await workspace();
    await write(workspaceId, "new/a.txt");
    await write(workspaceId, "new/A.txt");
    expect(await checkpoint(workspaceId)).toMatchObject({
      status: "failed",
      error: { code: "path_taken", error: expect.stringMatching(/"new\/[aA]\.txt" and "new\/[aA]\.txt"/) },
    });
    await owner.files.delete({ workspaceId, body: { path: "new/A.txt" } });
    expect(await checkpoint(workspaceId)).toMatchObject({ status: "succeeded" });
    // As a run leaves it in its copy.
    keep("any");
    await write(workspaceId, "b\\c");
    keep("portable");
    expect(await checkpoint(workspaceId)).toMatchObject({
      status: "failed",
      error: { code: "path_invalid", error: expect.stringContaining("Windows takes no") },
    });
  });

  it("are not brought together by two changesets", async () => {
    const workspaceId = await workspace();
    const propose = async (path: string) => {
      const copyId = copyIdOf(await owner.copies.create({ workspaceId, body: {} }));
      await owner.copyFiles.write({ workspaceId, workingCopyId: copyId, body: { path, content: path } });
      await checkpoint(workspaceId, copyId);
      const body = { working_copy_id: copyId, title: path };
      return (await owner.changesets.create({ workspaceId, body })).id;
    };
    const [one, other] = [await propose("Notes.md"), await propose("notes.md")];
    const accept = async (changesetId: string) => {
      const { current_revision_id } = await owner.workspaces.get({ workspaceId });
      const body = { expected_current_revision: current_revision_id, validation_evidence: "read" };
      return await owner.changesets.accept({ workspaceId, changesetId, body });
    };
    expect(await accept(one)).toMatchObject({ status: "accepted" });
    await expect(accept(other)).rejects.toMatchObject({
      status: 409,
      code: "path_taken",
      message: expect.stringContaining('"notes.md" and "Notes.md"'),
    });
  });
});
