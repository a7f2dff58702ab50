// A process that has commands executed in the sandbox until it is killed: two at a time, each of which would take minutes.
// Arguments: a data folder, and the seconds that each command sleeps. It says "at work" before the first.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findSandbox } from "../../src/service/sandbox/find-sandbox.ts";
import { decodeSandbox } from "../../src/service/sandbox/sandbox-config.ts";

const [dataDir = "", seconds = ""] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const config = decodeSandbox({ PATH: process.env.PATH ?? "", SANDBOX: "bubblewrap" }, dataDir);
if (!config.ok) throw new Error(config.refusal.join("\n"));
const sandbox = await findSandbox(config.value, silent);
const root = join(dataDir, "tree");
mkdirSync(root);
process.stdout.write("at work\n");
for (let command = 0; command < 2; command += 1) {
  void sandbox.run(
    { root, gitFolder: null, isTrusted: false },
    {
      execute: { argv: ["sleep", seconds] },
      cwd: "",
      env: {},
      egressSocket: null,
      timeoutMs: 600_000,
      maxOutputBytes: 1000,
      signal: new AbortController().signal,
    },
  );
}
