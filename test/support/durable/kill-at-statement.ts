// Loaded by `node --import` into a service on SQLite: ends it by SIGKILL before or after the first commit of a transaction that has
// executed a statement. The file KILL_PLAN says which: "before" or "after", and a regular expression. While there is no such file,
// nothing is watched.

import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { type Method, replaceMethod } from "../boundaries/method-hooks.ts";

const { KILL_PLAN: planPath } = process.env;
const CALLS = ["run", "all", "get", "iterate"] as const;
const WRITES = /^\s*(?:insert|update|delete|with)\b/i;

if (isMainThread && planPath !== undefined) watch(planPath);

function watch(planPath: string): void {
  let executed: string[] = [];
  const isDue = (when: "before" | "after") => {
    if (!existsSync(planPath)) return false;
    const plan = readFileSync(planPath, "utf8");
    const [at, pattern] = [plan.slice(0, plan.indexOf(" ")), plan.slice(plan.indexOf(" ") + 1)];
    return at === when && executed.some((text) => new RegExp(pattern).test(text));
  };
  const commit = (real: Method): Method =>
    function (...args) {
      if (isDue("before")) process.kill(process.pid, "SIGKILL");
      const value = real.apply(this, args);
      if (isDue("after")) process.kill(process.pid, "SIGKILL");
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
