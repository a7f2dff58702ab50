// What a command of the agent finds of the step's tokens where there is no sandbox: it looks at every process above it.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { trusts } from "../../fakes/model-house/trust.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

/** Of the shell and of all above it: each line once. */
const LOOK_AROUND = `pid=$$
while [ "$pid" -gt 0 ]; do
  echo "process $pid"
  tr '\\0' '\\n' <"/proc/$pid/cmdline"
  tr '\\0' '\\n' <"/proc/$pid/environ"
  echo
  pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
done | sort -u`;
const RUNTIME_TOKEN = "eyJ.runtime-token-of-the-step";
const PASSED_KEY = "sk-a-key-of-the-workflow";

let fixture: EmbeddedFixture;
let house: ModelHouse;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ "README.md": "# Hello\n" });
  const script = byTurn([call("run_command", { command: LOOK_AROUND }), say("I looked around.")]);
  const trust = { anthropic: { subjectPrefix: "" } };
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, script, trust });
});
afterEach(async () => {
  await house.close();
  await fixture.close();
});

const identifiers = Object.entries(trusts.anthropic.identifiers);

/** What the command saw; several processes at least. */
function seen(): string {
  const [result] = house.model.toolResults();
  const told = result?.text ?? "";
  expect(told.match(/^process \d+$/gm)?.length).toBeGreaterThan(1);
  expect(told).toContain("PATH=");
  expect(told).toMatch(/\[exit code 0\]$/);
  return told;
}

describe("a command without a sandbox", { tags: ["linux"] }, () => {
  it("finds no token of the Action's step in any process above it", async () => {
    const job = await fixture.job({ idToken: true });
    fixture.checkOut(job);
    const inputs = {
      prompt: "Look around.",
      model: "scripted-model",
      ...Object.fromEntries(
        identifiers.map(([field, id]) => [`anthropic-${field.replaceAll("_", "-")}`, id]),
      ),
    };
    const env = {
      ...house.env,
      SANDBOX: "off",
      ACTIONS_RUNTIME_TOKEN: RUNTIME_TOKEN,
      SOME_API_KEY: PASSED_KEY,
    };
    const step = await fixture.main(job, { inputs, env, where: "process" });
    expect(step.outputs.reply).toBe("I looked around.");
    const found = seen();
    for (const secret of [...house.secrets(), job.idTokenRequestToken, RUNTIME_TOKEN, PASSED_KEY, "***"])
      expect(found).not.toContain(secret);
    expect(found).not.toMatch(/ACTIONS_|INPUT_/);
  });
});
