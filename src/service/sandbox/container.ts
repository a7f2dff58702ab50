// Executes commands by the operator's container command, which decides on a container's view, its network and its memory. The
// limits on time, output and the checkout's size are enforced here.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import { ok, refused } from "../../base/result.ts";
import { ProcessNotStartedError, runProcess } from "../../base/run-process.ts";
import type { Sandbox, SandboxCommand } from "../core/ports/sandbox.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { startGroup } from "./end-group.ts";
import { prepareCommand } from "./prepare-command.ts";
import type { ContainerCommands, SandboxConfig } from "./sandbox-config.ts";
import { argvOf, supervise } from "./supervise.ts";

/** Variables that the engine's client needs to find its engine. None of them goes into the container. */
const clientVariables = [
  "PATH",
  "HOME",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "CONTAINER_HOST",
  "XDG_RUNTIME_DIR",
];

const STOP_TIMEOUT_MS = 60_000;

type ContainerParts = {
  readonly config: SandboxConfig;
  readonly commands: ContainerCommands;
  /** Descriptors that must not be passed on. */
  readonly inherited: readonly number[];
  readonly clock: Clock;
  readonly random: Random;
};

export function containerSandbox({ config, commands, inherited, clock, random }: ContainerParts): Sandbox {
  const env: Record<string, string> = {};
  for (const name of clientVariables) {
    const value = config.environment[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    kind: "container",
    facts: async () => null,
    async run(checkout, command) {
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const { limits } = config;
      const timeoutMs = Math.min(command.timeoutMs, command.longestMs ?? limits.timeoutMs);
      const watchDisk = await prepareDiskWatch({
        root: folder.value.root,
        maxBytes: limits.diskBytes,
        clock,
      });
      const values = {
        checkout: folder.value.root,
        cwd: folder.value.within,
        command: shellLine(command, config.passed),
        name: `agent-${Buffer.from(random.bytes(12)).toString("hex")}`,
        memory: `${limits.memoryBytes}`,
        processes: `${limits.processes}`,
      };
      command.signal.throwIfAborted();
      const running = startGroup({
        argv: filled(commands.start, values),
        cwd: folder.value.root,
        env,
        hasInput: command.stdin !== undefined,
        inherited,
        clock,
      });
      command.onStart?.();
      const { stop } = commands;
      let stopping: Promise<void> | undefined;
      const stopContainer = () => {
        if (stop !== null) stopping ??= execute(filled(stop, values), env);
      };
      const end = () => {
        stopContainer();
        running.end();
      };
      try {
        return ok(await supervise({ ...running, end, command, watches: [watchDisk], timeoutMs, clock }));
      } finally {
        // The client's end does not end the container: killed or crashed, it leaves it running.
        if (running.child.exitCode !== 0) stopContainer();
        await stopping;
      }
    },
    async start() {
      const detail =
        "Programs that go on beside commands are not started in containers: use a server that is reached by https, or bubblewrap.";
      return refused({ reason: "shell_refused", detail });
    },
  };
}

/** The command as one line for a shell, the variables it gets before it: an engine's options for them differ. */
function shellLine(command: SandboxCommand, passed: Readonly<Record<string, string>>): string {
  const exports = Object.entries({ ...passed, ...command.env }).map(
    ([name, value]) => `export ${name}=${quoted(value)}; `,
  );
  return exports.join("") + argvOf(command.execute).map(quoted).join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function filled(
  template: readonly [string, ...string[]],
  values: Readonly<Record<string, string>>,
): readonly [string, ...string[]] {
  const [program, ...rest] = template;
  // One pass, so that a placeholder inside the command is not replaced.
  const fill = (part: string) => part.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  return [program, ...rest.map(fill)];
}

/** A container that could not be stopped is the operator's to see; the run has ended either way. */
async function execute(
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
): Promise<void> {
  await runProcess({ command, args, env, timeoutMs: STOP_TIMEOUT_MS }).catch((cause: unknown) => {
    if (!(cause instanceof ProcessNotStartedError)) throw cause;
  });
}
