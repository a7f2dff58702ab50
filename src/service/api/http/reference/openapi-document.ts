// The parts of an OpenAPI document that the reference page reads, with references replaced by their targets. Pure.

import * as z from "zod/mini";
import { isSchema, type JsonSchema } from "./schema-table.ts";

export const METHODS = ["get", "post", "put", "patch", "delete"] as const;

const anySchema = z.record(z.string(), z.unknown());
const contentSchema = z.record(
  z.string(),
  z.looseObject({
    schema: z.optional(anySchema),
    example: z.optional(z.unknown()),
    examples: z.optional(anySchema),
  }),
);
const responseSchema = z.looseObject({
  description: z.string(),
  headers: z.optional(anySchema),
  content: z.optional(contentSchema),
  /** Its name, where it is a component. */
  component: z.optional(z.string()),
});
const operationSchema = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  security: z.optional(z.array(anySchema)),
  parameters: z.optional(
    z.array(
      z.looseObject({
        name: z.string(),
        in: z.string(),
        required: z.optional(z.boolean()),
        description: z.optional(z.string()),
        schema: anySchema,
      }),
    ),
  ),
  /** Of a WebSocket: what each side sends. */
  "x-frames": z.optional(contentSchema),
  requestBody: z.optional(z.looseObject({ required: z.optional(z.boolean()), content: contentSchema })),
  responses: z.record(z.string(), responseSchema),
});

const documentSchema = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.optional(z.string()) }),
  servers: z.array(z.looseObject({ url: z.string() })),
  tags: z.optional(z.array(z.looseObject({ name: z.string(), description: z.optional(z.string()) }))),
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), operationSchema)),
  components: z.looseObject({
    securitySchemes: z.record(z.string(), z.looseObject({ description: z.optional(z.string()) })),
    schemas: z.record(z.string(), anySchema),
    responses: z.optional(z.record(z.string(), responseSchema)),
  }),
});

export type Document = z.infer<typeof documentSchema>;
export type DocumentOperation = z.infer<typeof operationSchema> & {
  readonly method: string;
  readonly path: string;
};
export type ResponseObject = z.infer<typeof responseSchema>;
export type MediaTypeObject = z.infer<typeof contentSchema>;
export type Schemas = Readonly<Record<string, JsonSchema>>;

/** The document; what the page does not know is left out. Throws on what is no OpenAPI document. */
export function readDocument(openApi: unknown): Document {
  return documentSchema.parse(putInPlace(openApi, isSchema(openApi) ? openApi.components : undefined));
}

/** Puts components where they are referred to; all but schemas, which have a place of their own on the page. */
function putInPlace(value: unknown, components: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => putInPlace(one, components));
  if (!isSchema(value)) return value;
  const [, kind = "", component = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(String(value.$ref)) ?? [];
  if (component === "" || kind === "schemas" || !isSchema(components)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, putInPlace(one, components)]));
  }
  const found = isSchema(components[kind]) ? components[kind][component] : undefined;
  return isSchema(found) ? { ...(putInPlace(found, components) as JsonSchema), component } : found;
}
