// The tool by which an agent shows its plan to the people who wait.

import * as z from "zod/mini";
import { planStepStatuses } from "../../../contract/runs/run-event.ts";
import type { BackendTask } from "../backend.ts";
import { PlanEvents } from "../plan-events.ts";
import { defineTool, type Tool } from "./tool.ts";

const MAX_STEPS = 30;
const MAX_STEP_CHARS = 200;

export function updatePlanTool(task: Pick<BackendTask, "emit">): Tool<string> {
  const events = new PlanEvents(task);
  return defineTool({
    name: "update_plan",
    description:
      "Shows the plan for the request to the people who follow it. Give the whole plan each time: it replaces the one before. Use it for work of more than three steps, and again when a step begins or ends. One step at a time is in_progress.",
    input: z.object({
      steps: z
        .array(
          z.object({
            text: z
              .string()
              .check(
                z.minLength(1),
                z.maxLength(MAX_STEP_CHARS),
                z.describe("What the step does, in a few words."),
              ),
            status: z.enum(planStepStatuses).check(z.describe("How far the step is.")),
          }),
        )
        .check(z.minLength(1), z.maxLength(MAX_STEPS), z.describe("All steps, in their order.")),
    }),
    async find({ steps }) {
      await events.follow(steps);
      const done = steps.filter(({ status }) => status === "completed").length;
      return `The plan is shown: ${done} of ${steps.length} steps are done.`;
    },
    format: (text) => text,
  });
}
