// What makes the setups of two runs equal: each file that names versions counts, and no other.

import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import type { EnvironmentRequest } from "../../../src/service/core/checkouts/environment.ts";
import { environmentKeys } from "../../../src/service/environments/environment-key.ts";

const LOCK_FILES =
  "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock poetry.lock uv.lock pdm.lock Pipfile.lock pylock.toml constraints.txt requirements.txt requirements-dev.txt Cargo.lock go.sum Gemfile.lock composer.lock gradle.lockfile packages.lock.json mix.lock pubspec.lock Package.resolved flake.lock conda-lock.yml renv.lock .tool-versions .nvmrc .node-version .python-version .ruby-version rust-toolchain.toml";
const MANIFESTS =
  "package.json pyproject.toml setup.py setup.cfg Cargo.toml go.mod Gemfile composer.json pom.xml build.gradle build.gradle.kts mix.exs Package.swift";

type Files = Readonly<Record<string, string>>;
type Keyed = Partial<Pick<EnvironmentRequest, "class" | "script" | "repository">> & {
  readonly place?: readonly string[];
};

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "environment-key-"));
});
afterAll(() => rm(root, { recursive: true }));

let checkouts = 0;

async function checkoutOf(files: Files): Promise<Checkout> {
  checkouts += 1;
  const folder = join(root, String(checkouts));
  await mkdir(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { root: folder, files: async () => Object.keys(files) } as Pick<
    Checkout,
    "root" | "files"
  > as Checkout;
}

async function keys(checkout: Checkout, { place = ["linux"], ...keyed }: Keyed = {}) {
  const repository = { issuer: "https://issuer.example", id: "1" };
  const request = {
    repository,
    class: "trusted",
    script: "npm ci",
    ...keyed,
    checkout,
  } as EnvironmentRequest;
  return await environmentKeys(request, place);
}

async function keysOf(files: Files, keyed: Keyed = {}) {
  return await keys(await checkoutOf(files), keyed);
}

describe("two setups are equal", () => {
  it.each(LOCK_FILES.split(" "))("only with the same %s, wherever it is", async (name) => {
    for (const path of [name, `packages/a/${name}`]) {
      const [one, other] = [await keysOf({ [path]: "1" }), await keysOf({ [path]: "2" })];
      expect(await keysOf({ [path]: "1" })).toEqual(one);
      expect(other?.own).not.toBe(one?.own);
      expect(other?.trusted).not.toBe(one?.trusted);
    }
    expect((await keysOf({ [`a/${name}`]: "1" }))?.own).not.toBe((await keysOf({ [`b/${name}`]: "1" }))?.own);
  });

  it.each(MANIFESTS.split(" "))(
    "only with the same %s where there is no lock file, and whatever it is beside one",
    async (name) => {
      expect((await keysOf({ [name]: "1" }))?.own).not.toBe((await keysOf({ [name]: "2" }))?.own);
      const beside = async (text: string) => await keysOf({ [name]: text, "yarn.lock": "1" });
      expect(await beside("1")).toEqual(await beside("2"));
    },
  );

  it.each(["README.md", "src/requirements.ts", "my-yarn.lock", "notes.txt"])(
    "whatever %s is",
    async (name) => {
      const beside = async (text: string) => await keysOf({ [name]: text, "yarn.lock": "1" });
      expect(await beside("1")).toEqual(await beside("2"));
    },
  );

  it("only with the same script, place, repository and trust", async () => {
    const files = { "yarn.lock": "1" };
    const plain = await keysOf(files);
    const own = async (keyed: Keyed) => (await keysOf(files, keyed))?.own;
    expect(plain?.own).toBe(plain?.trusted);
    expect(await own({ script: "npm i" })).not.toBe(plain?.own);
    expect(await own({ place: ["darwin"] })).not.toBe(plain?.own);
    const repository = { issuer: "https://issuer.example", id: "2" };
    const others = await keysOf(files, { repository });
    expect(others?.own).not.toBe(plain?.own);
    expect(others?.repository).not.toBe(plain?.repository);
  });
});

it("gives a pull request an entry of its own, and has it read what writers made", async () => {
  const files = { "yarn.lock": "1" };
  const [plain, one, other] = [
    await keysOf(files),
    await keysOf(files, { class: { pullRequest: 1 } }),
    await keysOf(files, { class: { pullRequest: 2 } }),
  ];
  expect(new Set([plain?.own, one?.own, other?.own]).size).toBe(3);
  expect(one?.trusted).toBe(plain?.own);
  expect((await keysOf(files, { class: null }))?.own).toBeNull();
});

it("follows no link, and compares neither too many files nor too large ones", async () => {
  const linked = await checkoutOf({ "yarn.lock": "1" });
  await rm(join(linked.root, "yarn.lock"));
  await symlink("/etc/hostname", join(linked.root, "yarn.lock"));
  const dangling = await checkoutOf({ "yarn.lock": "1" });
  await rm(join(dangling.root, "yarn.lock"));
  await symlink("nowhere", join(dangling.root, "yarn.lock"));
  expect(await keys(linked)).toEqual(await keys(dangling));

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}/yarn.lock`, ""]));
  expect(await keysOf(many(500))).not.toBeNull();
  expect(await keysOf(many(501))).toBeNull();

  const large = await checkoutOf({ "yarn.lock": "" });
  await truncate(join(large.root, "yarn.lock"), 32 * 1024 * 1024);
  expect(await keys(large)).not.toBeNull();
  await truncate(join(large.root, "yarn.lock"), 32 * 1024 * 1024 + 1);
  expect(await keys(large)).toBeNull();
});
