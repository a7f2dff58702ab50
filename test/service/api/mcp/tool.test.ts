// Tools that derive from routes: what a tool may not leave out or make up does not compile; the compiler is what tests it.

import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { ok } from "../../../../src/base/result.ts";
import { field } from "../../../../src/contract/field.ts";
import { scheduleRoutes } from "../../../../src/contract/schedules/routes.ts";
import { copyRoutes } from "../../../../src/contract/workspaces/copies/routes.ts";
import type { NounHandlers } from "../../../../src/service/api/http/handler.ts";
import { answer, type McpToolContext, said, tool } from "../../../../src/service/api/mcp/tool.ts";

const texts = { name: "one", title: "One", description: "One.", hints: {} } as const;
const output = z.object({ id: z.string() });
const run = async () => ok(answer({ id: "" }, ""));
declare const handlers: NounHandlers<typeof scheduleRoutes>;
const say = ({ id }: { readonly id: string }) => answer({ id }, "");

describe("a tool", () => {
  it("takes the path parameters, the query and the body of its route, by names of its own, and fields beside", () => {
    const adds = { wait_seconds: field(z._default(z.int(), 30), "How long.") };
    const { listing, scopes } = tool(copyRoutes.list, { ...texts, adds, output, run });
    expect(scopes).toEqual(["workspaces:read"]);
    expect(listing.inputSchema).toEqual({
      type: "object",
      properties: {
        workspace_id: { description: "The workspace's id.", type: "string", format: "uuid" },
        cursor: expect.objectContaining({ type: "string" }),
        limit: { description: "Items at most.", type: "integer", minimum: 1, maximum: 1_000, default: 100 },
        state: expect.objectContaining({ enum: ["ready", "held", "deleting"] }),
        wait_seconds: { description: "How long.", type: "integer", default: 30 },
      },
      required: ["workspace_id"],
      additionalProperties: false,
    });
  });

  it("gives its arguments to the route's handler where the route has them", async () => {
    const seen: unknown[] = [];
    const made = tool(copyRoutes.create, {
      ...texts,
      output,
      run: async ({ params, query, body, idempotencyKey }) => {
        seen.push({ params, query, body, idempotencyKey });
        return ok(answer({ id: "" }, ""));
      },
    });
    const args = { workspace_id: "w", revision_id: "r", idempotency_key: "k" };
    await made.run(args, {} as McpToolContext);
    expect(seen).toEqual([
      { params: { workspaceID: "w" }, query: null, body: { base_revision_id: "r" }, idempotencyKey: "k" },
    ]);
  });

  it("does not compile with a field that its route has not, or where a handler lacks one", () => {
    // A directive that meets no error is an error itself: the check of types fails once one of these compiles.
    const made = [
      // @ts-expect-error The route's path has no such parameter.
      () => tool(copyRoutes.get, { ...texts, output, run, finds: ["memberID"] }),
      // @ts-expect-error The route's query has no such field.
      () => tool(copyRoutes.list, { ...texts, output, run, takes: ["status"] }),
      // @ts-expect-error The text is of no field.
      () => tool(copyRoutes.list, { ...texts, output, run, fields: { status: "Its state." } }),
      // @ts-expect-error A field of its own has no text.
      () => tool(copyRoutes.list, { ...texts, output, run, adds: { wait: z.int() } }),
      () =>
        tool(scheduleRoutes.cancel, {
          ...texts,
          output,
          finds: ["scheduleID"],
          // @ts-expect-error The handler needs the parameter that no argument names.
          run: async (request) => said(await handlers.cancel(request), say),
        }),
      () =>
        tool(scheduleRoutes.create, {
          ...texts,
          output,
          takes: ["delay_seconds"],
          // @ts-expect-error The handler needs the prompt, which the tool does not take.
          run: async (request) => said(await handlers.create(request), say),
        }),
      () =>
        tool(scheduleRoutes.cancel, {
          ...texts,
          output,
          run: async (request) => said(await handlers.cancel(request), say),
        }),
    ];
    expect(made).toHaveLength(7);
  });
});
