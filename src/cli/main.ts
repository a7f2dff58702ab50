#!/usr/bin/env node
// The command `agent-service`: finds the subcommand and lets it run.

import { helpText, version } from "./help.ts";

const OLDEST_NODE = 24;

async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  switch (name) {
    case "serve":
    case "work":
    case "run":
    case "doctor":
    case "keys":
    case "credits":
    case "plans":
    case "agents":
    case "runs":
    case "schedules":
    case "workflows":
    case "follow":
    case "claim":
      return await ask(commands[name], rest);
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

type Command = (args: readonly string[]) => Promise<number>;

/** Each loads what it needs when it is called for. */
const commands = {
  serve: async () => (await import("./serve.ts")).serve,
  work: async () => (await import("./work.ts")).work,
  run: async () => (await import("./run.ts")).run,
  doctor: async () => (await import("./doctor.ts")).doctor,
  keys: async () => (await import("./keys.ts")).keys,
  credits: async () => (await import("./credits.ts")).credits,
  plans: async () => (await import("./plans.ts")).plans,
  agents: async () => (await import("./agents.ts")).agents,
  runs: async () => (await import("./runs.ts")).runs,
  schedules: async () => (await import("./schedules.ts")).schedules,
  workflows: async () => (await import("./workflows.ts")).workflows,
  follow: async () => (await import("./follow.ts")).follow,
  claim: async () => (await import("./claim.ts")).claim,
} satisfies Record<string, () => Promise<Command>>;

async function ask(load: () => Promise<Command>, args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(helpText);
    return 0;
  }
  const { reportFailure } = await import("./command-error.ts");
  try {
    const command = await load();
    return await command(args);
  } catch (cause) {
    return reportFailure(cause);
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
