// Vitest's global set-up of the command: what tests start is built from the sources as they are.

import { refreshCommand } from "../../../scripts/build.ts";

export async function setup(): Promise<void> {
  await refreshCommand();
}
