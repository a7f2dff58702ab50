// The program of a coding agent in PATH, and the folder that holds all of it.

import { realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { programIn } from "../../base/program-path.ts";
import { isInside } from "./sandbox-config.ts";

export type AgentProgram = {
  /** Absolute, links resolved. */
  readonly path: string;
  /** The folder of npm's packages that it was installed in, or its own. */
  readonly folder: string;
};

/**
 * The first such program in PATH that does not lie in `outside`: what changes a checkout must not choose the agent. Null
 * where there is none.
 */
export async function findAgentProgram(
  path: string,
  { program, outside }: { readonly program: string; readonly outside: string | null },
): Promise<AgentProgram | null> {
  const checkout = outside === null ? null : await realpath(outside).catch(() => outside);
  for (const folder of path.split(":")) {
    const found = await programIn(folder, program);
    if (found === null) continue;
    const real = await realpath(found).catch(() => null);
    if (real === null) continue;
    const isOfCheckout = [folder, real].some((place) => checkout !== null && isInside(place, checkout));
    if (!isOfCheckout) return { path: real, folder: packagesOf(real) };
  }
  return null;
}

/** Its dependencies lie beside it: the outermost `node_modules`. */
function packagesOf(program: string): string {
  const parts = program.split(sep);
  const at = parts.indexOf("node_modules");
  return at < 0 ? dirname(program) : parts.slice(0, at + 1).join(sep);
}
