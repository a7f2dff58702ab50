// The extension io.modelcontextprotocol/tasks (SEP-2663) on a server: a tool call that goes on after its answer. The
// library has only the client's side of it.

import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { Tasks } from "./surface.ts";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Decoded after the client's capabilities were checked: a client without the extension is told that first. */
const anyParams = z.looseObject({});
const envelopeSchema = z.looseObject({ [CLIENT_CAPABILITIES_META_KEY]: z.optional(z.looseObject({})) });
const taskParams = z.object({ taskId: z.string() });

/** Whether the client of this request takes a task in the place of a tool's result. */
export function takesTasks(context: ServerContext): boolean {
  const { extensions } = clientCapabilities(context);
  return typeof extensions === "object" && extensions !== null && TASKS_EXTENSION in extensions;
}

/** Capabilities that the client of this request declares. */
export function clientCapabilities({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  const parsed = envelopeSchema.safeParse(mcpReq.envelope);
  return parsed.success ? (parsed.data[CLIENT_CAPABILITIES_META_KEY] ?? {}) : {};
}

/** Throws for a client without the extension. */
export function requireTasks(context: ServerContext): void {
  if (takesTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

/** Serves `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function serveTasks(server: Server, tasks: Tasks): void {
  server.setRequestHandler("tasks/get", { params: anyParams }, async (params, context) => {
    requireTasks(context);
    return { ...(await tasks.get(taskIdOf(params))) };
  });
  server.setRequestHandler("tasks/update", { params: anyParams }, async (params, context) => {
    requireTasks(context);
    // The library takes them out of the parameters of every method.
    await tasks.update(taskIdOf(params), context.mcpReq.inputResponses ?? {});
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: anyParams }, async (params, context) => {
    requireTasks(context);
    await tasks.cancel(taskIdOf(params));
    return {};
  });
}

function taskIdOf(params: unknown): string {
  const parsed = taskParams.safeParse(params);
  // An id that nobody has: the answer is the one of an unknown task.
  return parsed.success ? parsed.data.taskId : "";
}
