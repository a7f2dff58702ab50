// Loaded by `node --import` into a service: ends it by SIGKILL once it has started a program, or on SQLite before or after the first
// commit of a transaction that has executed a statement. The file KILL_PLAN says which: "within", "before" or "after", and a regular
// expression. While there is no such file, nothing is watched. Of several processes that have the same file one is ended.

import childProcess from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { type Method, replaceMethod } from "../boundaries/method-hooks.ts";

const { KILL_PLAN: planPath } = process.env;
const CALLS = ["run", "all", "get", "iterate"] as const;
const WRITES = /^\s*(?:insert|update|delete|with)\b/i;

if (isMainThread && planPath !== undefined) {
  watchStatements(planPath);
  watchPrograms(planPath);
}

function isDue(planPath: string, { when, texts }: { when: string; texts: readonly string[] }): boolean {
  if (!existsSync(planPath)) return false;
  const plan = readFileSync(planPath, "utf8");
  const [at, pattern] = [plan.slice(0, plan.indexOf(" ")), plan.slice(plan.indexOf(" ") + 1)];
  return at === when && texts.some((text) => new RegExp(pattern).test(text));
}

function end(planPath: string): void {
  rmSync(planPath, { force: true });
  process.kill(process.pid, "SIGKILL");
}

function watchPrograms(planPath: string): void {
  replaceMethod(
    childProcess,
    "spawn",
    (real) =>
      function (...args) {
        const child = real.apply(this, args);
        const line = [args[0], ...(Array.isArray(args[1]) ? args[1] : [])].join(" ");
        if (isDue(planPath, { when: "within", texts: [line] })) end(planPath);
        return child;
      },
  );
  syncBuiltinESMExports();
}

function watchStatements(planPath: string): void {
  let executed: string[] = [];
  const commit = (real: Method): Method =>
    function (...args) {
      if (isDue(planPath, { when: "before", texts: executed })) end(planPath);
      const value = real.apply(this, args);
      if (isDue(planPath, { when: "after", texts: executed })) end(planPath);
      executed = [];
      return value;
    };
  const noted =
    (text: string) =>
    (real: Method): Method =>
      function (...args) {
        executed.push(text);
        return real.apply(this, args);
      };
  replaceMethod(
    DatabaseSync.prototype,
    "prepare",
    (real) =>
      function (...args) {
        const statement = real.apply(this, args) as object;
        const text = String(args[0]);
        if (text === "commit") replaceMethod(statement, "run", commit);
        else if (WRITES.test(text)) for (const name of CALLS) replaceMethod(statement, name, noted(text));
        return statement;
      },
  );
  replaceMethod(
    DatabaseSync.prototype,
    "exec",
    (real) =>
      function (...args) {
        return (args[0] === "commit" ? commit(real) : real).apply(this, args);
      },
  );
}
