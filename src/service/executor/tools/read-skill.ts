// The tool that reads one of the repository's skills.

import * as z from "zod/mini";
import type { ProjectMemory } from "../memory/project-memory.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";

export function readSkillTool(memory: Pick<ProjectMemory, "skills" | "skillText">): Tool<string> {
  return defineTool({
    name: "read_skill",
    description:
      "Reads one of the repository's skills: how its people do a certain kind of work here. The instructions list them.",
    input: z.object({ name: z.string().check(z.minLength(1), z.describe("The skill's name, as listed.")) }),
    async find({ name }) {
      const text = await memory.skillText(name);
      if (text !== null) return text;
      const names = memory.skills.map((skill) => skill.name).join(", ");
      throw new ToolError("not_found", `There is no skill of that name. The skills are: ${names}.`);
    },
    format: (text) => text,
  });
}
