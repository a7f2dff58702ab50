import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { confineAgent } from "../../../../../src/service/sandbox/confine-agent.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import { closeBeds, runAgent } from "../../../../support/acp-bed.ts";
import { hasBubblewrap, processesWith, SandboxBed } from "../../../sandbox/sandbox-bed.ts";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../../../../..");
const text: AgentStep = {
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } },
};

afterAll(closeBeds);

describe.skipIf(!hasBubblewrap)("an agent in bubblewrap", () => {
  it("works in its workspace, sees no other, and ends with what it started", async () => {
    const bed = new SandboxBed();
    const shown = ["src", "test", "node_modules"].map((folder) => `${project}/${folder}`);
    const config = bed.config({ config: { readPaths: [...shown, dirname(process.execPath)] } });
    const confine = await confineAgent(config);
    const { outcome, heard, workspace } = await runAgent({
      files: { "a.txt": "one" },
      settings: { confine: (start) => confine(start) },
      turn: [
        { do: "look", path: "$ROOT/a.txt" },
        { do: "look", path: bed.otherRun },
        { do: "look", path: `${project}/package.json` },
        { do: "leave", detached: true },
        text,
      ],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(heard.filter(({ what }) => what === "look").map(({ value }) => value)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await processesWith(workspace.root)).toEqual([]);
    await bed.close();
  });
});
