#!/usr/bin/env node
// The command `agent-service`: finds the subcommand and lets it run.

import { helpText, version } from "./help.ts";

const OLDEST_NODE = 24;

async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  switch (name) {
    case "serve": {
      const { serve } = await import("./serve.ts");
      return await serve(rest);
    }
    case "--version":
    case "version":
      process.stdout.write(`${version}\n`);
      return 0;
    case undefined:
    case "--help":
    case "-h":
    case "help":
      process.stdout.write(helpText);
      return 0;
    default:
      process.stderr.write(`There is no command "${name}".\n\n${helpText}`);
      return 2;
  }
}

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < OLDEST_NODE) {
  process.stderr.write(
    `agent-service needs Node ${OLDEST_NODE} or newer, this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  process.exitCode = await run(process.argv.slice(2));
}
