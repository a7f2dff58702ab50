#!/usr/bin/env node
// The command `agent-service`: finds the subcommand and lets it run.

import { reportFailure } from "./command-error.ts";

const OLDEST_NODE = 24;

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < OLDEST_NODE) {
  process.stderr.write(
    `agent-service needs Node ${OLDEST_NODE} or newer, this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv.slice(2)).catch(reportFailure);
}
