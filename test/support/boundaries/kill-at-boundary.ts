// Loaded by `node --import` into a service: ends it by SIGKILL before or after the nth commit, write to disk, rename or start of a
// program. The file KILL_PLAN says which: a name and n, 0 for none. While there is no such file, nothing is counted. All that is
// counted is written to KILL_LOG. Of SQLite alone: commits of PostgreSQL go out by a socket, and are not counted.

import { ChildProcess } from "node:child_process";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

type Method = (this: unknown, ...args: unknown[]) => unknown;

const { KILL_PLAN: planPath, KILL_LOG: logPath } = process.env;

if (isMainThread && planPath !== undefined && logPath !== undefined) {
  await install({ planPath, logPath });
}

async function install({ planPath, logPath }: { planPath: string; logPath: string }): Promise<void> {
  let counted = 0;
  let known = "";
  const pass = (boundary: string) => {
    const plan = fs.existsSync(planPath) ? fs.readFileSync(planPath, "utf8") : "";
    if (plan !== known) counted = 0;
    known = plan;
    if (plan === "") return;
    counted += 1;
    fs.appendFileSync(logPath, `${boundary}\n`);
    if (counted === Number(plan.split(" ").at(-1))) process.kill(process.pid, "SIGKILL");
  };

  /** Of a method that returns when it is done, or a promise. */
  const watch = (owner: object, name: string, kind: string) => {
    replace(
      owner,
      name,
      (real) =>
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
        },
    );
  };
  /** Of a method whose last argument is called back. */
  const watchCallback = (owner: object, name: string, kind: string) => {
    replace(
      owner,
      name,
      (real) =>
        function (...args) {
          pass(`before ${kind}`);
          const done = args.pop() as Method;
          return real.call(this, ...args, (...results: unknown[]) => {
            pass(`after ${kind}`);
            done.apply(this, results);
          });
        },
    );
  };

  for (const [name, kind] of [
    ["rename", "rename"],
    ["fsync", "fsync"],
    ["fdatasync", "fdatasync"],
  ] as const) {
    watchCallback(fs, name, kind);
    watch(fs, `${name}Sync`, kind);
  }
  watch(fsPromises, "rename", "rename");
  const file = await fsPromises.open("/dev/null");
  const FileHandle = Object.getPrototypeOf(file);
  await file.close();
  watch(FileHandle, "sync", "fsync");
  watch(FileHandle, "datasync", "fdatasync");
  // What `spawn`, `execFile` and `fork` start.
  watch(ChildProcess.prototype, "spawn", "spawn");

  replace(
    DatabaseSync.prototype,
    "prepare",
    (real) =>
      function (...args) {
        const statement = real.apply(this, args);
        if (args[0] === "commit") watch(statement as object, "run", "commit");
        return statement;
      },
  );
  replace(
    DatabaseSync.prototype,
    "exec",
    (real) =>
      function (...args) {
        const isCommit = args[0] === "commit";
        if (isCommit) pass("before commit");
        const value = real.apply(this, args);
        if (isCommit) pass("after commit");
        return value;
      },
  );
  syncBuiltinESMExports();
}

function replace(owner: object, name: string, change: (real: Method) => Method): void {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== "function") throw new TypeError(`There is no ${name} to watch.`);
  Reflect.set(owner, name, change(real as Method));
}
