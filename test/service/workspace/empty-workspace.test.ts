import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitWorkspaces } from "../../../src/service/workspace/git-workspaces.ts";
import { WorkspaceBed } from "./workspace-bed.ts";

let bed: WorkspaceBed;
beforeEach(async () => {
  bed = await WorkspaceBed.make();
});
afterEach(() => bed.close());

const signal = () => AbortSignal.timeout(30_000);

describe("an empty workspace", () => {
  it("is a repository without files, which answers every question", async () => {
    const opened = await bed.provider().openEmpty({ runId: "run-1" }, signal());
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const workspace = opened.value;
    expect(await readdir(workspace.root)).toEqual([]);
    expect(await workspace.files()).toEqual([]);
    expect(await workspace.recentCommits(5)).toMatchObject([{ sha: workspace.headSha }]);
    expect(await workspace.mostChangedFiles(5)).toEqual([]);
    expect(await workspace.changesSinceBase()).toBeNull();
    const query = { texts: ["x"], wholeWord: false, ignoreCase: false, folder: "" };
    expect(await workspace.findText(query)).toEqual({ matches: [], complete: true });
    await writeFile(join(workspace.root, "note"), "x");
    await workspace.close();
    expect(await bed.leftOvers()).toEqual([]);
  });

  it("that cannot be made says so, and leaves nothing behind", async () => {
    const provider = gitWorkspaces({
      folder: join(bed.folder, "runs"),
      limits: { maxBytes: 1, maxCheckoutBytes: 1, cloneTimeoutMs: 1 },
      environment: process.env,
      gitPath: join(bed.folder, "no-git"),
    });
    expect(await provider.openEmpty({ runId: "run-1" }, signal())).toEqual({
      ok: false,
      refusal: { reason: "workspace_failed", detail: expect.stringContaining("could not be started") },
    });
    expect(await bed.leftOvers()).toEqual([]);
  });

  it("of a run that was stopped meanwhile is removed", async () => {
    const opening = bed.provider().openEmpty({ runId: "run-1" }, AbortSignal.abort(new Error("stopped")));
    await expect(opening).rejects.toThrow("stopped");
    expect(await bed.leftOvers()).toEqual([]);
  });
});
