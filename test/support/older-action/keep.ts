// Keeps the built Action and the client of the last commit whose clients know no parked runs, out of the project's history:
// `node test/support/older-action/keep.ts`. The Action is the bundle that is committed there, as `git show` has it. The client was
// not committed as built: it is bundled from its sources of that commit, with the packages that are installed now.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { LAST_WITHOUT_PARKING } from "../../../scripts/test-needs.ts";

const PROJECT = join(import.meta.dirname, "../../..");
/** What a push and a comment need on a service, and the licences of the packages within. */
const KEPT = [
  "action.yml",
  "dist/LICENSES.txt",
  "dist/github.cjs",
  "dist/later.cjs",
  "dist/main.cjs",
  "dist/post.cjs",
  "dist/step.cjs",
];
const maxBuffer = 64 * 1024 * 1024;

const files: Record<string, string> = {};
for (const path of KEPT)
  files[path] = execFileSync("git", ["show", `${LAST_WITHOUT_PARKING}:${path}`], {
    cwd: PROJECT,
    maxBuffer,
    encoding: "utf8",
  });
files["client.mjs"] = await bundledClient();
const text = Buffer.from(JSON.stringify(files));
const params = {
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
};
await writeFile(join(import.meta.dirname, "files.json.br"), brotliCompressSync(text, { params }));

async function bundledClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "older-client-"));
  try {
    const input = execFileSync("git", ["archive", LAST_WITHOUT_PARKING, "src", "package.json"], {
      cwd: PROJECT,
      maxBuffer,
    });
    execFileSync("tar", ["-x", "-C", folder], { input });
    const { outputFiles } = await build({
      entryPoints: [join(folder, "src/client/client.ts")],
      nodePaths: [join(PROJECT, "node_modules")],
      bundle: true,
      minify: true,
      platform: "node",
      format: "esm",
      write: false,
      logLevel: "error",
    });
    return outputFiles[0]?.text ?? "";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
