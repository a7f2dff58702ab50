// The command `agent-service`, run to its end: inside this process where the process is not what a test shows.

import { areSurroundingsTaken, runInside } from "../../../fakes/runner/surroundings.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { type Exit, ServiceProcess, type ServiceProcessOptions } from "../fixtures/service-process.ts";

/** They end by a signal alone. */
const OWN_PROCESS: readonly (string | undefined)[] = ["serve", "work", "mcp"];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command to its end. It gets this environment and PATH, nothing else. A process of its own where it serves, where `options` say
 * something about the process, where Node has to be started in another way, and where another command is at work.
 */
export async function runCommand(
  args: readonly string[],
  env: Environment = {},
  options: ServiceProcessOptions = {},
): Promise<Exit> {
  const { folder, input, ...ofProcess } = options;
  // A proxy of plain HTTP would be the test's own as well.
  const startsOtherwise =
    env.NODE_OPTIONS !== undefined || (env.NODE_USE_ENV_PROXY === "1" && env.HTTP_PROXY !== undefined);
  const needsProcess = OWN_PROCESS.includes(args[0]) || startsOtherwise || Object.keys(ofProcess).length > 0;
  if (needsProcess || areSurroundingsTaken()) return await new ServiceProcess(args, env, options).ended;
  const printed = { stdout: "", stderr: "" };
  const code = await runInside(
    async () => {
      process.exitCode = await runProgram(args);
    },
    {
      env: { PATH: process.env.PATH, ...env },
      ...(folder === undefined ? {} : { folder }),
      ...(input === undefined ? {} : { input }),
      print: (text, stream) => {
        printed[stream] += text;
      },
    },
  );
  // As ServiceProcess tells it, which reads lines.
  return { code, signal: null, stdout: printed.stdout.replace(/\n$/, ""), stderr: printed.stderr };
}
