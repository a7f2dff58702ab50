// The system instructions: the part that is the same for all runs first, then the texts of the repository and the caller, then
// the place of this run. Nothing in them differs from turn to turn, so that a provider's cache can keep them. Pure.
// Why: docs/decisions/052-prompt-and-memory.md

import type { BareTask, RepositoryTask } from "../../backend.ts";
import type { ProjectMemory } from "../../memory/project-memory.ts";
import { type EnvironmentFacts, environmentText } from "./environment-text.ts";
import { type WorkingFacts, workingText } from "./working-text.ts";

export type Briefing = {
  readonly task: RepositoryTask | BareTask;
  readonly working: Omit<WorkingFacts, "hasForm">;
  readonly memory: Pick<ProjectMemory, "rootTexts" | "skills">;
  /** The caller's `system` messages. */
  readonly system: readonly string[];
  readonly environment: EnvironmentFacts;
  /** The reply's JSON Schema, as text. */
  readonly outputSchema: string | null;
};

export function instructionsFor(briefing: Briefing): string {
  const { task, working, memory, system, environment, outputSchema } = briefing;
  return [
    workingText({ ...working, hasForm: outputSchema !== null }),
    ...(outputSchema === null ? [] : [formText(outputSchema)]),
    ...memoryText(memory),
    ...skillsText(memory),
    ...(system.length === 0 ? [] : [`# From the caller\n\n${system.join("\n\n")}`]),
    environmentText(task, environment),
  ].join("\n\n");
}

function formText(schema: string): string {
  return `# Your answer

Your final answer must be one JSON value that fits the JSON Schema below, and nothing else: no prose, no Markdown around it. Where the schema has a place for it, say there what you did not verify.

${schema}`;
}

function memoryText({ rootTexts }: Briefing["memory"]): string[] {
  if (rootTexts.length === 0) return [];
  const intro =
    "The people of this repository wrote these notes for whoever works on it. Follow them as the project's way of working, as far as they contradict neither the rules above nor the request.";
  return [
    `# Notes of the repository\n\n${intro}`,
    ...rootTexts.map(({ path, text }) => `## From ${JSON.stringify(path)}\n\n${text}`),
  ];
}

function skillsText({ skills }: Briefing["memory"]): string[] {
  if (skills.length === 0) return [];
  const lines = skills.map(
    ({ name, description }) => `- ${name}${description === "" ? "" : `: ${description}`}`,
  );
  return [
    `# Skills\n\nThe repository describes how certain work is done here. Read a skill with read_skill before you do work that it fits.\n\n${lines.join("\n")}`,
  ];
}
