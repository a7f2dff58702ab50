// Loaded by `node --import` into a service in place of kill-at-boundary.ts, which it loads: plants the fault that PLANTED_FAULT names
// into Node's own modules, for as long as there is a plan. It shows that kills at boundaries find such a fault.

import "./kill-at-boundary.ts";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { fileHandlePrototype, type Method, replaceMethod as replace } from "./method-hooks.ts";

/** Longer than an answer takes. */
const LATE_MS = 200;
const { PLANTED_FAULT: fault = "", KILL_PLAN: planPath = "" } = process.env;

const plants: Readonly<Record<string, () => void | Promise<void>>> = {
  "a commit follows its acknowledgement": commitLater,
  "a blob gets its name after its row": renameLater,
  "a blob gets its contents after its row": writeLater,
  "a blob gets its row when it is kept": insertLater,
  "a blob is deleted after its row": removeLater,
};

const waiting = new Set<() => void>();

if (isMainThread) {
  const plant = plants[fault];
  if (plant === undefined) throw new TypeError(`There is no fault "${fault}".`);
  await plant();
  syncBuiltinESMExports();
  process.on("exit", doAll);
}

function isPlanned(): boolean {
  return fs.existsSync(planPath);
}

/** Does it some time from now, at the latest when the process ends by itself. */
function later(act: () => void): void {
  waiting.add(act);
  setTimeout(() => doNow(act), LATE_MS).unref();
}

function doNow(act: () => void): void {
  if (waiting.delete(act)) act();
}

function doAll(): void {
  for (const act of waiting) doNow(act);
}

/** Before the next transaction begins, at the latest. */
function commitLater(): void {
  const prepared: Readonly<Record<string, (real: Method) => Method>> = {
    commit: (real) =>
      function (...args) {
        if (!isPlanned()) return real.apply(this, args);
        later(() => real.apply(this, args));
        return { changes: 0, lastInsertRowid: 0 };
      },
    "begin immediate": (real) =>
      function (...args) {
        doAll();
        return real.apply(this, args);
      },
  };
  replacePrepared((text) => prepared[text]);
  replace(
    DatabaseSync.prototype,
    "close",
    (real) =>
      function (...args) {
        doAll();
        return real.apply(this, args);
      },
  );
}

function renameLater(): void {
  replace(
    fsPromises,
    "rename",
    (real) =>
      async function (...args) {
        const [from, to] = args;
        if (!isPlanned() || !isOfBlob(from) || !isOfBlob(to)) return await real.apply(this, args);
        later(() => fs.renameSync(from, to));
        return undefined;
      },
  );
}

async function writeLater(): Promise<void> {
  const paths = new WeakMap<object, string>();
  replace(
    fsPromises,
    "open",
    (real) =>
      async function (...args) {
        const file = await real.apply(this, args);
        const [path] = args;
        if (isPlanned() && isOfBlob(path) && typeof file === "object" && file !== null)
          paths.set(file, path.replace(/\.part$/, ""));
        return file;
      },
  );
  replace(
    await fileHandlePrototype(),
    "writeFile",
    (real) =>
      async function (...args) {
        const path = paths.get(this as object);
        const [data] = args;
        if (path === undefined || !(data instanceof Uint8Array)) return await real.apply(this, args);
        later(() => fs.appendFileSync(path, data));
        return undefined;
      },
  );
}

function insertLater(): void {
  const inserts: (() => void)[] = [];
  replacePrepared((text) => {
    if (text.startsWith('insert into "blobs"'))
      return (real) =>
        function (...args) {
          if (!isPlanned()) return real.apply(this, args);
          inserts.push(() => real.apply(this, args));
          return { changes: 1, lastInsertRowid: 0 };
        };
    if (text.startsWith('update "blobs" set "state"'))
      return (real) =>
        function (...args) {
          for (const insert of inserts.splice(0)) insert();
          return real.apply(this, args);
        };
    return undefined;
  });
}

function removeLater(): void {
  replace(
    fsPromises,
    "rm",
    (real) =>
      async function (...args) {
        const [path] = args;
        if (!isPlanned() || !isOfBlob(path)) return await real.apply(this, args);
        later(() => fs.rmSync(path, { force: true }));
        return undefined;
      },
  );
}

function isOfBlob(path: unknown): path is string {
  return typeof path === "string" && path.includes("/blobs/ws/");
}

/** Of statements of SQLite, where `change` returns one: how they are executed. */
function replacePrepared(change: (text: string) => ((real: Method) => Method) | undefined): void {
  replace(
    DatabaseSync.prototype,
    "prepare",
    (real) =>
      function (...args) {
        const statement = real.apply(this, args) as object;
        const changed = change(String(args[0]));
        if (changed !== undefined) for (const name of ["run", "all"]) replace(statement, name, changed);
        return statement;
      },
  );
}
