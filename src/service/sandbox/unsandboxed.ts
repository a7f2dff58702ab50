// Executes commands without a sandbox: for trusted repositories, or where the operator allows it. The
// environment is scrubbed and the limits on time, output and disk hold; files and network of the machine can be reached.

import type { Clock } from "../../base/clock.ts";
import { ok, refused } from "../../base/result.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import { mayExecute } from "../core/runs/shell-policy.ts";
import { makeHome, removeHome } from "./agent-homes.ts";
import { superviseProgram } from "./bubblewrap-program.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { startGroup } from "./end-group.ts";
import { identityVariables, identityWay } from "./identity-way.ts";
import { endProcessesWith } from "./orphan-processes.ts";
import { prepareCommand } from "./prepare-command.ts";
import type { SandboxConfig } from "./sandbox-config.ts";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";
import { argvOf, supervise } from "./supervise.ts";

const NOT_TRUSTED =
  "this service has no sandbox, and the repository is not trusted. Its operator can install bubblewrap, or set SANDBOX.";

/** Tells the processes of one command from those of another. */
const COMMAND_VARIABLE = "AGENT_SERVICE_COMMAND";

type UnsandboxedParts = {
  readonly config: SandboxConfig;
  /** Descriptors that must not be passed on. */
  readonly inherited: readonly number[];
  readonly clock: Clock;
};

export function unsandboxed({ config, inherited, clock }: UnsandboxedParts): Sandbox {
  const isSandboxOff = config.mode === "off";
  let commands = 0;
  return {
    kind: "none",
    facts: async () => null,
    async run(checkout, command) {
      if (!mayExecute({ kind: "none", isSandboxOff, isTrusted: checkout.isTrusted }))
        return refused({ reason: "shell_refused", detail: `Commands are not executed: ${NOT_TRUSTED}` });
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const timeoutMs = Math.min(command.timeoutMs, command.longestMs ?? config.limits.timeoutMs);
      const watchDisk = await prepareDiskWatch({
        root: folder.value.root,
        maxBytes: config.limits.diskBytes,
        clock,
      });
      const home = checkout.home ?? (await makeHome(config.homesFolder));
      // Several at once may have one home.
      commands += 1;
      const mark = `${process.pid}.${commands}`;
      try {
        const identity = await identityWay(command.identity, { loopback: "machine" });
        command.signal.throwIfAborted();
        const env = scrubbedEnvironment({
          path: config.environment.PATH ?? "/usr/local/bin:/usr/bin:/bin",
          home,
          temporary: home,
          passed: config.passed,
          added: { ...command.env, [COMMAND_VARIABLE]: mark },
          proxy: {},
          identity: identityVariables(identity),
        });
        const running = startGroup({
          argv: argvOf(command.execute),
          cwd: folder.value.folder,
          env,
          hasInput: command.stdin !== undefined,
          inherited,
          clock,
        });
        command.onStart?.();
        return ok(await supervise({ ...running, command, watches: [watchDisk], timeoutMs, clock }));
      } finally {
        // Together with the command's orphan processes, which may still write there.
        if (checkout.home === undefined) await removeHome(home);
        else await endProcessesWith(COMMAND_VARIABLE, mark);
      }
    },
    async start({ checkout, isTreeShown }, program) {
      if (!mayExecute({ kind: "none", isSandboxOff, isTrusted: checkout.isTrusted }))
        return refused({ reason: "shell_refused", detail: `Programs are not started: ${NOT_TRUSTED}` });
      const home = await makeHome(config.homesFolder);
      const clean = () => removeHome(home);
      try {
        const { root } = checkout;
        const watchDisk = await prepareDiskWatch({ root, maxBytes: config.limits.diskBytes, clock });
        const env = scrubbedEnvironment({
          path: config.environment.PATH ?? "/usr/local/bin:/usr/bin:/bin",
          home,
          temporary: home,
          passed: config.passed,
          added: program.env,
          proxy: {},
          identity: {},
        });
        const cwd = isTreeShown ? root : home;
        const running = startGroup({ argv: program.argv, cwd, env, hasInput: true, inherited, clock });
        return ok(superviseProgram(running, { watches: [watchDisk], clean }));
      } catch (cause) {
        await clean();
        throw cause;
      }
    },
  };
}
