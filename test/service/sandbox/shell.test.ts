// Commands are executed by bash, in every kind of sandbox: models write bash, and dash takes the same line for another one.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../../fakes/kubernetes/cluster.ts";
import { programIn } from "../../../src/base/program-path.ts";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { SandboxFixture } from "./sandbox-fixture.ts";

let fixture: SandboxFixture;
let cluster: FakeCluster | null;
beforeEach(() => {
  fixture = new SandboxFixture();
  cluster = null;
});
afterEach(async () => {
  await cluster?.close();
  await fixture.close();
});

const kinds = [
  { kind: "bubblewrap", mode: "bubblewrap", tags: ["sandbox"] },
  { kind: "a container", mode: "container", tags: [] },
  { kind: "no sandbox", mode: "off", tags: [] },
  { kind: "a pod", mode: "kubernetes", tags: ["sandbox"] },
] as const;

/** A container of the operator that has the programs of `path`. */
async function open(mode: (typeof kinds)[number]["mode"], path = process.env.PATH ?? ""): Promise<Sandbox> {
  const start = JSON.stringify(["/usr/bin/env", `PATH=${path}`, "sh", "-c", "cd {checkout} && {command}"]);
  const isContainer = mode === "container";
  if (mode === "kubernetes") {
    cluster = await FakeCluster.start({ pods: "bubblewrap" });
    const sandbox = await fixture.find({ environment: cluster.environment });
    sandbox.places?.enter({ runId: "shell", root: fixture.checkout.root, onLost: () => {} });
    return sandbox;
  }
  return await fixture.find({
    environment: { SANDBOX: mode, ...(isContainer ? { SANDBOX_COMMAND: start } : { PATH: path }) },
  });
}

for (const { kind, mode, tags } of kinds)
  describe(`a command in ${kind}`, { tags: [...tags] }, () => {
    it("is executed by bash: redirections, exit codes, pipefail, tests, substitutions and arrays", async () => {
      const sandbox = await open(mode);
      const output = async (shell: string) => {
        const result = await fixture.result(sandbox, shell);
        return { output: result.output, exitCode: result.exitCode };
      };

      expect(await output("(echo out; echo err >&2; exit 3) &> log")).toEqual({ output: "", exitCode: 3 });
      expect(await output("cat log")).toEqual({ output: "out\nerr\n", exitCode: 0 });
      expect(await output("set -o pipefail\nfalse | cat")).toEqual({ output: "", exitCode: 1 });
      // biome-ignore lint/suspicious/noTemplateCurlyInString: written in bash, not in TypeScript
      expect(await output("[[ abc =~ ^a(b)c$ ]] && echo ${BASH_REMATCH[1]}")).toEqual({
        output: "b\n",
        exitCode: 0,
      });
      expect(await output('diff <(echo "it\'s one") <(echo two)')).toEqual({
        output: "1c1\n< it's one\n---\n> two\n",
        exitCode: 1,
      });
      // biome-ignore lint/suspicious/noTemplateCurlyInString: written in bash, not in TypeScript
      expect(await output('files=(a "b c"); for file in "${files[@]}"; do echo "<$file>"; done')).toEqual({
        output: "<a>\n<b c>\n",
        exitCode: 0,
      });
      expect((await output("kill -TERM $$")).exitCode).not.toBe(0);
    });
  });

describe("where the machine has no bash", () => {
  it.each(kinds.slice(1, 3))("a command in $kind is executed by /bin/sh", async ({ mode }) => {
    const folder = join(fixture.dataDir, "programs");
    mkdirSync(folder);
    for (const name of ["cat", "echo", "sh", "env"])
      symlinkSync((await programIn(process.env.PATH ?? "", name)) ?? name, join(folder, name));
    const sandbox = await open(mode, folder);

    // biome-ignore lint/suspicious/noTemplateCurlyInString: written in bash, not in TypeScript
    const result = await fixture.result(sandbox, 'echo "it\'s ${BASH_VERSION:-sh}"; exit 4');

    expect(result).toMatchObject({ output: "it's sh\n", exitCode: 4 });
  });
});
