// What ends a service before it serves: one sentence for the operator, an exit code, and never a process that stays.

import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { createTestSchema } from "../support/stores/postgres-schema.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-start-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const serve = (dataDir: string, env: Record<string, string> = {}) =>
  runCommand(["serve", "--port", "0", "--data-dir", dataDir], env);

describe("a start that cannot succeed says why in one line, and ends with 1", () => {
  it("where the data folder is a file", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const dataDir of [file, join(file, "below")]) {
      expect(await serve(dataDir)).toEqual({
        code: 1,
        signal: null,
        stdout: "",
        stderr: `Data folder "${dataDir}" cannot be used: it, or what should be a folder above it, is a file (EEXIST). Give a folder that this process can write to, with --data-dir or DATA_DIR.\n`,
      });
    }
  });

  it("where no folder can be made", { tags: ["linux"] }, async () => {
    const { code, stdout, stderr } = await serve("/proc/agent-service/data");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^Data folder "\/proc\/agent-service\/data" cannot be used: no folder .+DATA_DIR\.\n$/,
    );
    const keys = await runCommand(["keys", "create", "--data-dir", "/proc/agent-service"]);
    expect([keys.code, keys.stdout]).toEqual([1, ""]);
    expect(keys.stderr).toMatch(/^Data folder "\/proc\/agent-service" cannot be used: .+\n$/);
  });

  it("where git is missing, or too old", async () => {
    const missing = await serve(folder, { PATH: folder });
    expect([missing.code, missing.stdout]).toEqual([1, ""]);
    expect(missing.stderr).toBe(
      'The program "git" is not in PATH: no run could get its repository. Install git 2.39 or newer where PATH finds it.\n',
    );
    const programs = join(folder, "programs");
    await mkdir(programs);
    await writeFile(join(programs, "git"), "#!/bin/sh\necho git version 1.8.3.1\n", { mode: 0o755 });
    const old = await serve(folder, { PATH: programs });
    expect([old.code, old.stdout]).toEqual([1, ""]);
    expect(old.stderr).toBe(
      'The program "git" in PATH is 1.8, too old. Install git 2.39 or newer where PATH finds it.\n',
    );
  });

  it("where a file is in the place of the checkouts' folder, after it listens", async () => {
    await writeFile(join(folder, "checkouts"), "");
    const { code, stderr } = await serve(folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The service could not start: .*checkouts.*\n$/);
  });

  it("where PostgreSQL has no connection left to hear the other nodes by, after it listens", {
    tags: ["postgres"],
  }, async () => {
    const schema = await createTestSchema({ isEmpty: false });
    const role = `one_connection_${process.pid}`;
    // Not a superuser: those have connections without a limit.
    await schema.query(`create role ${role} login connection limit 1`);
    const url = new URL(schema.url);
    url.username = role;
    url.searchParams.set("options", `-c search_path=${role}`);
    await schema.query(`create schema ${role} authorization ${role}`);
    try {
      const { code, stderr } = await serve(folder, { DATABASE_URL: url.href });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The service could not start: too many connections for role .+\n$/);
    } finally {
      await schema.query(`drop schema ${role} cascade`);
      await schema.query(`drop role ${role}`);
      await schema.drop();
    }
  });

  it("where the disk is full", { tags: ["small-disk"] }, async () => {
    const disk = SmallDisk.mount(1);
    disk?.fill();
    try {
      const { code, stdout, stderr } = await serve(join(disk?.folder ?? ""));
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^Data folder ".+" cannot be used: its disk is full \(ENOSPC\)\. .+\n$/);
    } finally {
      disk?.unmount();
    }
  });
});

it("ends at the first SIGTERM while its start waits for a database that never answers", async () => {
  const connections = new Set<Socket>();
  const silent = createServer((socket) => void connections.add(socket.on("error", () => {}))).listen(
    0,
    "127.0.0.1",
  );
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const service = new ServiceProcess(["serve", "--port", "0", "--data-dir", folder], {
    DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing`,
  });
  await once(silent, "connection");
  service.signal("SIGTERM");
  const { code, signal, stdout, stderr } = await service.ended;
  // Killed by itself where what it waits for cannot be interrupted.
  expect([0, "SIGKILL"]).toContain(code ?? signal);
  expect([stdout, stderr]).toEqual(["", ""]);
  for (const connection of connections) connection.destroy();
  silent.close();
});
