// /v1/workspaces/{workspaceID}.git on every deployment, by the system's git: each request of it goes to the next API node.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import { type AlternatingProxy, startAlternatingProxy } from "../../support/alternating-proxy.ts";
import { GitClient, repositoryUrl } from "../../support/git-client.ts";
import { onEveryDeployment } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

const closing: { close(): Promise<void> }[] = [];

afterAll(async () => {
  for (const one of closing) await one.close();
});

onEveryDeployment("workspaces by git", (service) => {
  let proxy: AlternatingProxy | null = null;

  const withWorkspace = async () => {
    if (proxy === null) {
      proxy = await startAlternatingProxy(service().apis);
      closing.push(proxy);
    }
    const account = await service().account();
    const { id: workspaceId } = await account.owner.workspaces.create({ body: {} });
    await account.owner.files.write({ workspaceId, body: { path: "README.md", content: "one\n" } });
    const large = "0123456789".repeat(20_000);
    await account.owner.files.write({ workspaceId, body: { path: "src/large.txt", content: large } });
    await settle(account.owner, workspaceId, await checkpoint(account.owner, workspaceId));
    const client = await GitClient.open();
    closing.push(client);
    const url = repositoryUrl(proxy.url, workspaceId, account.ownerKey);
    const { asked } = proxy;
    return { ...account, workspaceId, client, url, large, asked };
  };

  const newCopy = async (owner: Client, workspaceId: string) =>
    copyIdOf(await owner.copies.create({ workspaceId }));

  it.each(["0", "1", "2"])("are cloned and fetched, protocol %s", async (version) => {
    const { owner, workspaceId, client, url, large } = await withWorkspace();
    const copy = await newCopy(owner, workspaceId);
    const protocol = ["-c", `protocol.version=${version}`];
    await client.git([...protocol, "clone", "--quiet", url, "clone"]);
    const cwd = "clone";
    const current = await currentRevision(owner, workspaceId);
    expect(await client.git(["rev-parse", "HEAD", "HEAD^{tree}"], { cwd })).toBe(
      `${current.commit}\n${current.tree}`,
    );
    expect(await client.git(["symbolic-ref", "HEAD"], { cwd })).toBe("refs/heads/main");
    expect(await client.git(["log", "--format=%s"], { cwd })).toBe("Checkpoint\nNew workspace");
    expect(await client.git(["fsck", "--strict"], { cwd })).toBe("");
    expect(await readFile(join(client.folder, "clone/src/large.txt"), "utf8")).toBe(large);
    expect((await client.git(["branch", "-r"], { cwd })).split("\n").map((line) => line.trim())).toEqual([
      "origin/HEAD -> origin/main",
      `origin/copies/${copy}`,
      "origin/main",
    ]);
    const body = { path: "more.txt", content: "more\n" };
    await owner.copyFiles.write({ workspaceId, workingCopyId: copy, body });
    await client.git([...protocol, "fetch", "--quiet"], { cwd });
    expect(await client.git(["rev-parse", `origin/copies/${copy}`], { cwd })).toBe(current.commit);
    await settle(owner, workspaceId, await checkpoint(owner, workspaceId, copy));
    await client.git([...protocol, "fetch", "--quiet"], { cwd });
    expect(await client.git(["show", `origin/copies/${copy}:more.txt`], { cwd })).toBe("more");
  });

  it("are cloned in part: shallow, and without files until they are read", async () => {
    const { client, url, large } = await withWorkspace();
    await client.git(["clone", "--quiet", "--depth=1", url, "shallow"]);
    expect(await client.git(["log", "--format=%s"], { cwd: "shallow" })).toBe("Checkpoint");
    await client.git(["fetch", "--quiet", "--unshallow"], { cwd: "shallow" });
    expect(await client.git(["log", "--format=%s"], { cwd: "shallow" })).toBe("Checkpoint\nNew workspace");
    for (const version of ["0", "2"]) {
      const cwd = `partial-${version}`;
      const protocol = ["-c", `protocol.version=${version}`];
      await client.git([...protocol, "clone", "--quiet", "--filter=blob:none", "--no-checkout", url, cwd]);
      const missing = await client.git(["rev-list", "--objects", "--missing=print", "HEAD"], { cwd });
      expect(missing.match(/^\?/gm)?.length).toBe(2);
      await client.git([...protocol, "checkout", "--quiet", "main"], { cwd });
      expect(await readFile(join(client.folder, cwd, "src/large.txt"), "utf8")).toBe(large);
    }
  });

  it("are sent no pack with a wrong key, however small git's buffer is", async () => {
    const { owner, workspaceId, client, url, asked } = await withWorkspace();
    const copy = await newCopy(owner, workspaceId);
    await client.git(["clone", "--quiet", "--branch", `copies/${copy}`, url, "clone"]);
    const cwd = "clone";
    await commitFile(client, cwd, { "large.txt": "9876543210".repeat(20_000) }, "Large");
    const wrong = new URL(url);
    wrong.password = "svc_sk_wrong";
    const push = (to: string) =>
      client.run(["-c", "http.postBuffer=1024", "push", to, `HEAD:copies/${copy}`], { cwd });
    const before = asked.length;
    const refused = await push(wrong.href);
    expect([refused.code, refused.stderr.includes("svc_sk_wrong")]).toEqual([128, false]);
    // Other tests go through the same proxy.
    const sent = asked.slice(before).filter((line) => line.includes(workspaceId));
    expect(new Set(sent.map((line) => line.split(" ")[0]))).toEqual(new Set(["GET"]));
    const pushed = await push(url);
    expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
  });

  it("take a push to a copy, which is then proposed and accepted, with its author's commits", async () => {
    const { owner, workspaceId, client, url, asked } = await withWorkspace();
    const copy = await newCopy(owner, workspaceId);
    await client.git(["clone", "--quiet", "--branch", `copies/${copy}`, url, "clone"]);
    const cwd = "clone";
    await commitFile(client, cwd, { "notes/one.md": "one\n" }, "One");
    await commitFile(client, cwd, { "notes/two.md": "two\n", "README.md": "two\n" }, "Two");
    const pushed = await client.run(["push", "origin", "HEAD"], { cwd });
    expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
    expect(pushed.stderr).toContain(
      `remote:   agent-service workspaces changesets create ${workspaceId} "<title>" --copy ${copy}`,
    );
    const tip = await client.git(["rev-parse", "HEAD"], { cwd });
    const { base_revision_id: revisionId } = await owner.copies.get({ workspaceId, workingCopyId: copy });
    const revision = await owner.revisions.get({ workspaceId, revisionId });
    expect(revision).toMatchObject({
      commit: tip,
      message: "Two",
      author: { type: "owner" },
      files: 4,
      bytes: 200_000 + "two\none\ntwo\n".length,
      accepted_at: null,
    });
    expect(
      await owner.copyFiles.read({ workspaceId, workingCopyId: copy, query: { path: "notes/two.md" } }),
    ).toMatchObject({ content: "two\n" });
    const again = await client.run(["push", "origin", "HEAD"], { cwd });
    expect(again.stderr).toContain("Everything up-to-date");
    const changeset = await owner.changesets.create({
      workspaceId,
      body: { working_copy_id: copy, title: "Notes" },
    });
    expect(changeset).toMatchObject({ status: "open", mergeable: true, files: 3 });
    const { current_revision_id: expected } = await owner.workspaces.get({ workspaceId });
    await owner.changesets.accept({
      workspaceId,
      changesetId: changeset.id,
      body: { expected_current_revision: expected, validation_evidence: "Read." },
    });
    await client.git(["fetch", "--quiet"], { cwd });
    expect(await client.git(["log", "--format=%an %s", "origin/main^2"], { cwd })).toContain(
      "Ada Two\nAda One\n",
    );
    // The copy goes on from what was accepted: a fast-forward to a revision that is there.
    await client.git(["merge", "--quiet", "--ff-only", "origin/main"], { cwd });
    await client.git(["push", "--quiet", "origin", "HEAD"], { cwd });
    const { base_revision_id: now } = await owner.copies.get({ workspaceId, workingCopyId: copy });
    expect(now).toBe((await owner.workspaces.get({ workspaceId })).current_revision_id);
    if (service().apis.length > 1) expect(new Set(asked.map((line) => line.at(-1))).size).toBe(2);
  });

  it("know where a merge of copies comes from", async () => {
    const { owner, workspaceId, client, url } = await withWorkspace();
    const [ours, theirs] = [await newCopy(owner, workspaceId), await newCopy(owner, workspaceId)];
    await client.git(["clone", "--quiet", "--branch", `copies/${ours}`, url, "clone"]);
    const cwd = "clone";
    await commitFile(client, cwd, { "ours.txt": "ours\n" }, "Ours");
    await client.git(["checkout", "--quiet", `copies/${theirs}`], { cwd });
    await commitFile(client, cwd, { "theirs.txt": "theirs\n" }, "Theirs");
    await client.git(["push", "--quiet", "origin", "HEAD"], { cwd });
    await client.git(["checkout", "--quiet", `copies/${ours}`], { cwd });
    await client.git(["merge", "--quiet", "--no-edit", `copies/${theirs}`], { cwd });
    await client.git(["push", "--quiet", "origin", "HEAD"], { cwd });
    const copyOf = (workingCopyId: string) => owner.copies.get({ workspaceId, workingCopyId });
    const merged = await owner.revisions.get({
      workspaceId,
      revisionId: (await copyOf(ours)).base_revision_id,
    });
    const base = (await owner.workspaces.get({ workspaceId })).current_revision_id;
    expect(merged.parent_ids).toEqual([base, (await copyOf(theirs)).base_revision_id]);
    expect(merged.files).toBe(4);
  });

  it("refuse what no copy takes, by name, and leave the other branches of the push alone", async () => {
    const { owner, workspaceId, client, url } = await withWorkspace();
    const [copy, other] = [await newCopy(owner, workspaceId), await newCopy(owner, workspaceId)];
    await client.git(["clone", "--quiet", url, "clone"]);
    const cwd = "clone";
    await commitFile(client, cwd, { "new.txt": "new\n" }, "New");
    const push = async (...args: string[]) => (await client.run(["push", "origin", ...args], { cwd })).stderr;
    const toMain = await push("HEAD:main");
    expect(toMain).toContain("[remote rejected] HEAD -> main (main is what was accepted");
    expect(toMain).toContain("remote:   agent-service workspaces changesets accept");
    expect(await push("HEAD:feature")).toContain(
      `make a copy by: agent-service workspaces copies create ${workspaceId})`,
    );
    expect(await push("HEAD:refs/tags/v1")).toContain("only branches copies/<copy> are pushed to");
    expect(await push(`:copies/${copy}`)).toContain(
      `agent-service workspaces copies delete ${workspaceId} ${copy}`,
    );
    expect(await push("HEAD:copies/00000000-0000-4000-8000-000000000000")).toContain(
      "The workspace has no copy 00000000",
    );
    const atomic = await push("--atomic", "HEAD:main", `HEAD:copies/${copy}`);
    expect(atomic).toContain("atomic push failed");
    const before = await client.git(["ls-remote", "origin"], { cwd });
    expect(before).not.toContain(await client.git(["rev-parse", "HEAD"], { cwd }));
    const mixed = await push("HEAD:main", `HEAD:copies/${copy}`);
    expect(mixed).toContain("[remote rejected] HEAD -> main");
    expect(mixed).toMatch(new RegExp(`HEAD -> copies/${copy}`));
    expect(await client.git(["ls-remote", "origin", `copies/${copy}`], { cwd })).toContain(
      await client.git(["rev-parse", "HEAD"], { cwd }),
    );
    const body = { path: "unsaved.txt", content: "unsaved\n" };
    await owner.copyFiles.write({ workspaceId, workingCopyId: other, body });
    expect(await push(`HEAD:copies/${other}`)).toContain(
      `agent-service workspaces checkpoint ${workspaceId} --copy ${other}`,
    );
    await settle(owner, workspaceId, await checkpoint(owner, workspaceId, other));
    expect(await push(`HEAD:copies/${other}`)).toContain("fetch first");
    expect(await push("--force", `HEAD:copies/${other}`)).toContain("non-fast-forward");
    await client.git(["fetch", "--quiet"], { cwd });
    expect(await push(`HEAD:copies/${other}`)).toContain("non-fast-forward");
    const both = await push("--atomic", `HEAD^:copies/${copy}`, `HEAD:copies/${other}`, "--force");
    expect(both).toContain("non-fast-forward");
  });

  it("ask for a key, and take the roles and scopes of files", async () => {
    const { workspaceId, client, url, aiKey } = await withWorkspace();
    const api = service().url();
    const plain = `${api}/v1/workspaces/${workspaceId}.git`;
    const unasked = await service().call(
      `/v1/workspaces/${workspaceId}.git/info/refs?service=git-upload-pack`,
    );
    expect(unasked.status).toBe(401);
    expect(unasked.headers.get("www-authenticate")).toMatch(/^Basic realm="agent-service"/);
    expect((await client.run(["ls-remote", plain])).stderr).toContain("could not read Username");
    const withWrong = await client.run(["ls-remote", repositoryUrl(api, workspaceId, "svc_sk_wrong")]);
    expect(withWrong.stderr).toContain("Authentication failed");
    const header = ["-c", `http.extraHeader=Authorization: Bearer ${aiKey}`];
    expect(await client.git([...header, "ls-remote", plain])).toContain("refs/heads/main");
    expect(await client.git(["ls-remote", url])).toContain("refs/heads/main");
    const stranger = (await service().account()).ownerKey;
    const foreign = await client.run(["ls-remote", repositoryUrl(api, workspaceId, stranger)]);
    expect(foreign.stderr).toContain(`remote: Workspace ${workspaceId} belongs to another account.`);
    const unknown = await client.run(["ls-remote", repositoryUrl(api, "nothing", stranger)]);
    expect(unknown.stderr).toContain("remote: There is no workspace nothing.");
  });

  it("let one of two who push at once land, and tell the other to fetch", async () => {
    const { owner, workspaceId, client, url } = await withWorkspace();
    const copy = await newCopy(owner, workspaceId);
    const names = ["one", "two", "three"];
    for (const name of names) {
      await client.git(["clone", "--quiet", "--branch", `copies/${copy}`, url, name]);
      await commitFile(client, name, { [`${name}.txt`]: name }, name);
    }
    const ends = await Promise.all(
      names.map((name) => client.run(["push", "origin", "HEAD"], { cwd: name })),
    );
    const landed = ends.filter(({ code }) => code === 0);
    expect(landed.length, ends.map(({ stderr }) => stderr).join("\n")).toBe(1);
    for (const { code, stderr } of ends) if (code !== 0) expect(stderr).toContain("fetch first");
    for (const [at, { code }] of ends.entries()) {
      if (code === 0) continue;
      const cwd = names[at] ?? "";
      await client.git(["pull", "--quiet", "--rebase"], { cwd });
      await client.git(["push", "--quiet", "origin", "HEAD"], { cwd });
    }
    const tip = await client.git(["ls-remote", url, `copies/${copy}`]);
    await client.git(["fetch", "--quiet"], { cwd: "one" });
    expect(await client.git(["ls-tree", "--name-only", tip.slice(0, 40)], { cwd: "one" })).toBe(
      ["README.md", "one.txt", "src", "three.txt", "two.txt"].join("\n"),
    );
  });
});

async function commitFile(
  client: GitClient,
  cwd: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const full = join(client.folder, cwd, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
  }
  await client.git(["add", "--all"], { cwd });
  await client.git(["commit", "--quiet", "--message", message], { cwd });
}

async function checkpoint(owner: Client, workspaceId: string, copy?: string) {
  const body = copy === undefined ? {} : { working_copy_id: copy };
  return await owner.copies.checkpoint({ workspaceId, body });
}

async function settle(owner: Client, workspaceId: string, { id: operationId }: { readonly id: string }) {
  const ended = await owner.operations.get({ workspaceId, operationId, query: { wait: 20 } });
  if (ended.status !== "succeeded") throw new Error(`The operation is ${ended.status}.`);
}

async function currentRevision(owner: Client, workspaceId: string) {
  const { current_revision_id: revisionId } = await owner.workspaces.get({ workspaceId });
  return await owner.revisions.get({ workspaceId, revisionId });
}
