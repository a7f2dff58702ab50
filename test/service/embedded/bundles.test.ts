// Which file under dist/ holds what: whoever uses a service elsewhere loads nothing of one, nor of a model.

import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { bundles } from "../../../scripts/build.ts";

async function inputsOf(outfile: string): Promise<string[]> {
  const bundle = bundles.find((candidate) => candidate.outfile === outfile);
  if (bundle === undefined) throw new Error(`There is no ${outfile}.`);
  const { entry, options } = bundle;
  const { metafile } = await build({
    ...options,
    entryPoints: [entry],
    outfile,
    metafile: true,
    write: false,
  });
  // What nothing uses is read, and left out.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}

const ofService = (path: string) => path.startsWith("src/service/");
const ofModel = (path: string) => /node_modules\/(ai|@ai-sdk)\//.test(path);

describe("the bundles", () => {
  it("of the Action hold no service", async () => {
    for (const outfile of ["dist/main.cjs", "dist/step.cjs", "dist/post.cjs"])
      expect((await inputsOf(outfile)).filter(ofService)).toEqual([]);
  });

  it("of the main step hold nothing that its first request does not need: no schemas, no pages", async () => {
    const isLater = (path: string) =>
      /node_modules\/zod\/|^src\/render\/(summary|timeline|log-parts)|http-client\/lib\/index|^src\/github\/trigger\/prompt-file/.test(
        path,
      );
    for (const outfile of ["dist/main.cjs", "dist/step.cjs"])
      expect((await inputsOf(outfile)).filter(isLater)).toEqual([]);
    expect((await inputsOf("dist/later.cjs")).filter(isLater).length).toBeGreaterThan(3);
  });

  it("hold GitHub's client once, in a file of its own", async () => {
    const isClient = (path: string) => /node_modules\/(@actions\/github|@octokit)\//.test(path);
    for (const outfile of [
      "dist/main.cjs",
      "dist/step.cjs",
      "dist/later.cjs",
      "dist/post.cjs",
      "dist/github.cjs",
    ])
      expect((await inputsOf(outfile)).filter(isClient)).toEqual([]);
    const held = await inputsOf("dist/octokit.cjs");
    expect(held).toContain("node_modules/@actions/github/lib/utils.js");
    expect(held).not.toContain("node_modules/@actions/github/lib/context.js");
    expect(held.filter((path) => /^node_modules\/.*(http-client|undici)\//.test(path))).toEqual([]);
  });

  it("of the service and the command hold no model; that has one of its own", async () => {
    for (const outfile of ["dist/service.mjs", "npm/serve.mjs", "npm/commands.mjs"])
      expect((await inputsOf(outfile)).filter(ofModel)).toEqual([]);
    expect((await inputsOf("dist/model.mjs")).some(ofModel)).toBe(true);
  });

  it("of serve hold no other command, and nothing that a job or a client needs", async () => {
    const isOther = (path: string) =>
      /^src\/(client\/(?!errors\.ts)|ci\/|job\/|github\/|doctor\/|render\/)|^src\/cli\/(commands|run|runs|keys|agents|operate)\.ts$/.test(
        path,
      );
    expect((await inputsOf("npm/serve.mjs")).filter(isOther)).toEqual([]);
    expect((await inputsOf("npm/commands.mjs")).filter(isOther).length).toBeGreaterThan(20);
    expect(await inputsOf("npm/cli.mjs")).toEqual(["src/ci/initial-environment.ts", "src/cli/main.ts"]);
  });
});
