import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findBlockers } from "../../../src/service/sandbox/sandbox-blockers.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "blockers-test-"));
  mkdirSync(join(folder, "bin"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(...names: readonly string[]): void {
  for (const name of names) {
    writeFileSync(join(folder, "bin", name), "#!/bin/sh\n");
    chmodSync(join(folder, "bin", name), 0o755);
  }
}

function set(name: string, value: string): void {
  const path = join(folder, "sys", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${value}\n`);
}

const blockers = () => findBlockers(join(folder, "bin"), join(folder, "sys"));

describe("what keeps bubblewrap from working", () => {
  it("is nothing where the programs are there and the kernel has no restriction, or none that is on", async () => {
    install("bwrap", "prlimit");
    expect(await blockers()).toEqual([]);
    set("kernel/apparmor_restrict_unprivileged_userns", "0");
    set("user/max_user_namespaces", "15000");
    expect(await blockers()).toEqual([]);
  });

  it("is named all at once", async () => {
    expect(await blockers()).toEqual(["no_bubblewrap", "no_prlimit"]);
    set("kernel/apparmor_restrict_unprivileged_userns", "1");
    expect(await blockers()).toEqual(["no_bubblewrap", "no_prlimit", "apparmor"]);
    install("bwrap", "prlimit");
    expect(await blockers()).toEqual(["apparmor"]);
    set("user/max_user_namespaces", "0");
    expect(await blockers()).toEqual(["no_user_namespaces", "apparmor"]);
  });

  it("is also Debian's switch for user namespaces", async () => {
    install("bwrap", "prlimit");
    set("kernel/unprivileged_userns_clone", "0");
    expect(await blockers()).toEqual(["no_user_namespaces"]);
  });
});
