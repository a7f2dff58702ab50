#!/usr/bin/env node
// The command `agent-service`: refuses an old Node, and runs the subcommand.

import module from "node:module";
import { join } from "node:path";
import { emptyInitialEnvironment } from "../ci/initial-environment.ts";

const OLDEST_NODE = 24;
const SERVING: readonly (string | undefined)[] = ["serve", "work"];
/** Of a program that a closed pipe ends: 128 and the number of SIGPIPE. */
const PIPE_CLOSED = 141;
/** Commands that only ask others, and have nothing to do once they have said what they found. */
const EXAMINING: readonly (string | undefined)[] = ["doctor", "init"];
const EXIT_MS = 500;

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < OLDEST_NODE) {
  process.stderr.write(
    `agent-service needs Node ${OLDEST_NODE} or newer, this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  // Before anything is started that could read the job's tokens, or the service's secrets, from it.
  emptyInitialEnvironment();
  const args = process.argv.slice(2);
  if (SERVING.includes(args[0])) keepCompiled();
  else endWithReader(args[0] === "run");
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(args);
  // Node's own support of proxies goes on knocking at one that hangs up, also when nobody waits for it any more.
  if (EXAMINING.includes(args[0])) setTimeout(() => process.exit(), EXIT_MS).unref();
}

/**
 * Loads what V8 compiled for an earlier node, from beside these files: who can write there can write the files. Node writes it when it
 * ends. Does nothing where this user may not write there and never could.
 * Why: docs/decisions/136-compiled-code-is-kept-beside-the-files.md
 */
function keepCompiled(): void {
  // As a property: an older Node, which has been refused by now, has no such export.
  module.enableCompileCache(join(import.meta.dirname, ".compiled"));
}

/** Whoever read the output is gone, as `head` is after ten lines: nothing is left to say. A run of a job goes on all the same. */
function endWithReader(goesOn: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EPIPE") throw cause;
      if (!goesOn) process.exit(PIPE_CLOSED);
    });
  }
}
