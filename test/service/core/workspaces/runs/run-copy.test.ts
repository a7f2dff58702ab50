// A run's folder of a copy, by real git and a real store: laid out, changed, written back, saved, lost to another worker.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { copyFolders } from "../../../../../src/service/checkouts/copies/copy-folders.ts";
import { queuedRun } from "../../../../../src/service/core/runs/new-run.ts";
import { COPY_HOLD_MS, holderOf } from "../../../../../src/service/core/workspaces/copies/copy.ts";
import { deleteCopy } from "../../../../../src/service/core/workspaces/copies/delete-copy.ts";
import { viewOfCopy } from "../../../../../src/service/core/workspaces/files/copy-overlay.ts";
import { walkView } from "../../../../../src/service/core/workspaces/files/copy-view.ts";
import { writeTexts } from "../../../../../src/service/core/workspaces/files/write-texts.ts";
import { objectSource } from "../../../../../src/service/core/workspaces/objects/object-source.ts";
import type { WorkspaceRun } from "../../../../../src/service/core/workspaces/placed-runs/store-port.ts";
import { collectGarbage } from "../../../../../src/service/core/workspaces/retention/collect-garbage.ts";
import { openRunCopy, type RunFiles } from "../../../../../src/service/core/workspaces/runs/open-run-copy.ts";
import type { RunInWorkspace } from "../../../../../src/service/core/workspaces/runs/run-port.ts";
import { ManualClock } from "../../../../support/clocks/manual-clock.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";

const left: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of left.splice(0).toReversed()) await close();
});

onEveryStore((store) => {
  it("has the copy's files, with what was written over its base, modes and links", async () => {
    const { workspace, open } = await start();
    const first = await workspace.commit(workspace.canonicalId, { "a.txt": "one\n", "src/b.ts": "two\n" });
    const copyId = await workspace.makeCopy(first.id);
    await workspace.write(copyId, { "src/b.ts": "changed\n", "src/deep/c.ts": "new\n", "a.txt": null });
    const { checkout } = await open(copyId);
    expect(treeOf(checkout.root)).toEqual({ "src/b.ts": "changed\n", "src/deep/c.ts": "new\n" });
    // The base is the commit before, and the folder is clean.
    const commits = await checkout.recentCommits(10);
    expect(commits.map(({ subject }) => subject)).toEqual([
      "What was written in the copy since its base",
      "Save",
      "New workspace",
    ]);
    expect((await checkout.workingChanges()).files).toEqual([]);
    expect(
      (await checkout.history.diff({ from: commits[1]?.sha ?? "", to: checkout.headSha }, [])).text,
    ).toContain("+changed");
  });

  it("writes back what was added, edited, deleted, made executable and linked", async () => {
    const { workspace, open, filesOf } = await start();
    const base = await workspace.commit(workspace.canonicalId, {
      "kept.txt": "kept\n",
      "edited.txt": "before\n",
      "gone/one.txt": "1\n",
      "tool.sh": "#!/bin/sh\n",
    });
    const copyId = await workspace.makeCopy(base.id);
    const { checkout } = await open(copyId);
    const at = (path: string) => join(checkout.root, path);
    writeFileSync(at("edited.txt"), "after\n");
    rmSync(at("gone"), { recursive: true });
    writeFileSync(at("gone"), "a file in the folder's place\n");
    chmodSync(at("tool.sh"), 0o755);
    symlinkSync("kept.txt", at("link"));
    mkdirSync(at("new/folder"), { recursive: true });
    writeFileSync(at("new/folder/file.bin"), Buffer.alloc(200_000, 7));
    mkdirSync(at(".github/workflows"), { recursive: true });
    writeFileSync(at(".github/workflows/ci.yml"), "on: push\n");
    writeFileSync(at(".gitignore"), "*.log\n");
    writeFileSync(at("run.log"), "ignored\n");
    writeFileSync(at(".GIT"), "no path of a workspace\n");
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({
      ".gitignore": "100644 *.log\n",
      "edited.txt": "100644 after\n",
      gone: "100644 a file in the folder's place\n",
      "kept.txt": "100644 kept\n",
      link: "120000 kept.txt",
      "new/folder/file.bin": `100644 ${"\u0007".repeat(200_000)}`,
      "tool.sh": "100755 #!/bin/sh\n",
    });
    expect(holderOf(await workspace.copy(copyId))).toBeNull();
    // Nothing is left of the folder.
    expect(() => lstatSync(checkout.root)).toThrow("ENOENT");
  });

  it("gives the next run what the last one left", async () => {
    const { workspace, open } = await start();
    const copyId = await workspace.makeCopy();
    const first = await open(copyId);
    writeFileSync(join(first.checkout.root, "notes.md"), "# Notes\n");
    await first.checkout.close();
    const second = await open(copyId);
    expect(treeOf(second.checkout.root)).toEqual({ "notes.md": "# Notes\n" });
    rmSync(join(second.checkout.root, "notes.md"));
    await second.checkout.close();
    expect(treeOf((await open(copyId)).checkout.root)).toEqual({});
  });

  it("keeps what was changed from time to time, and again what is changed after that", async () => {
    const { fixture, workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const { checkout } = await open(copyId);
    writeFileSync(join(checkout.root, "one.txt"), "1\n");
    await fixture.clock.advance(30_000);
    await expect.poll(() => filesOf(copyId)).toEqual({ "one.txt": "100644 1\n" });
    writeFileSync(join(checkout.root, "one.txt"), "2\n");
    writeFileSync(join(checkout.root, "two.txt"), "2\n");
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({ "one.txt": "100644 2\n", "two.txt": "100644 2\n" });
  });

  it("keeps what a tool call has changed once it has ended, without time going by", async () => {
    const { workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const { checkout, callEnded } = await open(copyId);
    for (const text of ["1\n", "2\n", "3\n"]) {
      writeFileSync(join(checkout.root, "one.txt"), text);
      callEnded();
      await expect.poll(() => filesOf(copyId)).toEqual({ "one.txt": `100644 ${text}` });
    }
  });

  it("holds the copy for as long as it works, and no worker that lost it writes any more", async () => {
    const { workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const early = await open(copyId, { runId: "run-1", fence: 1 });
    writeFileSync(join(early.checkout.root, "early.txt"), "early\n");
    expect(holderOf(await workspace.copy(copyId))).toMatchObject({ runId: "run-1", fence: 1 });
    // A later worker of the same run takes it over at once.
    const late = await open(copyId, { runId: "run-1", fence: 2 });
    writeFileSync(join(late.checkout.root, "late.txt"), "late\n");
    await early.checkout.close();
    expect(await filesOf(copyId)).toEqual({});
    expect(holderOf(await workspace.copy(copyId))).toMatchObject({ fence: 2 });
    await late.checkout.close();
    expect(await filesOf(copyId)).toEqual({ "late.txt": "100644 late\n" });
  });

  it("is not taken from a run that is alive, and is from one that has been silent", async () => {
    const { fixture, workspace } = await start();
    const copyId = await workspace.makeCopy();
    const { core, id: workspaceId } = workspace;
    await fixture.store.transact((tx) => tx.copies.hold(copyId, { runId: "dead", fence: 1 }));
    const begun = openRunCopy(core, {
      ...runOf(workspaceId, { runId: "next", fence: 1 }),
      folders: foldersOf(fixture),
      copyId,
    });
    let isOpen = false;
    void begun.then(() => {
      isOpen = true;
    });
    await fixture.clock.advance(COPY_HOLD_MS - 1_000);
    expect(isOpen).toBe(false);
    await expect
      .poll(async () => {
        await fixture.clock.advance(500);
        return isOpen;
      })
      .toBe(true);
    const opened = await begun;
    if (!opened.ok) throw new Error(opened.refusal.detail);
    await opened.value.checkout.close();
  });

  it.each([
    ["forward", 10 * 60_000],
    ["back", -10 * 60_000],
  ])("keeps a run's work when the node's clock is set %s", async (_way, byMs) => {
    const { fixture, workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const { checkout } = await open(copyId);
    writeFileSync(join(checkout.root, "work.txt"), "work\n");
    fixture.clock.setWall(byMs);
    // Nobody takes a copy whose run is alive.
    const ask = { ...workspace.request, copyId };
    expect(await deleteCopy(fixture.core, ask)).toMatchObject({ refusal: { reason: "copy_held" } });
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({ "work.txt": "100644 work\n" });
  });

  it("keeps the work of a run that was silent for longer than its lease, as long as nobody took its copy", async () => {
    const { fixture, workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const { checkout } = await open(copyId);
    writeFileSync(join(checkout.root, "work.txt"), "work\n");
    // As after a laptop's sleep: the time has passed before anything could be renewed.
    await fixture.clock.advance(10 * COPY_HOLD_MS);
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({ "work.txt": "100644 work\n" });
  });

  it("keeps nothing of a silent run whose copy was written to since", async () => {
    const { fixture, workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    // Its renewals do not reach the store.
    const cut = { ...fixture.core, clock: new ManualClock() };
    const { checkout } = await open(copyId, { runId: "run-1", fence: 1 }, cut);
    writeFileSync(join(checkout.root, "work.txt"), "work\n");
    await fixture.clock.advance(COPY_HOLD_MS + 1_000);
    const place = { kind: "copy" as const, copyId };
    const texts = [{ path: "owner.txt", content: "owner\n", etag: null, mode: null }];
    expect(await writeTexts(fixture.core, { ...workspace.request, place, texts })).toMatchObject({
      ok: true,
    });
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({ "owner.txt": "100644 owner\n" });
  });

  it("is laid out for the run's next worker as its first one found it, with what was changed since", async () => {
    const { fixture, workspace, open, filesOf } = await start();
    const base = await workspace.commit(workspace.canonicalId, { "a.txt": "one\n", "b.txt": "two\n" });
    const copyId = await workspace.makeCopy(base.id);
    await workspace.write(copyId, { "unsaved.txt": "of its owner\n", "b.txt": "changed\n" });
    const submitted = await fixture.trySubmit({ message: "Work." });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    const place = placeOf({ runId, workspaceId: workspace.id, copyId });
    await fixture.store.transact((tx) => tx.workspaceRuns.insert(place));
    const first = await open(copyId, { runId, fence: 1 }, fixture.core, true);
    const at = (path: string) => join(first.checkout.root, path);
    writeFileSync(at("turn-1.txt"), "1\n");
    const kept = await first.checkout.keepTree(null);
    writeFileSync(at("turn-2.txt"), "2\n");
    writeFileSync(at("a.txt"), "changed in the second turn\n");
    rmSync(at("b.txt"));
    first.callEnded();
    const ofOwner = { "unsaved.txt": "100644 of its owner\n" };
    const written = { "a.txt": "100644 changed in the second turn\n", "turn-1.txt": "100644 1\n" };
    const afterTwo = { ...ofOwner, ...written, "turn-2.txt": "100644 2\n" };
    await expect.poll(() => filesOf(copyId)).toEqual(afterTwo);
    // It is lost here. Whatever the run found is there for as long as it has not ended.
    await collectGarbage(fixture.core, {
      workspaceId: workspace.id,
      touchedBefore: fixture.clock.now() + 1,
      signal: new AbortController().signal,
    });

    const next = await open(copyId, { runId, fence: 2 }, fixture.core, true);
    expect(next.checkout.headSha).toBe(first.checkout.headSha);
    expect(Object.keys(treeOf(next.checkout.root)).toSorted()).toEqual(Object.keys(afterTwo).toSorted());
    if (kept === null) throw new Error("Nothing was kept.");
    await next.checkout.bringBack(kept);
    expect(treeOf(next.checkout.root)).toEqual({
      "a.txt": "one\n",
      "b.txt": "changed\n",
      "turn-1.txt": "1\n",
      "unsaved.txt": "of its owner\n",
    });
    expect((await next.checkout.workingChanges()).files.map(({ path }) => path)).toEqual(["turn-1.txt"]);
    next.leaves("given_back");
    await next.checkout.close();
    expect(holderOf(await workspace.copy(copyId))).toMatchObject({ runId, fence: 2 });
    expect(await filesOf(copyId)).toEqual({
      ...ofOwner,
      "a.txt": "100644 one\n",
      "b.txt": "100644 changed\n",
      "turn-1.txt": "100644 1\n",
    });
  });

  it("keeps what was changed after a call of git that was stopped in the middle", async () => {
    const { workspace, open, filesOf } = await start();
    const copyId = await workspace.makeCopy();
    const { checkout } = await open(copyId);
    writeFileSync(join(checkout.root, "work.txt"), "work\n");
    // Of a git that was ended while it wrote the index.
    writeFileSync(join(checkout.root, "..", "kept.index.lock"), "");
    await checkout.close();
    expect(await filesOf(copyId)).toEqual({ "work.txt": "100644 work\n" });
  });

  async function start() {
    const fixture = await CoreFixture.start({ store });
    left.push(() => fixture.close());
    const workspace = await TestWorkspace.make(fixture.core);
    const folders = foldersOf(fixture);
    const open = async (
      copyId: string,
      holder = { runId: "run-1", fence: 1 },
      core = fixture.core,
      hasJournal = false,
    ): Promise<RunFiles> => {
      const run = { ...runOf(workspace.id, holder), hasJournal };
      const opened = await openRunCopy(core, { ...run, folders, copyId });
      if (!opened.ok) throw new Error(opened.refusal.detail);
      left.push(() => opened.value.checkout.close());
      return opened.value;
    };
    const filesOf = async (copyId: string) => {
      const view = viewOfCopy(fixture.core, await workspace.copy(copyId));
      const files: Record<string, string> = {};
      for await (const some of walkView(view)) {
        for (const { path, mode, oid } of some) {
          files[path] =
            `${mode} ${Buffer.from(await objectSource(fixture.core, workspace.id).blob(oid)).toString()}`;
        }
      }
      return files;
    };
    return { fixture, workspace, open, filesOf };
  }
});

function placeOf(place: Pick<WorkspaceRun, "runId" | "workspaceId" | "copyId">): WorkspaceRun {
  return {
    agentId: "agent",
    taskGroupId: null,
    workerId: null,
    begunCommitOid: null,
    createdAt: 0,
    ...place,
  };
}

function foldersOf(fixture: CoreFixture) {
  return copyFolders({
    folder: join(fixture.place.settings.dataDir, "checkouts"),
    environment: { PATH: process.env.PATH },
    maxObjects: 100_000,
  });
}

function runOf(workspaceId: string, { runId, fence }: { runId: string; fence: number }): RunInWorkspace {
  const common = { agentId: "agent", sessionId: "session", origin: "user", parentRunId: null } as const;
  const run = queuedRun({
    ...common,
    id: runId,
    billingAccount: "wallet",
    price: null,
    modelBilling: null,
    now: 0,
  });
  const workspace = { workspaceId, copyId: null, taskGroupId: null, workerId: null };
  const input = { messages: [], maxTurnTokens: 0, job: null };
  const { signal } = new AbortController();
  const taken = { run: { ...run, fence }, input };
  return { taken, workspace, hasJournal: false, earlierFolder: undefined, signal };
}

/** Paths to contents. */
function treeOf(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isSymbolicLink()) files[name] = readlinkSync(path);
    else if (entry.isFile()) files[name] = readFileSync(path, "utf8");
  }
  return files;
}
