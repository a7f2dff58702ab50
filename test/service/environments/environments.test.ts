// The cache of setups: who reads what, and what an attacker may try. Each attack is executed in a real sandbox.

import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EnvironmentsFixture, MEGABYTE } from "./environments-fixture.ts";

const INSTALL = "mkdir -p node_modules/a && echo good > node_modules/a/index && echo good > ~/tool";
const READ = "cat node_modules/a/index ~/tool 2>&1; ls -A node_modules ~ | tr '\\n' ' '";
const GOOD = "good\ngood\n/home/agent: tool  node_modules: a ";

describe("the cache of setups", { tags: ["sandbox"] }, () => {
  let fixture: EnvironmentsFixture;
  beforeEach(async () => {
    fixture = await EnvironmentsFixture.make();
  });
  afterEach(() => fixture.close());

  const commit = (files: Readonly<Record<string, string | { readonly link: string }>> = {}) =>
    fixture.git.repository.commit({
      files: { ".gitignore": "node_modules/\n*.log\n", "package-lock.json": "{}", ...files },
    });
  const pullRequest = (number: number) => ({ class: { pullRequest: number } });

  it("gives a later run what an equal setup left, in tree and home, with modes and times", async () => {
    const sha = commit();
    const script = `${INSTALL}; chmod 755 ~/tool; touch -d 2020-01-01 node_modules/a/index; ln -s a node_modules/b; mkfifo node_modules/pipe; chmod 555 node_modules/a`;
    const first = await fixture.prepare(sha, script);
    expect(first.state).toBe("executed");
    const second = await fixture.prepare(sha, script);
    expect(second.state).toBe("cached");
    expect(
      await fixture.command(second, "cat node_modules/b/index ~/tool; ls node_modules | tr '\\n' ' '"),
    ).toBe("good\ngood\na b ");
    const root = second.checkout.root;
    expect(statSync(join(root, "node_modules/a/index")).mtime.getUTCFullYear()).toBe(2020);
    expect(statSync(join(second.home ?? "", "tool")).mode & 0o777).toBe(0o755);
    expect((await second.checkout.workingChanges()).files).toEqual([]);
    expect(await fixture.entries()).toHaveLength(1);
  });

  it.each([
    ["the script", {}, `${INSTALL}; true`, "1"],
    ["a lock file", { "package-lock.json": '{"changed":true}' }, INSTALL, "1"],
    ["a lock file of a folder", { "packages/a/requirements-dev.txt": "x==1" }, INSTALL, "1"],
    ["the repository", {}, INSTALL, "2"],
  ])("is another one where %s is another", async (_, files, script, id) => {
    await fixture.prepare(commit(), INSTALL);
    const repository = { issuer: "https://issuer.example", id };
    const other = await fixture.prepare(commit(files), script, { repository });
    expect(other.state).toBe("executed");
    expect((await fixture.prepare(commit(files), script, { repository })).state).toBe("cached");
  });

  it("goes by manifests where there is no lock file", async () => {
    const files = { "package-lock.json": { link: "nowhere" }, "package.json": "1" };
    const of = (text: string) =>
      fixture.git.repository.commit({ files: { ".gitignore": "node_modules/\n", "package.json": text } });
    await fixture.prepare(of("1"), INSTALL);
    expect((await fixture.prepare(of("2"), INSTALL)).state).toBe("executed");
    expect((await fixture.prepare(of("1"), INSTALL)).state).toBe("cached");
    expect((await fixture.prepare(commit(files), INSTALL)).state).toBe("executed");
  });

  it("keeps nothing of a setup that failed", async () => {
    const sha = commit();
    expect((await fixture.prepare(sha, `${INSTALL}; exit 1`)).state).toBe("failed");
    expect(await fixture.entries()).toEqual([]);
  });

  it("lets a pull request read what writers' runs left, and not the other way round", async () => {
    const sha = commit();
    const evil = "mkdir -p node_modules/a && echo EVIL > node_modules/a/index && echo EVIL > ~/tool";
    // The same script: what differs is what the head's own files make of it.
    const script = `sh -c "$(cat install 2>/dev/null || echo '${INSTALL}')"`;
    const head = commit({ install: evil });
    expect((await fixture.prepare(head, script, pullRequest(7))).state).toBe("executed");
    const trusted = await fixture.prepare(sha, script);
    expect(trusted.state).toBe("executed");
    expect(await fixture.command(trusted, READ)).toBe(GOOD);
    // Another pull request finds the trusted one, not that of the seventh.
    const other = await fixture.prepare(head, script, pullRequest(8));
    expect(other.state).toBe("cached");
    expect(await fixture.command(other, READ)).toBe(GOOD);
    const nobody = await fixture.prepare(head, script, { class: null });
    expect([nobody.state, await fixture.command(nobody, READ)]).toEqual(["cached", GOOD]);
    const own = await fixture.prepare(head, script, pullRequest(7));
    expect([own.state, await fixture.command(own, "cat ~/tool")]).toEqual(["cached", "EVIL\n"]);
    expect(await fixture.entries()).toHaveLength(2);
  });

  it.each([
    ["writes in place", "echo EVIL > node_modules/a/index; echo EVIL > ~/tool"],
    ["appends", "printf EVIL >> node_modules/a/index; printf EVIL >> ~/tool"],
    ["truncates", ": > node_modules/a/index; : > ~/tool"],
    [
      "replaces folders by links",
      "rm -r node_modules; ln -s /home/agent node_modules; ln -sf /etc/passwd ~/tool",
    ],
    [
      "makes hard links and writes to them",
      "ln node_modules/a/index x; ln ~/tool ~/y; echo EVIL > x; echo EVIL > ~/y",
    ],
    ["changes modes", "chmod 000 node_modules/a ~/tool; chmod 7777 node_modules"],
    [
      "maps a file and writes to it",
      `python3 -c "import mmap;f=open('node_modules/a/index','r+b');m=mmap.mmap(f.fileno(),0);m[0:4]=b'EVIL'"`,
    ],
  ])("is not changed by an agent that %s", async (_, attack) => {
    const sha = commit();
    const first = await fixture.prepare(sha, INSTALL);
    await fixture.command(first, attack);
    const read = await fixture.prepare(sha, INSTALL, pullRequest(7));
    expect(read.state).toBe("cached");
    await fixture.command(read, attack);
    const next = await fixture.prepare(sha, INSTALL);
    expect([next.state, await fixture.command(next, READ)]).toEqual(["cached", GOOD]);
  });

  it("copies links as links: none leads a copy out of tree or home, and nothing of the machine comes in", async () => {
    const outside = join(fixture.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "SECRET");
    const script = [
      `mkdir node_modules; ln -s ${outside} node_modules/out; ln -s ${outside}/secret x.log`,
      `ln -s ${outside} ~/out; ln -s / ~/root; ln -s ../../../../.. node_modules/up; touch ~/tool`,
    ].join("\n");
    const sha = commit();
    await fixture.prepare(sha, script);
    const [entry = ""] = await fixture.entries();
    const kept = join(fixture.cacheFolder, entry);
    for (const path of ["tree/node_modules/out", "tree/x.log", "home/out", "home/root"])
      expect(lstatSync(join(kept, path)).isSymbolicLink(), path).toBe(true);
    const second = await fixture.prepare(sha, script);
    expect(second.state).toBe("cached");
    expect(lstatSync(join(second.checkout.root, "node_modules", "out")).isSymbolicLink()).toBe(true);
    expect(
      await fixture.command(second, `cat x.log node_modules/out/secret ~/out/secret 2>&1`),
    ).not.toContain("SECRET\n");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  it("follows no link of a head when it copies, and leaves the head's own files as they are", async () => {
    const outside = join(fixture.folder, "outside");
    mkdirSync(outside);
    const script =
      "mkdir -p node_modules packages/a/node_modules && echo x | tee node_modules/x packages/a/node_modules/x";
    await fixture.prepare(commit({ "packages/a/b": "" }), script);
    const heads: readonly Parameters<typeof commit>[0][] = [
      { node_modules: { link: outside }, "packages/a/b": "" },
      { packages: { link: outside } },
      { "packages/a": { link: outside } },
      { "node_modules/mine": "of the head" },
    ];
    for (const files of heads) {
      const read = await fixture.prepare(commit(files), script, pullRequest(7));
      expect(read.state).toBe("cached");
      expect(await readdir(outside)).toEqual([]);
      const mine = join(read.checkout.root, "node_modules", "mine");
      if (files?.["node_modules/mine"] !== undefined) expect(readFileSync(mine, "utf8")).toBe("of the head");
      expect((await read.checkout.workingChanges()).files).toEqual([]);
    }
  });

  it("leaves out what the head does not ignore: it would count as a change", async () => {
    await fixture.prepare(commit(), `${INSTALL}; touch made.log`);
    const head = commit({ ".gitignore": "*.log\n" });
    const read = await fixture.prepare(head, `${INSTALL}; touch made.log`, pullRequest(7));
    expect(read.state).toBe("cached");
    expect((await read.checkout.workingChanges()).files).toEqual([]);
    expect(existsSync(join(read.checkout.root, "made.log"))).toBe(true);
    expect(existsSync(join(read.checkout.root, "node_modules"))).toBe(false);
  });

  it("takes set-user-ID bits from what it copies", async () => {
    const sha = commit();
    const script = `${INSTALL}; chmod 6755 ~/tool; chmod 1777 node_modules`;
    await fixture.prepare(sha, script);
    const [entry = ""] = await fixture.entries();
    expect(statSync(join(fixture.cacheFolder, entry, "home", "tool")).mode & 0o7000).toBe(0);
    const { home } = await fixture.prepare(sha, script);
    expect(statSync(join(home ?? "", "tool")).mode & 0o7777).toBe(0o755);
  });

  it("cannot be reached from a sandbox", async () => {
    await fixture.prepare(commit(), INSTALL);
    const run = await fixture.prepare(commit(), "true");
    const [entry = ""] = await fixture.entries();
    expect(
      await fixture.command(run, `ls ${fixture.cacheFolder} ${join(fixture.cacheFolder, entry)} 2>&1`),
    ).toMatch(/No such file[\s\S]*No such file/);
  });
});

describe("the room of the cache", { tags: ["sandbox"] }, () => {
  let fixture: EnvironmentsFixture;
  const big = (name: string, megabytes: number) => `head -c ${megabytes}M /dev/urandom > ~/${name}`;
  beforeEach(async () => {
    fixture = await EnvironmentsFixture.make(40 * MEGABYTE);
  });
  afterEach(() => fixture.close());
  const commit = () => fixture.git.repository.commit({ files: { "go.sum": "" } });
  const of = (id: string) => ({ repository: { issuer: "https://issuer.example", id } });

  it("ends with the longest unused entry of a repository that has more than a quarter", async () => {
    const sha = commit();
    for (const name of ["a", "b"]) {
      await fixture.prepare(sha, big(name, 4));
      await fixture.clock.advance(10_000);
    }
    expect((await fixture.prepare(sha, big("a", 4))).state).toBe("cached");
    await fixture.clock.advance(10_000);
    await fixture.prepare(sha, big("c", 4));
    expect((await fixture.prepare(sha, big("a", 4))).state).toBe("cached");
    expect((await fixture.prepare(sha, big("b", 4))).state).toBe("executed");
  });

  it("is shared by repositories, the longest unused first", async () => {
    const sha = commit();
    for (const id of ["1", "2", "3", "4", "5"]) {
      await fixture.prepare(sha, big("x", 9), of(id));
      await fixture.clock.advance(10_000);
    }
    expect(await fixture.entries()).toHaveLength(4);
    expect((await fixture.prepare(sha, big("x", 9), of("5"))).state).toBe("cached");
    expect((await fixture.prepare(sha, big("x", 9), of("1"))).state).toBe("executed");
  });

  it("takes nothing larger than a repository's part, sparse files included", async () => {
    const sha = commit();
    for (const script of [big("x", 11), "truncate -s 100G ~/sparse; truncate -s 5G ~/other"]) {
      expect((await fixture.prepare(sha, script)).setup).toMatchObject({ ok: true });
      expect(await fixture.entries()).toEqual([]);
    }
    expect(fixture.sandboxes.lines.join("\n")).toContain("could not be kept");
    expect((await readdir(fixture.cacheFolder)).filter((name) => name.startsWith("unfinished"))).toEqual([]);
  });

  it("has an end for each entry: after a week it is made anew", async () => {
    const sha = commit();
    await fixture.prepare(sha, big("x", 1));
    await fixture.clock.advance(7 * 24 * 3_600_000 + 1);
    expect((await fixture.prepare(sha, big("x", 1))).state).toBe("executed");
  });

  it("is free of what a crash left, at the next start: half an entry is none", async () => {
    const sha = commit();
    await fixture.prepare(sha, big("x", 1));
    const [entry = ""] = await fixture.entries();
    const [repository = ""] = entry.split("/");
    mkdirSync(join(fixture.cacheFolder, "unfinished-aabb", "tree"), { recursive: true });
    const half = join(fixture.cacheFolder, repository, "c".repeat(64));
    mkdirSync(join(half, "home"), { recursive: true });
    await fixture.open(40 * MEGABYTE);
    expect(await readdir(fixture.cacheFolder)).toEqual([repository]);
    expect(await fixture.entries()).toEqual([entry]);
    expect((await fixture.prepare(sha, big("x", 1))).state).toBe("cached");
  });

  it("does not give out an entry that has lost bytes", async () => {
    const sha = commit();
    await fixture.prepare(sha, `${big("x", 1)}; echo whole > ~/y`);
    const [entry = ""] = await fixture.entries();
    writeFileSync(join(fixture.cacheFolder, entry, "home", "x"), "");
    const again = await fixture.prepare(sha, `${big("x", 1)}; echo whole > ~/y`);
    expect(again.state).toBe("executed");
    expect(await fixture.command(again, "cat ~/y; stat -c %s ~/x")).toBe(`whole\n${MEGABYTE}\n`);
    expect((await fixture.prepare(sha, `${big("x", 1)}; echo whole > ~/y`)).state).toBe("cached");
  });

  it("keeps nothing of a run that is stopped meanwhile, and no home of it", async () => {
    const sha = commit();
    const stop = new AbortController();
    const running = fixture.prepare(sha, "sleep 1000", { signal: stop.signal });
    const ended = expect(running).rejects.toThrow("enough");
    const homes = join(fixture.folder, "homes");
    await expect.poll(() => readdir(homes).catch(() => [])).toHaveLength(1);
    stop.abort(new Error("enough"));
    await ended;
    expect(await readdir(homes)).toEqual([]);
    expect(await fixture.entries()).toEqual([]);
  });
});
