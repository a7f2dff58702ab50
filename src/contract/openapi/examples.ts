// Every example of the OpenAPI document: one story, told with the ids of examples/story.ts. Pure.

import type * as z from "zod/mini";
import { agentExamples } from "../agents/examples.ts";
import { ciExamples } from "../ci/examples.ts";
import { operationExamples } from "../operation/examples.ts";
import { problemExamples } from "../problems/examples.ts";
import { runExamples } from "../runs/examples.ts";
import { scheduleExamples } from "../schedules/examples.ts";
import type { documentSchemas, SchemaName } from "./schemas.ts";

/** Examples by their names, each of the type of its schema. */
export type Examples = Readonly<
  Record<
    string,
    {
      [Name in SchemaName]: {
        readonly schema: Name;
        readonly summary: string;
        readonly value: z.input<(typeof documentSchemas)[Name]>;
      };
    }[SchemaName]
  >
>;

export const documentExamples = {
  ...ciExamples,
  ...agentExamples,
  ...runExamples,
  ...scheduleExamples,
  ...operationExamples,
  ...problemExamples,
} satisfies Examples;

type DocumentExamples = typeof documentExamples;

/** The names of the examples of a schema. */
export type ExampleName<Name extends SchemaName> = {
  [Key in keyof DocumentExamples]: DocumentExamples[Key]["schema"] extends Name ? Key : never;
}[keyof DocumentExamples];
