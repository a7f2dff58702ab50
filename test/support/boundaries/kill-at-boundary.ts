// Loaded by `node --import` into a service: ends it by SIGKILL before or after the nth commit, write to disk, rename or start of a
// program; on PostgreSQL also when a commit was sent and is not answered yet. The file KILL_PLAN says which: a name and n, 0 for
// none. While there is no such file, nothing is counted. All that is counted is written to KILL_LOG. CLOCK_AHEAD_MS moves its clock on.

import { ChildProcess } from "node:child_process";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { fileHandlePrototype, type Method, replaceMethod as replace } from "./method-hooks.ts";
import { isStartup, PostgresCommits } from "./postgres-commits.ts";

type Pass = (boundary: string) => void;

const { KILL_PLAN: planPath, KILL_LOG: logPath, CLOCK_AHEAD_MS: aheadMs = "0" } = process.env;

if (isMainThread && planPath !== undefined && logPath !== undefined) {
  const realNow = Date.now;
  Date.now = () => realNow() + Number(aheadMs);
  await install(passer({ planPath, logPath }));
}

/** Counts a boundary, and ends the process at the one that is planned. */
function passer({ planPath, logPath }: { planPath: string; logPath: string }): Pass {
  let counted = 0;
  let known = "";
  return (boundary) => {
    const plan = fs.existsSync(planPath) ? fs.readFileSync(planPath, "utf8") : "";
    if (plan !== known) counted = 0;
    known = plan;
    if (plan === "") return;
    counted += 1;
    fs.appendFileSync(logPath, `${boundary}\n`);
    if (counted === Number(plan.split(" ").at(-1))) process.kill(process.pid, "SIGKILL");
  };
}

async function install(pass: Pass): Promise<void> {
  for (const name of ["rename", "fsync", "fdatasync"]) {
    replace(fs, name, calledBack(pass, name));
    replace(fs, `${name}Sync`, returned(pass, name));
  }
  replace(fsPromises, "rename", returned(pass, "rename"));
  const fileHandle = await fileHandlePrototype();
  replace(fileHandle, "sync", returned(pass, "fsync"));
  replace(fileHandle, "datasync", returned(pass, "fdatasync"));
  // What `spawn`, `execFile` and `fork` start.
  replace(ChildProcess.prototype, "spawn", returned(pass, "spawn"));
  watchSqlite(pass);
  watchPostgres(pass);
  syncBuiltinESMExports();
}

/** Of a method that returns when it is done, or a promise. */
function returned(pass: Pass, kind: string): (real: Method) => Method {
  return (real) =>
    function (...args) {
      pass(`before ${kind}`);
      const value = real.apply(this, args);
      if (!(value instanceof Promise)) {
        pass(`after ${kind}`);
        return value;
      }
      return value.then((result: unknown) => {
        pass(`after ${kind}`);
        return result;
      });
    };
}

/** Of a method whose last argument is called back. */
function calledBack(pass: Pass, kind: string): (real: Method) => Method {
  return (real) =>
    function (...args) {
      pass(`before ${kind}`);
      const done = args.pop() as Method;
      return real.call(this, ...args, (...results: unknown[]) => {
        pass(`after ${kind}`);
        done.apply(this, results);
      });
    };
}

function watchSqlite(pass: Pass): void {
  const commit = returned(pass, "commit");
  replace(
    DatabaseSync.prototype,
    "prepare",
    (real) =>
      function (...args) {
        const statement = real.apply(this, args);
        if (args[0] === "commit") replace(statement as object, "run", commit);
        return statement;
      },
  );
  replace(
    DatabaseSync.prototype,
    "exec",
    (real) =>
      function (...args) {
        return (args[0] === "commit" ? commit(real) : real).apply(this, args);
      },
  );
}

/** By the bytes of its connections: what is written is with the system when the write returns. */
function watchPostgres(pass: Pass): void {
  const connections = new WeakMap<object, PostgresCommits>();
  const send = (socket: object, bytes: Buffer, write: () => unknown) => {
    if (isStartup(bytes) && !connections.has(socket)) connections.set(socket, new PostgresCommits());
    const commits = connections.get(socket)?.send(bytes) ?? 0;
    for (let count = 0; count < commits; count += 1) pass("before commit");
    const value = write();
    for (let count = 0; count < commits; count += 1) pass("commit sent");
    return value;
  };
  replace(
    Socket.prototype,
    "_write",
    (real) =>
      function (...args) {
        return send(this as object, bytesOf(args[0]), () => real.apply(this, args));
      },
  );
  replace(
    Socket.prototype,
    "_writev",
    (real) =>
      function (...args) {
        const chunks = args[0] as readonly { readonly chunk: unknown }[];
        const bytes = Buffer.concat(chunks.map(({ chunk }) => bytesOf(chunk)));
        return send(this as object, bytes, () => real.apply(this, args));
      },
  );
  replace(
    Socket.prototype,
    "push",
    (real) =>
      function (...args) {
        const [chunk] = args;
        const commits =
          chunk instanceof Uint8Array ? (connections.get(this as object)?.receive(bytesOf(chunk)) ?? 0) : 0;
        for (let count = 0; count < commits; count += 1) pass("after commit");
        return real.apply(this, args);
      },
  );
}

function bytesOf(chunk: unknown): Buffer {
  return chunk instanceof Uint8Array
    ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : Buffer.from(String(chunk));
}
