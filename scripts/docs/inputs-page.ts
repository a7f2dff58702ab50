// docs/inputs.md: the Action's inputs and outputs, from action.yml and the declarations of inputs.

import { readManifestSection } from "../../fakes/runner/action-manifest.ts";
import { inputSettings } from "../../src/action/inputs.ts";
import { modelInputSettings } from "../../src/action/model-inputs.ts";
import { codeOrNothing, markdownTable } from "./markdown-table.ts";

export function inputsPage(): string {
  return `# Inputs and outputs of the Action

## Inputs

Give \`prompt\` or \`prompt-file\`, or neither: then the step takes a request that fits the event. A wrong input is named
with what is allowed, all of them at once, before anything is sent. An empty input is the same as none.

${inputsTable()}

## Outputs

${outputsTable()}

What the values of \`conclusion\` and \`reason\` mean: [conclusions and reasons](conclusions.md).
`;
}

function inputsTable(): string {
  const kinds = new Map(Object.entries({ ...inputSettings, ...modelInputSettings }));
  const rows = Object.entries(readManifestSection("inputs")).map(([name, field]) => [
    `\`${name}\``,
    field.description,
    kinds.get(name)?.kind.allowed ?? "",
    codeOrNothing(field.default ?? ""),
  ]);
  return markdownTable(["Input", "Meaning", "Allowed", "Default"], rows);
}

function outputsTable(): string {
  const rows = Object.entries(readManifestSection("outputs")).map(([name, { description }]) => [
    `\`${name}\``,
    description,
  ]);
  return markdownTable(["Output", "Meaning"], rows);
}
