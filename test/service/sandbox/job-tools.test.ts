// Commands of an embedded service see the job's tools: real bubblewrap, a home and a tool cache made for the test.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { secretHomePlaces } from "../../../src/service/sandbox/secret-places.ts";
import { SandboxFixture, SECRET } from "./sandbox-fixture.ts";

let fixture: SandboxFixture;
let job: string;
let home: string;
let checkout: string;

beforeEach(() => {
  fixture = new SandboxFixture();
  job = `${fixture.dataDir}-job`;
  home = join(job, "home");
  checkout = join(home, "work", "repo", "repo");
  mkdirSync(checkout, { recursive: true });
});
afterEach(async () => {
  await fixture.close();
  execFileSync("rm", ["-rf", job]);
});

function write(path: string, content: string, mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const program = (path: string, says: string) => write(path, `#!/bin/sh\necho ${says}\n`, 0o755);

function findSandbox(environment: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  return fixture.find({
    environment: {
      SANDBOX: "bubblewrap",
      PATH: process.env.PATH ?? "",
      HOME: home,
      RUNNER_TEMP: join(job, "_temp"),
      ...environment,
    },
    config: { job: { checkout } },
  });
}

async function output(sandbox: Sandbox, shell: string): Promise<string> {
  const { output: text } = await fixture.result(sandbox, shell, { checkout: { root: checkout } });
  return text;
}

describe("the tools of a job", { tags: ["sandbox"] }, () => {
  it("come from its tool cache before the machine's, with the job's PATH", async () => {
    const cache = join(job, "tools");
    program(join(cache, "node", "99.1.0", "x64", "bin", "node"), "v99.1.0");
    program(join(cache, "node", "98.0.0", "x64", "bin", "node"), "v98.0.0");
    const bin = join(cache, "node", "99.1.0", "x64", "bin");
    const sandbox = await findSandbox({ RUNNER_TOOL_CACHE: cache, PATH: `${bin}:${process.env.PATH}` });
    expect(await output(sandbox, "node --version; command -v node")).toBe(`v99.1.0\n${bin}/node\n`);
    const write = await output(sandbox, `ls ${cache}/node; touch ${bin}/planted || echo REFUSED`);
    expect(write).toMatch(/^98\.0\.0\n99\.1\.0\n[\s\S]*REFUSED\n$/);
  });

  it("find the checkout at the job's path, and a home of the job's name that is empty and can be written", async () => {
    write(join(home, "private.txt"), SECRET);
    program(join(checkout, ".venv", "bin", "python"), "from the environment");
    const tool = write(join(checkout, ".venv", "bin", "pytest"), `#!${checkout}/.venv/bin/python\n`, 0o755);
    const sandbox = await findSandbox();
    expect(await output(sandbox, "pwd; echo $HOME; ls -A ~; touch ~/made && echo ok")).toBe(
      `${checkout}\n${home}\nwork\nok\n`,
    );
    // A shell script as interpreter is refused by the kernel; that its path is found is what counts.
    expect(await output(sandbox, `test -x "$(sed -n 's/^#!//p' ${tool})" && echo FOUND`)).toBe("FOUND\n");
  });

  it("hold nothing that the checkout can change: its own folders of PATH are left out, links included", async () => {
    program(join(checkout, "bin", "planted"), "from the checkout");
    program(join(job, "outside", "honest"), "from outside");
    symlinkSync(join(job, "outside"), join(checkout, "linked"));
    symlinkSync(join(checkout, "bin"), join(job, "into-checkout"));
    const path = [
      join(checkout, "bin"),
      join(checkout, "linked"),
      join(job, "into-checkout"),
      dirname(checkout),
    ];
    const sandbox = await findSandbox({ PATH: [...path, process.env.PATH].join(":") });
    const seen = await output(sandbox, "echo $PATH; command -v planted honest || echo NONE");
    expect(seen).toContain("NONE\n");
    for (const folder of path) expect(seen.split("\n")[0]?.split(":")).not.toContain(folder);
    const honest = await findSandbox({ PATH: `${join(job, "outside")}:${process.env.PATH}` });
    expect(await output(honest, "honest")).toBe("from outside\n");
  });

  it("bring what programs load from beside them, and the packages beside node_modules/.bin", async () => {
    write(join(job, "ruby", "lib", "rb.sh"), "echo library");
    write(join(job, "ruby", "bin", "rb"), `#!/bin/sh\n. ${job}/ruby/lib/rb.sh\n`, 0o755);
    write(join(job, "ruby", "secrets", "key"), SECRET);
    program(join(home, "setup-pnpm", "node_modules", "pnpm", "bin.sh"), "pnpm 9");
    mkdirSync(join(home, "setup-pnpm", "node_modules", ".bin"));
    symlinkSync("../pnpm/bin.sh", join(home, "setup-pnpm", "node_modules", ".bin", "pnpm"));
    const bins = [join(job, "ruby", "bin"), join(home, "setup-pnpm", "node_modules", ".bin")];
    const sandbox = await findSandbox({ PATH: [...bins, process.env.PATH].join(":") });
    expect(await output(sandbox, `rb; pnpm; ls ${job}/ruby`)).toBe("library\npnpm 9\nbin\nlib\n");
  });

  it("are named by the job's variables, as far as they are visible and no secret", async () => {
    program(join(job, "jdk", "bin", "java"), "java 99");
    mkdirSync(join(job, "gone"));
    const sandbox = await findSandbox({
      JAVA_HOME: join(job, "jdk"),
      JAVA_HOME_99_X64: join(job, "jdk"),
      GOROOT: join(checkout, "go"),
      DOTNET_ROOT: join(home, ".config"),
      LD_LIBRARY_PATH: `${checkout}/lib:/usr/lib`,
      CI: "true",
      GITHUB_TOKEN: SECRET,
      RUSTUP_TOOLCHAIN: `stable ${SECRET}; x`,
    });
    const seen = await output(sandbox, "$JAVA_HOME/bin/java; env");
    expect(seen).toContain("java 99\n");
    expect(seen).toMatch(/^JAVA_HOME_99_X64=/m);
    expect(seen).toMatch(/^LD_LIBRARY_PATH=\/usr\/lib$/m);
    expect(seen).toMatch(/^CI=true$/m);
    expect(seen).not.toMatch(/GOROOT|DOTNET_ROOT|RUSTUP_TOOLCHAIN/);
    expect(seen).not.toContain(SECRET);
  });
});

const unsearched = () => fixture.lines.filter((line) => line.includes("too many folders to search"));

describe("the caches of a job's home", { tags: ["sandbox"] }, () => {
  it("are read-only, while what package managers write beside them can be written", async () => {
    write(join(home, ".npm", "_cacache", "content-v2", "sha512", "aa", "bb"), "tarball");
    write(join(home, ".npm", "_cacache", "index-v5", "aa", "bb"), "index");
    write(join(home, ".npm", "_logs", "debug.log"), SECRET);
    write(join(home, ".cargo", "registry", "cache", "index.crates.io-1", "a-1.0.0.crate"), "crate");
    write(join(home, ".cargo", "credentials.toml"), SECRET);
    write(
      join(home, ".gradle", "wrapper", "dists", "gradle-9-bin", "hash", "gradle-9", "bin", "gradle"),
      "x",
    );
    write(join(home, ".gradle", "caches", "modules-2", "files-2.1", "a"), "jar");
    write(join(home, ".gradle", "caches", "modules-2", "gc.properties"), "");
    const sandbox = await findSandbox();
    const seen = await output(
      sandbox,
      [
        "cat ~/.npm/_cacache/content-v2/sha512/aa/bb ~/.cargo/registry/cache/index.crates.io-1/a-1.0.0.crate; echo",
        "touch ~/.npm/_cacache/content-v2/planted || echo REFUSED",
        "mkdir -p ~/.npm/_cacache/tmp ~/.npm/_logs && touch ~/.npm/_cacache/tmp/x ~/.npm/_logs/y ~/.cargo/.lock && echo WRITTEN",
        "touch ~/.gradle/wrapper/dists/gradle-9-bin/hash/gradle-9.zip.lck && echo LOCKED",
        "ls $GRADLE_RO_DEP_CACHE/modules-2",
        "ls -A ~/.cargo ~/.npm/_logs",
      ].join("; "),
    );
    expect(seen).toMatch(/^tarballcrate\n[\s\S]*REFUSED\nWRITTEN\nLOCKED\n/);
    expect(seen).toContain("files-2.1\n");
    expect(seen).not.toMatch(/gc\.properties|credentials|debug\.log/);
    expect(readFileSync(join(home, ".npm", "_cacache", "content-v2", "sha512", "aa", "bb"), "utf8")).toBe(
      "tarball",
    );
  });

  it("show none of the known places of credentials, whatever lies there", async () => {
    for (const place of secretHomePlaces) {
      const isFolder = [
        ".config",
        ".docker",
        ".aws",
        ".ssh",
        ".gnupg",
        ".kube",
        ".claude",
        ".codex",
      ].includes(place);
      write(join(home, place, ...(isFolder ? ["file"] : [])), SECRET);
    }
    write(join(home, ".npm", "_cacache", "content-v2", "x"), "x");
    write(join(home, ".local", "share", "pnpm", "store", "v10", "files", "x"), "x");
    const sandbox = await findSandbox();
    expect(
      await output(
        sandbox,
        `ls ~/.npm/_cacache; grep -rl ${SECRET} ${job} /tmp /etc /home /run 2>/dev/null; echo DONE`,
      ),
    ).toBe("content-v2\nDONE\n");
  });

  it.each([
    ["is a link to one", () => symlinkSync(join(home, ".docker"), join(home, ".local", "bin"))],
    [
      "is a link to a folder in one",
      () => symlinkSync(join(home, ".docker", "deep"), join(home, ".local", "bin")),
    ],
    ["is a link to the home", () => symlinkSync(home, join(home, ".local", "bin"))],
    ["is a link to the root", () => symlinkSync("/", join(home, ".local", "bin"))],
    ["is a link to the runner's files", () => symlinkSync(join(job, "_temp"), join(home, ".local", "bin"))],
    ["holds a link to one", () => linked(join(home, ".docker", "config.json"), "link")],
    ["holds one by name", () => write(join(home, ".local", "bin", ".npmrc"), SECRET)],
    ["holds one by name, deeper", () => write(join(home, ".local", "bin", "a", "etc", "npmrc"), SECRET)],
    ["holds a folder of them", () => write(join(home, ".local", "bin", ".aws", "x"), SECRET)],
  ])("show no credentials where a folder of programs %s", async (_, make) => {
    write(join(home, ".docker", "config.json"), SECRET);
    write(join(home, ".docker", "deep", "config.json"), SECRET);
    write(join(job, "_temp", "event.json"), SECRET);
    mkdirSync(join(home, ".local"), { recursive: true });
    make();
    const sandbox = await findSandbox({ PATH: `${home}/.local/bin:${process.env.PATH}` });
    const seen = await output(
      sandbox,
      `cat ~/.local/bin/* ~/.local/bin/.* ; grep -rl ${SECRET} ${job} 2>/dev/null; echo DONE`,
    );
    expect(seen).toMatch(/DONE\n$/);
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toMatch(/^\/.*(npmrc|config\.json|event\.json)$/m);
  });

  it("cover a credential that a variable names, also inside a tool's folder", async () => {
    const cache = join(job, "tools");
    program(join(cache, "bin", "tool"), "tool");
    write(join(cache, "state", "service.json"), SECRET);
    const sandbox = await findSandbox({
      RUNNER_TOOL_CACHE: cache,
      GOOGLE_APPLICATION_CREDENTIALS: join(cache, "state", "service.json"),
      PATH: `${join(cache, "bin")}:${process.env.PATH}`,
    });
    expect(await output(sandbox, `tool; cat ${cache}/state/service.json; echo DONE`)).toBe("tool\nDONE\n");
  });

  it("leave time to find credentials among the tools, however many downloads there are", async () => {
    const downloads = join(home, ".npm", "_cacache", "index-v5");
    for (let folder = 0; folder < 5_200; folder += 1) {
      const name = folder.toString(16).padStart(4, "0");
      mkdirSync(join(downloads, name.slice(0, 2), name.slice(2)), { recursive: true });
    }
    const cache = join(job, "tools");
    const npmrc = write(join(cache, "node", "99.1.0", "x64", "etc", "npmrc"), SECRET);
    const sandbox = await findSandbox({ RUNNER_TOOL_CACHE: cache });
    expect(await output(sandbox, `ls ${downloads} | wc -l; wc -c < ${npmrc}`)).toBe("21\n0\n");
    expect(unsearched()).toEqual([]);
  });

  it("show no credentials where a variable or a link makes another folder of one", async () => {
    const npmrc = write(join(job, "composer", "npmrc"), SECRET);
    const auth = write(join(job, "composer", "deeper", "down", "auth.json"), SECRET);
    const linked = write(join(job, "elsewhere", "npmrc"), SECRET);
    mkdirSync(join(home, ".m2"), { recursive: true });
    symlinkSync(dirname(linked), join(home, ".m2", "repository"));
    const sandbox = await findSandbox({ COMPOSER_CACHE_DIR: join(job, "composer") });
    const inside = [
      `.composer/cache/${npmrc.slice(join(job, "composer").length + 1)}`,
      `.composer/cache/${auth.slice(join(job, "composer").length + 1)}`,
      ".m2/repository/npmrc",
    ];
    expect(await output(sandbox, `cd ~; wc -c ${inside.join(" ")} | sed 's/ *//'`)).toBe(
      [...inside.map((path) => `0 ${path}`), "0 total", ""].join("\n"),
    );
  });

  it("name a folder that is too large to be searched, which takes nothing from the others", async () => {
    const large = join(job, "large");
    for (let folder = 0; folder < 5_000; folder += 1)
      mkdirSync(join(large, "many", String(folder)), { recursive: true });
    const npmrc = write(join(job, "tools", "node", "99.1.0", "x64", "etc", "npmrc"), SECRET);
    const sandbox = await findSandbox({
      RUNNER_TOOL_CACHE: join(job, "tools"),
      PATH: `${large}:${process.env.PATH}`,
    });
    expect(await output(sandbox, `wc -c < ${npmrc}`)).toBe("0\n");
    expect(unsearched()).toEqual([
      `warn Not every file of credentials is covered in ${large}, which commands see: there are too many folders to search. Keep credentials elsewhere.`,
    ]);
  });

  it("follow the variables that move them", async () => {
    write(join(job, "cargo", "registry", "index", "i"), "index\n");
    write(join(job, "cargo", "credentials.toml"), SECRET);
    program(join(job, "cargo", "bin", "cargo"), "cargo 9");
    const sandbox = await findSandbox({
      CARGO_HOME: join(job, "cargo"),
      PATH: `${join(job, "cargo", "bin")}:${process.env.PATH}`,
    });
    expect(await output(sandbox, `cargo; cat ~/.cargo/registry/index/i; ls -A ${job}/cargo`)).toBe(
      "cargo 9\nindex\nbin\n",
    );
  });

  it("are not those of a home that lies in the checkout", async () => {
    const inside = join(checkout, ".home");
    program(join(inside, ".local", "bin", "planted"), "planted");
    const sandbox = await findSandbox({ HOME: inside, PATH: `${inside}/.local/bin:${process.env.PATH}` });
    expect(await output(sandbox, "echo $HOME; command -v planted || echo NONE")).toBe("/home/agent\nNONE\n");
  });
});

describe("a home that stays between commands", { tags: ["sandbox"] }, () => {
  it("keeps what they write, and no link of theirs leads a mount elsewhere", async () => {
    write(join(home, ".npm", "_cacache", "content-v2", "x"), "cached\n");
    const kept = join(job, "kept");
    const elsewhere = join(job, "elsewhere");
    mkdirSync(kept);
    mkdirSync(elsewhere);
    const sandbox = await findSandbox();
    const run = async (shell: string) =>
      (await fixture.result(sandbox, shell, { checkout: { root: checkout, home: kept } })).output;
    expect(await run("cat ~/.npm/_cacache/content-v2/x; echo one > ~/mine")).toBe("cached\n");
    const attack = `cat ~/mine; mv ~/.npm ~/away; ln -s /oldroot${elsewhere} ~/.npm; ln -s ${elsewhere} ~/.npm2; mv ~/work ~/w; ln -s /oldroot${elsewhere} ~/work; ls -d ~/.npm`;
    expect(await run(attack)).toBe(`one\n${home}/.npm\n`);
    expect(await run("cat ~/.npm/_cacache/content-v2/x; pwd")).toBe(`cached\n${checkout}\n`);
    expect(execFileSync("find", [elsewhere], { encoding: "utf8" })).toBe(`${elsewhere}\n`);
  });
});

function linked(source: string, name: string): void {
  mkdirSync(join(home, ".local", "bin"), { recursive: true });
  symlinkSync(source, join(home, ".local", "bin", name));
}
