// GET …/revisions/{revisionID}/bundle, on every deployment: what git clones of it is the revision with its history.

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";

onEveryDeployment("bundles of revisions", (service) => {
  it("are cloned by git, small files and large ones", async () => {
    const { owner, ai } = await service().account();
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    const large = "0123456789".repeat(20_000);
    await owner.files.write({ workspaceId, body: { path: "README.md", content: "one\n" } });
    await owner.files.write({ workspaceId, body: { path: "src/large.txt", content: large } });
    await owner.operations.get({
      workspaceId,
      query: { wait: 20 },
      operationId: (await owner.copies.checkpoint({ workspaceId, body: { message: "First" } })).id,
    });
    const { current_revision_id: revisionId } = await owner.workspaces.get({ workspaceId });
    const { commit, tree } = await owner.revisions.get({ workspaceId, revisionId });
    const { body, contentType } = await ai.revisions.bundle({ workspaceId, revisionId });
    expect(contentType).toBe("application/x-git-bundle");
    const folder = await mkdtemp(join(tmpdir(), "agent-service-bundle-"));
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: folder, stdio: "pipe", env: { PATH: process.env.PATH, HOME: folder } })
        .toString()
        .trim();
    await writeFile(join(folder, "it.bundle"), Buffer.from(await new Response(body).arrayBuffer()));
    git("clone", "--quiet", "it.bundle", "clone");
    expect(git("-C", "clone", "rev-parse", "HEAD", "HEAD^{tree}").split("\n")).toEqual([commit, tree]);
    expect(git("-C", "clone", "log", "--format=%s")).toBe("First\nNew workspace");
    expect(git("-C", "clone", "fsck", "--strict")).toBe("");
    expect(await readFile(join(folder, "clone/README.md"), "utf8")).toBe("one\n");
    expect(await readFile(join(folder, "clone/src/large.txt"), "utf8")).toBe(large);
    await rm(folder, { recursive: true, force: true });
  });

  it("are of one's own revisions", async () => {
    const { owner, ownerKey: bearer } = await service().account();
    const { id, current_revision_id: revisionId } = await owner.workspaces.create({ body: {} });
    const path = (revision: string) => `/v1/workspaces/${id}/revisions/${revision}/bundle`;
    expect((await service().call(path(revisionId), { bearer })).status).toBe(200);
    expectProblem(await service().call(path(UNKNOWN), { bearer }), [404, "not_found"]);
    const other = (await service().account()).ownerKey;
    expectProblem(await service().call(path(revisionId), { bearer: other }), [403, "forbidden"]);
  });
});
