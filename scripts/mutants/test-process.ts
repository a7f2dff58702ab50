// The process of Vitest that stays. Takes one request at a time from the process that started it, and answers when its tests have ended.

import { join, relative } from "node:path";
import { createVitest, type Reporter, type TestModule } from "vitest/node";

export type TestRequest = {
  readonly files: readonly string[];
  /** Executes all of them. Otherwise the first failure ends the run. */
  readonly isWhole: boolean;
};
export type Failure = { readonly file: string; readonly title: string };
export type TestsEnded = {
  /** The first of each file. */
  readonly failures: readonly Failure[];
};

async function main([root = "", kind = ""]: readonly string[]): Promise<void> {
  let failures: Failure[] = [];
  const reporter: Reporter = {
    onTestModuleEnd(module) {
      const title = firstFailureOf(module);
      if (title !== null) failures.push({ file: relative(root, module.moduleId), title });
    },
  };
  const vitest = await createVitest("test", {
    root,
    config: join(root, "mutants.config.ts"),
    watch: false,
    isolate: kind === "isolated",
    reporters: [reporter],
  });
  const project = vitest.getRootProject();
  process.on("message", async (request: TestRequest) => {
    failures = [];
    vitest.config.bail = request.isWhole ? 0 : 1;
    const { unhandledErrors } = await vitest.runTestSpecifications(
      request.files.map((file) => project.createSpecification(join(root, file))),
    );
    const [error] = unhandledErrors;
    if (error !== undefined && failures.length === 0)
      failures.push({ file: "outside of tests", title: String(error).split("\n")[0] ?? "" });
    process.send?.({ failures } satisfies TestsEnded);
  });
}

/** Its name, or the error that belongs to no test. */
function firstFailureOf(module: TestModule): string | null {
  for (const test of module.children.allTests("failed")) return test.fullName;
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
  const [error] = [...module.errors(), ...suites];
  return error === undefined ? null : (error.message.split("\n")[0] ?? "");
}

await main(process.argv.slice(2));
