// `agent-service serve` and its operator's commands with a PostgreSQL that cannot be reached.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-cli-"));
  env = {
    PORT: "0",
    DATA_DIR: folder,
    DATABASE_URL: `postgres://agents:hunter2@127.0.0.1:${await closedPort()}/agents`,
  };
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const notFound = (seconds: number) =>
  `PostgreSQL at DATABASE_URL (host 127.0.0.1) did not answer within ${seconds} s: connection refused (ECONNREFUSED). Start it, or correct DATABASE_URL.\n`;

it("waits for its database, says so in its log, and ends with one sentence", async () => {
  const ended = await runCommand(["serve"], { ...env, DATABASE_WAIT_SECONDS: "1" });
  expect([ended.code, ended.stderr]).toEqual([1, notFound(1)]);
  expect(ended.stdout).toContain("waiting for the database at DATABASE_URL");
  expect(ended.stdout).toContain("connection refused (ECONNREFUSED)");
  expect(ended.stdout).not.toContain("hunter2");
});

it("stops waiting at SIGTERM", async () => {
  const service = new ServiceProcess(["serve"], { ...env, DATABASE_WAIT_SECONDS: "3600" });
  await service.printed(/waiting for the database/);
  service.signal("SIGTERM");
  const { code, signal, stderr } = await service.ended;
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
});

it("is one sentence for an operator's command, too", async () => {
  const { code, stdout, stderr } = await runCommand(["keys", "list"], env);
  expect([code, stdout, stderr]).toEqual([1, "", notFound(5)]);
});

it.each([
  ["mysql://agents:hunter2@db/agents", 2, "DATABASE_URL must be a postgres:// URL, got something else.\n"],
  [
    "postgres://agents:hunter2@db:port/agents",
    2,
    "DATABASE_URL must be a postgres:// URL, got something else.\n",
  ],
  [
    "postgres://agents:hunter2@db/agents?sslcert=/nowhere.pem",
    1,
    "DATABASE_URL has a parameter that cannot be used: ENOENT: no such file or directory, open '/nowhere.pem'\n",
  ],
])("refuses %s in one sentence", async (url, code, said) => {
  const ended = await runCommand(["serve"], { ...env, DATABASE_URL: url });
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", said]);
});

/** Nobody listens on it. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
