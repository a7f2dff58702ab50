// What commands see of credentials that a job left in its tree.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretMask } from "../../../src/service/executor/secret-mask.ts";
import { readFile } from "../../../src/service/executor/tools/read-file.ts";
import { renameFile } from "../../../src/service/executor/tools/rename-file.ts";
import { writeFile } from "../../../src/service/executor/tools/write-file.ts";
import { BorrowedFixture } from "../checkouts/borrowed-fixture.ts";
import { SandboxFixture } from "./sandbox-fixture.ts";

const SECRET = "s3cret-0f-th3-j0b-Qx7";
const left = {
  ".npmrc": `//registry.example.com/:_authToken=${SECRET}\n`,
  ".env": `PORT=8080-and-more-of-it\nexport API_TOKEN="${SECRET}"\n`,
  "app/.env.local": `DATABASE_URL=postgres://app:${SECRET}@db.example.com/app\n`,
  ".docker/config.json": JSON.stringify({ auths: { "r.example.com": { auth: SECRET } } }),
  "gha-creds-0123456789abcdef.json": JSON.stringify({ credential_source: { token: SECRET } }),
  ".netrc": `machine example.com login me password ${SECRET}\n`,
  ".pypirc": `[pypi]\npassword = ${SECRET}\n`,
  "ignored/.npmrc": `_auth=${SECRET}\n`,
  "deploy/kube.yaml": `token: ${SECRET}\n`,
};

let fixture: BorrowedFixture;
let sandboxes: SandboxFixture;
beforeEach(async () => {
  fixture = await BorrowedFixture.make({
    "README.md": "# Fixture\n",
    ".gitignore": "ignored/\nother/\n.env*\n",
    "tracked/.env": "PORT=8080\n",
    "tracked/.npmrc": "engine-strict=true\n",
    "app/.env.example": "API_TOKEN=\n",
  });
  sandboxes = new SandboxFixture();
  for (const [path, text] of Object.entries(left)) write(path, text);
  fixture.variables.KUBECONFIG = at("deploy/kube.yaml");
  const other = at("packages/other");
  execFileSync("git", ["clone", "--quiet", `file://${fixture.upstream.path}`, other]);
  fixture.git(["config", "http.https://github.com/.extraheader", `AUTHORIZATION: basic ${SECRET}`], other);
  fixture.git(["remote", "set-url", "origin", `https://x:${SECRET}@example.com/a.git`], other);
  write(
    "packages/other/.git/modules/sub/config",
    `[remote "origin"]\n\turl = https://x:${SECRET}@e.example/b\n`,
  );
  fixture.git(["worktree", "add", "--quiet", at("tree-of-other")], other);
});
afterEach(async () => {
  await fixture.close();
  await sandboxes.close();
});
const at = (path: string) => join(fixture.root, path);
function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

describe("credentials in the tree", { tags: ["sandbox"] }, () => {
  const search = `grep -rlF ${SECRET} . ; git -C packages/other config --list; echo DONE`;

  it("are not there for commands: files by name and by variable, and git's of other checkouts", async () => {
    const { root, covered } = await fixture.open();
    const sandbox = await sandboxes.find();
    const run = async (shell: string) =>
      (await sandboxes.result(sandbox, shell, { checkout: { root, covered } })).output;
    const found = await run(search);
    expect(found).toMatch(/DONE\n$/);
    expect(found).not.toContain(SECRET);
    expect(found).not.toMatch(/^\.\//m);
    // What the commit has is a part of the repository, and history can be read.
    expect(await run("cat tracked/.env tracked/.npmrc app/.env.example")).toBe(
      "PORT=8080\nengine-strict=true\nAPI_TOKEN=\n",
    );
    expect(await run("git -C packages/other log --format=%s")).toBe("second\nfirst\n");
    expect(await run("echo x > packages/other/.git/hooks/x; echo x >> .npmrc; rm .env; cat .npmrc")).toMatch(
      /Read-only|busy/i,
    );
  });

  it("stay covered where a command moved the folder that they are in", async () => {
    const { root, covered } = await fixture.open();
    const sandbox = await sandboxes.find();
    const run = async (shell: string) =>
      (await sandboxes.result(sandbox, shell, { checkout: { root, covered } })).output;
    await run("mv app moved; mv packages p; mkdir app; echo mine > app/.env.local");
    const found = await run(`cat moved/.env.local app/.env.local; ${search}; git -C p/other config --list`);
    expect(found).toMatch(/^mine\n/);
    expect(found).not.toContain(SECRET);
  });

  it("are a command's own where it makes them", async () => {
    const { root, covered } = await fixture.open();
    const sandbox = await sandboxes.find();
    const place = { checkout: { root, covered } };
    await sandboxes.result(sandbox, "cp app/.env.example tracked/.env.local", place);
    expect((await sandboxes.result(sandbox, "cat tracked/.env.local", place)).output).toBe("API_TOKEN=\n");
  });
});

describe("credentials in the tree", () => {
  it("are out of reach for tools, also where their folder was moved, and in no list", async () => {
    const checkout = await fixture.open();
    const context = { checkout, signal: AbortSignal.timeout(30_000) };
    await renameFile.run({ path: "app", new_path: "moved" }, context);
    for (const path of [".npmrc", "ignored/.npmrc", "moved/.env.local", "deploy/kube.yaml", "./.env"]) {
      await expect(readFile.run({ path }, context)).rejects.toThrow(/holds credentials/);
      await expect(writeFile.run({ path, content: "x" }, context)).rejects.toThrow(/holds credentials/);
    }
    expect(await checkout.files()).not.toEqual(expect.arrayContaining([".npmrc"]));
    expect((await checkout.workingChanges()).patch).not.toContain(SECRET);
    expect((await readFile.run({ path: "tracked/.env" }, context)).text).toContain("PORT=8080");
  });

  it("are masked wherever they appear, and what is no secret is not", async () => {
    const { covered } = await fixture.open();
    const mask = new SecretMask(covered?.values ?? []);
    const text = `${SECRET} ${Buffer.from(SECRET).toString("base64")} PORT=8080-and-more-of-it r.example.com`;
    expect(mask.apply(text)).toBe("*** *** PORT=8080-and-more-of-it r.example.com");
  });
});
