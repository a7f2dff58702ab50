// Ends sandboxes whose service was killed. bubblewrap's own parent-death signal is set late: a service that ends before leaves
// a sandbox that nobody ends. So a small process beside the service waits for its end, however it comes.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { Random } from "../../base/ids.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Each sandbox carries it in the environment of bubblewrap, never of what is executed inside. */
export const MARK_VARIABLE = "AGENT_SERVICE_SANDBOX";

/**
 * A line on standard input: there is nothing to guard any more. The end of the input: the service is gone. A process that
 * was being started just then carries its mark a moment later, so that this goes on for two seconds.
 */
const SCRIPT = `
read -r line && exit 0
pass=0
while [ "$pass" -lt 40 ]; do
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
    id=\${file#/proc/}
    kill -9 "\${id%/environ}"
  done
  pass=$((pass + 1))
  sleep 0.05
done
`;

export type CrashGuard = {
  /** Before a sandbox is started. Rejects with a SandboxError. */
  enter(): Promise<Guarded>;
};

type Guarded = {
  /** The mark that the sandbox has to carry in its environment. */
  readonly mark: Readonly<Record<string, string>>;
  /** Once the sandbox has ended. Safe to repeat. */
  leave(): void;
};

type CrashGuardParts = { readonly path: string | undefined; readonly random: Random };

/** Costs nothing while there is no sandbox. */
export function crashGuard({ path, random }: CrashGuardParts): CrashGuard {
  const mark = Buffer.from(random.bytes(16)).toString("hex");
  const env = path === undefined ? {} : { PATH: path };
  let inside = 0;
  let process: Promise<ChildProcess> | null = null;

  /** An earlier guard may end after the next one was started. */
  const begin = (): Promise<ChildProcess> => {
    const begun = start(() => {
      if (process === begun) process = null;
    });
    return begun;
  };

  const start = async (onEnd: () => void): Promise<ChildProcess> => {
    const args = ["-c", SCRIPT, "crash-guard", `${MARK_VARIABLE}=${mark}`];
    const child = spawn("/bin/sh", args, { env, detached: true, stdio: ["pipe", "ignore", "ignore"] });
    // It has ended: nobody reads.
    child.stdin.on("error", () => {});
    child.once("exit", onEnd);
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    try {
      await once(child, "spawn");
    } catch (cause) {
      onEnd();
      throw new SandboxError("sandbox_not_started", "/bin/sh could not be started.", { cause });
    }
    return child;
  };

  const leave = () => {
    inside -= 1;
    if (inside > 0) return;
    const ending = process;
    process = null;
    ending?.then(
      (child) => child.stdin?.end("over\n"),
      () => {},
    );
  };

  return {
    enter: async () => {
      inside += 1;
      let isInside = true;
      const leaveOnce = () => {
        if (isInside) leave();
        isInside = false;
      };
      try {
        process ??= begin();
        await process;
        return { mark: { [MARK_VARIABLE]: mark }, leave: leaveOnce };
      } catch (cause) {
        leaveOnce();
        throw cause;
      }
    },
  };
}
