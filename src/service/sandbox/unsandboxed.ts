// Executes commands without a sandbox: for trusted repositories, or where the operator allows it. The
// environment is scrubbed and the limits on time, output and disk hold; files and network of the machine can be reached.

import type { Clock } from "../../base/clock.ts";
import { ok, refused } from "../../base/result.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import { mayExecute } from "../core/runs/shell-policy.ts";
import { makeHome, removeHome } from "./agent-homes.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { startGroup } from "./end-group.ts";
import { prepareCommand } from "./prepare-command.ts";
import type { SandboxConfig } from "./sandbox-config.ts";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";
import { argvOf, supervise } from "./supervise.ts";

export type UnsandboxedParts = {
  readonly config: SandboxConfig;
  /** Descriptors that must not be passed on. */
  readonly inherited: readonly number[];
  readonly clock: Clock;
};

export function unsandboxed({ config, inherited, clock }: UnsandboxedParts): Sandbox {
  const isSandboxOff = config.mode === "off";
  return {
    kind: "none",
    async run(checkout, command) {
      if (!mayExecute({ kind: "none", isSandboxOff, isTrusted: checkout.isTrusted })) {
        const detail =
          "Commands are not executed: this service has no sandbox, and the repository is not trusted. " +
          "Its operator can install bubblewrap, or set SANDBOX.";
        return refused({ reason: "shell_refused", detail });
      }
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const timeoutMs = Math.min(command.timeoutMs, config.limits.timeoutMs);
      const watchDisk = await prepareDiskWatch({
        root: folder.value.root,
        maxBytes: config.limits.diskBytes,
        clock,
      });
      const home = await makeHome(config.homesFolder);
      try {
        command.signal.throwIfAborted();
        const env = scrubbedEnvironment({
          path: config.environment.PATH ?? "/usr/local/bin:/usr/bin:/bin",
          home,
          temporary: home,
          passed: config.passed,
          added: command.env,
        });
        const running = startGroup({
          argv: argvOf(command.execute),
          cwd: folder.value.folder,
          env,
          hasInput: command.stdin !== undefined,
          inherited,
          clock,
        });
        return ok(await supervise({ ...running, command, watches: [watchDisk], timeoutMs, clock }));
      } finally {
        // Together with the command's orphan processes, which may still write there.
        await removeHome(home);
      }
    },
  };
}
