// Rebuilds dist/ and fails where it is not what is committed. Leaves git's index alone.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { buildFolder } from "./build.ts";

await buildFolder("dist");
const args = ["status", "--porcelain", "--untracked-files=all", "--", "dist"];
const changed = execFileSync("git", args, { cwd: join(import.meta.dirname, ".."), encoding: "utf8" });
if (changed !== "") {
  process.stderr.write(`dist/ is not what the sources build to. Run "npm run build" and commit:\n${changed}`);
  process.exitCode = 1;
}
