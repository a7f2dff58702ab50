// Vitest's global set-up of what Node compiles: the command and the nodes that tests start are compiled once a run, not once a
// process. The next run compiles them again.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceProcess } from "../fixtures/service-process.ts";
import { COMPILED_VARIABLE } from "./node-environment.ts";

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-compiled-"));
  const data = join(folder, "data");
  await mkdir(data);
  process.env[COMPILED_VARIABLE] = join(folder, "compiled");
  // Node keeps what it compiled when it ends by itself, and tests kill theirs. The first tests do not wait.
  const node = new ServiceProcess(["serve", "--port", "0", "--data-dir", data]);
  // One that does not start is for the tests to tell.
  const stop = () => node.signal("SIGTERM");
  node.ready().then(stop, () => {});
  return async () => {
    stop();
    await node.ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
