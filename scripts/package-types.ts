// Writes npm/client.d.ts: the client's types in one file that needs no other package. What the contract's types take
// from zod is taken up, so that who uses the client installs no zod.
// Why: docs/decisions/027-what-npm-holds-is-not-committed.md

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const root = join(import.meta.dirname, "..");
/** zod's own declarations break rules of the compiler, which zod silences line by line: those lines are not taken up. */
const HEADER = "// @ts-nocheck\n";

/** Inside the project, so that what the declarations import is found. */
const folder = await mkdtemp(join(root, "npm", ".types-"));
try {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.types.json", "--outDir", folder], {
    cwd: root,
    stdio: "inherit",
  });
  const bundle = await rolldown({
    input: join(folder, "client/client.d.ts"),
    plugins: [dts({ dtsInput: true, resolver: "oxc" })],
    resolve: { conditionNames: ["types", "import"] },
    // zod's entry names declarations of another module system, none of which the client's types reach.
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "es" });
  const [file, ...others] = output;
  const code = file?.type === "chunk" ? file.code : "";
  if (others.length > 0 || code === "" || /^(?:import|export) .* from /m.test(code)) {
    throw new Error("The client's types are not one file that needs no other.");
  }
  await writeFile(join(root, "npm/client.d.ts"), HEADER + code);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`npm/client.d.ts ${(await readFile(join(root, "npm/client.d.ts"))).byteLength} bytes\n`);
