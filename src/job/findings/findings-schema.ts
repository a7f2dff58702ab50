// The JSON Schema of a review's reply. The service makes the agent keep to it. Pure.

import { VALIDATE_FINDINGS } from "../../contract/runs/review-output.ts";
import type { SubmitRunRequest } from "../../contract/runs/run-requests.ts";
import { verdicts } from "../../report/earlier-verdicts.ts";

type OutputSchema = NonNullable<SubmitRunRequest["output_schema"]>;

/** A summary, and findings at lines of the commit that was reviewed. */
export const findingsSchema: OutputSchema = {
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
          claim: {
            type: "string",
            description: "What goes wrong, and when: one sentence that the code alone proves or disproves.",
          },
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

/** The same, to be validated, with an answer for each of the earlier findings that are named. */
export function reviewSchema(earlierIds: readonly string[]): OutputSchema {
  const validated = { ...findingsSchema, [VALIDATE_FINDINGS]: true };
  if (earlierIds.length === 0) return validated;
  const { properties } = findingsSchema;
  const earlier = {
    type: "array",
    description: "What has become of each earlier finding, by its id.",
    maxItems: earlierIds.length,
    items: {
      type: "object",
      properties: {
        id: { enum: [...earlierIds] },
        verdict: { enum: [...verdicts] },
        reason: {
          type: "string",
          minLength: 1,
          description: "One sentence. Of a withdrawn one: why it was wrong.",
        },
      },
      required: ["id", "verdict"],
      if: { properties: { verdict: { const: "withdrawn" } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ["reason"] },
      additionalProperties: false,
    },
  };
  return { ...validated, properties: { earlier, ...(properties as object) } };
}
