// docs/inputs.md: the Action's inputs and outputs, from action.yml. Pure but for reading that file.

import { readManifestSection } from "../../test/support/action-manifest.ts";
import { codeOrNothing, markdownTable } from "./markdown-table.ts";

export function inputsPage(): string {
  return `# Inputs and outputs of the Action

## Inputs

A wrong input is named with what is allowed, all of them at once, before anything is sent. An empty input is the same as
none.

${inputsTable()}

## Outputs

${outputsTable()}
`;
}

function inputsTable(): string {
  const rows = Object.entries(readManifestSection("inputs")).map(([name, field]) => [
    `\`${name}\``,
    field.description,
    field.required ? "**required**" : codeOrNothing(field.default ?? ""),
  ]);
  return markdownTable(["Input", "Meaning", "Default"], rows);
}

function outputsTable(): string {
  const rows = Object.entries(readManifestSection("outputs")).map(([name, { description }]) => [
    `\`${name}\``,
    description,
  ]);
  return markdownTable(["Output", "Meaning"], rows);
}
