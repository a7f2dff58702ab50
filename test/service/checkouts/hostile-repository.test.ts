import { appendFile, lstat, mkdir, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { unfoldingPack } from "./packs/pack-fixture.ts";
import { textQuery } from "./text-query.ts";

let fixture: CheckoutFixture;
let marker: string;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
  marker = join(fixture.folder, "was-executed");
});
afterEach(async () => {
  await expect(stat(marker)).rejects.toThrow("ENOENT");
  await fixture.close();
});

async function askEverything(checkout: Checkout): Promise<void> {
  await checkout.files();
  await checkout.recentCommits(10);
  await checkout.changesSinceBase();
  await checkout.findText(textQuery("a"));
}

const pullRequest = { event: "pull_request", baseRef: "main", ref: "refs/pull/7/merge" };

function mergeOf(files: Record<string, string | Buffer>): string {
  const base = fixture.repository.commit({ files: { a: "1\n" } });
  const head = fixture.repository.commit({ files: { ...files, a: "2\n" }, parents: [base] });
  return fixture.repository.commit({ files: { ...files, a: "2\n" }, parents: [base, head] });
}

describe("what a repository brings along", () => {
  it("runs no filter, text conversion or diff program that attributes name", async () => {
    const attributes = "* filter=evil diff=evil working-tree-encoding=UTF-16 ident text eol=crlf\n";
    const files = { ".gitattributes": attributes, a: "x", "plain.txt": "one\n$Id$\n" };
    const checkout = await fixture.open(mergeOf(files), { source: pullRequest });
    await appendFile(join(checkout.root, "..", "git", "config"), configuredPrograms());
    await askEverything(checkout);
    expect(await readFile(join(checkout.root, "plain.txt"), "utf8")).toBe("one\n$Id$\n");
  });

  it("counts the lines of a file that attributes declare binary", async () => {
    const files = { ".gitattributes": "[attr]hidden -diff -text\na hidden\n*.ts binary\n", "b.ts": "1\n2\n" };
    const checkout = await fixture.open(mergeOf(files), { source: pullRequest });
    const changes = await checkout.changesSinceBase();
    expect(changes?.files.map(({ path, additions }) => [path, additions])).toEqual([
      [".gitattributes", 3],
      ["a", 1],
      ["b.ts", 2],
    ]);
  });

  it("runs no hook and no file system monitor that git's own folder holds", async () => {
    const checkout = await fixture.open(mergeOf({ b: "b" }), { source: pullRequest });
    const git = join(checkout.root, "..", "git");
    await mkdir(join(git, "hooks"));
    for (const hook of [
      "post-checkout",
      "fsmonitor-watchman",
      "reference-transaction",
      "post-index-change",
    ]) {
      await writeFile(join(git, "hooks", hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    await appendFile(join(git, "config"), configuredPrograms());
    await askEverything(checkout);
  });

  it("does not take a bare repository inside the tree for its own", async () => {
    const files = {
      HEAD: "ref: refs/heads/main\n",
      config: configuredPrograms(),
      "objects/keep": "",
      "refs/keep": "",
      "hooks/post-checkout": `#!/bin/sh\ntouch ${marker}\n`,
    };
    const checkout = await fixture.open(fixture.repository.commit({ files }));
    await askEverything(checkout);
    expect(await checkout.recentCommits(5)).toHaveLength(1);
  });

  it.each(["ext::touch MARKER", "file:///etc", "../../octo/fixture.git", "-u./payload"])(
    "fetches no submodule from %s",
    async (url) => {
      const modules = `[submodule "x"]\n\tpath = x\n\turl = ${url.replace("MARKER", marker)}\n\tupdate = !touch ${marker}\n`;
      const submodule = "1".repeat(40);
      const sha = fixture.repository.commit({ files: { ".gitmodules": modules, x: { submodule }, a: "a" } });
      const checkout = await fixture.open(sha);
      await askEverything(checkout);
      expect(await readdir(join(checkout.root, "x"))).toEqual([]);
      expect(await checkout.files()).toEqual([".gitmodules", "a"]);
      expect(fixture.server.requests.filter((request) => !request.includes("/octo/fixture.git/"))).toEqual(
        [],
      );
    },
  );
});

describe("paths", () => {
  it("lists names with line feeds, tabs, quotes, escape codes and bytes that are no UTF-8", async () => {
    const names = ["line\nfeed", "tab\there", 'quote"s', "esc\u001b[31mred", "-rf", ":(top)x", " "];
    const files: Record<string, string> = Object.fromEntries(names.map((name) => [name, "TODO\n"]));
    const base = fixture.repository.commit({ files: {} });
    const head = fixture.repository.commit({ files, parents: [base] });
    const merge = fixture.repository.commit({ files, parents: [base, head] });
    const checkout = await fixture.open(merge, { source: pullRequest });
    const sorted = names.toSorted();
    expect((await checkout.files()).toSorted()).toEqual(sorted);
    expect((await checkout.changesSinceBase())?.files.map((file) => file.path).toSorted()).toEqual(sorted);
    const found = await checkout.findText(textQuery("TODO", { wholeWord: true }));
    expect(found.matches.map((match) => match.path).toSorted()).toEqual(sorted);
    const one = await checkout.findText(textQuery("TODO", { wholeWord: true, path: ":(top)x" }));
    expect(one.matches).toHaveLength(1);
  });

  it("shows a byte that is no UTF-8 as the replacement character", async () => {
    const blob = fixture.repository.blob("TODO\n");
    const record = Buffer.concat([
      Buffer.from("100644 a"),
      Buffer.from([0xff]),
      Buffer.from("z\0"),
      Buffer.from(blob, "hex"),
    ]);
    const tree = fixture.repository.git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
      input: record,
    });
    const checkout = await fixture.open(
      fixture.repository.commitTree(tree, { author: "B\u0001b", subject: "s\u001b[1m" }),
    );
    expect(await checkout.files()).toEqual(["a\ufffdz"]);
    expect((await checkout.recentCommits(1))[0]?.subject).toBe("s\u001b[1m");
  });

  it.each(["..", ".git", ".GIT", ".", "a/b", "git~1", ".g\u200cit"])(
    "refuses a tree with an entry %j",
    async (name) => {
      const blob = fixture.repository.blob("x");
      const inner = fixture.repository.tree([{ mode: "100644", name: "config", sha: blob }]);
      const tree = fixture.repository.tree([{ mode: "40000", name, sha: inner }]);
      const refusal = await fixture.refusal(fixture.repository.commitTree(tree, {}));
      expect(refusal.reason).toBe("clone_refused");
      expect(refusal.detail).toContain("malformed objects");
    },
  );

  it("checks a symbolic link out as a link and follows it nowhere", async () => {
    const secret = join(fixture.folder, "secret");
    await writeFile(secret, "TODO the secret\n");
    const sha = fixture.repository.commit({
      files: { link: { link: secret }, up: { link: ".." }, a: "TODO\n" },
    });
    const checkout = await fixture.open(sha);
    expect((await lstat(join(checkout.root, "link"))).isSymbolicLink()).toBe(true);
    expect(await readlink(join(checkout.root, "up"))).toBe("..");
    const found = await checkout.findText(textQuery("TODO", { wholeWord: true }));
    expect(found.matches.map((match) => match.path)).toEqual(["a"]);
    await checkout.close();
    expect(await readFile(secret, "utf8")).toBe("TODO the secret\n");
  });

  it("writes nothing through a link that another entry hides behind", async () => {
    const target = join(fixture.folder, "target");
    await mkdir(target);
    const inner = fixture.repository.tree([
      { mode: "100644", name: "file", sha: fixture.repository.blob("x") },
    ]);
    const link = fixture.repository.blob(target);
    const tree = fixture.repository.tree([
      { mode: "120000", name: "d", sha: link },
      { mode: "40000", name: "d", sha: inner },
    ]);
    const refusal = await fixture.refusal(fixture.repository.commitTree(tree, {}));
    expect(refusal.reason).toBe("clone_refused");
    expect(await readdir(target)).toEqual([]);
  });
});

describe("the environment", () => {
  it("passes on no variable but those that git needs", async () => {
    const sha = fixture.repository.commit({ files: { a: "a" } });
    const shim = join(fixture.folder, "git-shim");
    const dump = join(fixture.folder, "environment");
    await mkdir(shim);
    const script = `#!/bin/sh\nenv >> ${dump}\nPATH=${process.env.PATH} exec git "$@"\n`;
    await writeFile(join(shim, "git"), script, { mode: 0o755 });
    const environment = {
      PATH: `${shim}:${process.env.PATH}`,
      DATABASE_URL: "postgres://s3cret",
      GIT_SSH_COMMAND: "evil",
      LD_PRELOAD: "",
      no_proxy: "127.0.0.1",
    };
    await fixture.open(sha, { environment });
    const lines = (await readFile(dump, "utf8")).split("\n");
    const names = new Set(lines.map((line) => line.split("=")[0] ?? ""));
    for (const name of ["", "PWD", "OLDPWD", "_", "SHLVL"]) names.delete(name);
    expect([...names].toSorted()).toEqual([
      "GIT_ALLOC_LIMIT",
      "GIT_ALLOW_PROTOCOL",
      "GIT_ASKPASS",
      "GIT_ATTR_NOSYSTEM",
      "GIT_CONFIG_GLOBAL",
      "GIT_CONFIG_NOSYSTEM",
      "GIT_DIR",
      "GIT_NO_LAZY_FETCH",
      "GIT_OPTIONAL_LOCKS",
      "GIT_TERMINAL_PROMPT",
      "GIT_WORK_TREE",
      "HOME",
      "LC_ALL",
      "PATH",
      "no_proxy",
    ]);
  });
});

/** Every setting of git that starts a program, pointed at the marker. */
function configuredPrograms(): string {
  const program = `touch ${marker}`;
  return `
[core]
\tfsmonitor = ${program}
\tsshCommand = ${program}
\tpager = ${program}
[diff]
\texternal = ${program}
[diff "evil"]
\tcommand = ${program}
\ttextconv = ${program}
[filter "evil"]
\tsmudge = ${program}
\tclean = ${program}
\tprocess = ${program}
\trequired = true
`;
}

describe("a history that unfolds to far more than it weighs", () => {
  /** Its last commit has one small file; the one before it has files that are one difference each, of 16 MB. */
  const unfoldingHistory = (differences: number) => {
    const pack = unfoldingPack(differences);
    fixture.repository.git(["index-pack", "--stdin"], { input: pack });
    const blobs = fixture.repository
      .git(["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"])
      .split("\n")
      .flatMap((line) => (line.startsWith("blob ") ? [line.slice("blob ".length)] : []));
    const tree = fixture.repository.git(["mktree"], {
      input: blobs.map((blob, place) => `100644 blob ${blob}\tfile-${place}\n`).join(""),
    });
    const first = fixture.repository.commitTree(tree, {});
    return fixture.repository.commit({ files: { a: "1\n" }, parents: [first] });
  };

  it("is refused with what it unfolds to and what may be", async () => {
    const sha = unfoldingHistory(8);
    const refusal = await fixture.refusal(sha, { limits: { maxUnfoldedBytes: 100_000_000 } });
    expect(refusal).toMatchObject({
      reason: "clone_too_large",
      detail: expect.stringMatching(
        /: the objects of its recent history have 129 MB together, this service allows 100 MB; leave large generated files out/,
      ),
    });
    const checkout = await fixture.open(sha, { limits: { maxUnfoldedBytes: 130_000_000 } });
    expect(await readFile(join(checkout.root, "a"), "utf8")).toBe("1\n");
  });

  it("ends with the processor time that it may take", async () => {
    const refusal = await fixture.refusal(unfoldingHistory(100), { limits: { maxCpuSeconds: 1 } });
    expect(refusal).toMatchObject({
      reason: "clone_timed_out",
      detail: expect.stringContaining(
        "git was ended while it unfolded its objects, for which it may take 1 s of processor time; leave large",
      ),
    });
  });
});
