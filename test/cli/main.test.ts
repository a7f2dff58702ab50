import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/service-process.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("agent-service", () => {
  it.each([[[]], [["--help"]], [["-h"]], [["help"]], [["serve", "--help"]], [["serve", "-h"]]])(
    "explains itself on %j",
    async (args) => {
      const { code, stdout, stderr } = await runCommand(args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/agent-service serve/);
      for (const flag of ["--port", "--host", "--data-dir", "--base-url"]) expect(stdout).toContain(flag);
    },
  );

  it.each([[["--version"]], [["version"]]])("says its version on %j", async (args) => {
    const { code, stdout } = await runCommand(args);
    expect([code, stdout]).toEqual([0, version]);
  });

  it("refuses a command that there is not, and names it", async () => {
    const { code, stdout, stderr } = await runCommand(["sevre"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^There is no command "sevre"\.\n/);
    expect(stderr).toContain("agent-service serve");
  });
});
