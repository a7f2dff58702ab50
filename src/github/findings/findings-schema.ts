// The JSON Schema of a review's reply. The service makes the agent keep to it. Pure.

import type { SubmitRunRequest } from "../../contract/runs/run-requests.ts";

/** A summary, and findings at lines of the commit that was reviewed. */
export const findingsSchema: NonNullable<SubmitRunRequest["output_schema"]> = {
  type: "object",
  properties: {
    summary: { type: "string", description: "The verdict in Markdown, without the findings." },
    findings: {
      type: "array",
      maxItems: 50,
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "Relative to the repository's root." },
          line: {
            type: "integer",
            minimum: 1,
            description: "The last line that it is about, in the new file.",
          },
          start_line: { type: "integer", minimum: 1, description: "The first one, where there are several." },
          severity: { enum: ["error", "warning", "notice"] },
          title: { type: "string", description: "One line." },
          body: { type: "string", description: "What is wrong, why, and what to do, in Markdown." },
          suggestion: {
            type: "string",
            description: "The text that those lines should be replaced with, where that is the whole fix.",
          },
        },
        required: ["path", "line", "severity", "title", "body"],
        additionalProperties: false,
      },
    },
  },
  required: ["summary", "findings"],
  additionalProperties: false,
};
