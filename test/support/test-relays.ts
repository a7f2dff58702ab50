// Relays of ID tokens as a service opens them, with their sockets in the system's folder for temporary files.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toProblem } from "../../src/service/api/shared/problems/to-problem.ts";
import { tokenRelays } from "../../src/service/egress/token-relay.ts";

export const testRelays = tokenRelays({
  folders: {
    make: () => mkdtemp(join(tmpdir(), "token-relay-")),
    remove: (folder) => rm(folder, { recursive: true, force: true }),
  },
  describe: toProblem,
});
