// How each coding agent is started, as a golden file: an argument or a variable that is lost changes what the agent may do.

import { expect, it } from "vitest";
import { codingAgentNames, codingAgents } from "../../../../../src/contract/ci/coding-agents.ts";
import { knownAgent } from "../../../../../src/service/executor/backends/acp/known-agents.ts";

const starts = codingAgentNames.flatMap((name) =>
  codingAgents[name].wires.map((wire) => [name, wire] as const),
);

it("starts each agent, by each protocol of its model, with what it needs and nothing else", async () => {
  const known = Object.fromEntries(
    starts.map(([name, wire]) => [`${name} by ${wire}`, knownAgent(name, { model: "the-model", wire })]),
  );
  await expect(`${JSON.stringify(known, null, 2)}\n`).toMatchFileSnapshot("./golden/known-agents.json");
});

it.each(starts)("starts %s by %s without a model's name only where it chooses one itself", (name, wire) => {
  expect(knownAgent(name, { model: null, wire }) === null).toBe(name !== "copilot");
});
