// Blockers of bubblewrap on a machine: programs that are missing, and settings of the kernel.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { programIn } from "../../base/program-path.ts";

const sandboxBlockers = ["no_bubblewrap", "no_prlimit", "no_user_namespaces", "apparmor"] as const;
export type SandboxBlocker = (typeof sandboxBlockers)[number];

/** All that are known of, so that they can be fixed at once. `kernel` is the folder of its settings. */
export async function findBlockers(path: string, kernel = "/proc/sys"): Promise<readonly SandboxBlocker[]> {
  const read = (name: string) =>
    readFile(join(kernel, name), "utf8").then(
      (text) => text.trim(),
      () => null,
    );
  const [bwrap, prlimit, most, clone, restricted] = await Promise.all([
    programIn(path, "bwrap"),
    programIn(path, "prlimit"),
    read("user/max_user_namespaces"),
    read("kernel/unprivileged_userns_clone"),
    // Ubuntu 23.10 and newer. On other systems the file does not exist.
    read("kernel/apparmor_restrict_unprivileged_userns"),
  ]);
  return [
    ...(bwrap === null ? (["no_bubblewrap"] as const) : []),
    ...(prlimit === null ? (["no_prlimit"] as const) : []),
    ...(most === "0" || clone === "0" ? (["no_user_namespaces"] as const) : []),
    ...(restricted === "1" ? (["apparmor"] as const) : []),
  ];
}

/** A sentence each: what is wrong, and what to do. */
export const blockerTexts: Readonly<Record<SandboxBlocker, string>> = {
  no_bubblewrap: "bwrap is not in PATH: apt-get install bubblewrap, 0.8 or newer.",
  no_prlimit: "prlimit is not in PATH: apt-get install util-linux.",
  no_user_namespaces:
    "User namespaces are off: sysctl -w user.max_user_namespaces=10000, and where it exists, kernel.unprivileged_userns_clone=1.",
  apparmor:
    "AppArmor restricts user namespaces (Ubuntu 23.10 and newer): give bwrap a profile that allows userns, or " +
    "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.",
};
