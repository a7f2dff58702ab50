// GitLab's REST API as a job uses it. https://docs.gitlab.com/api/rest, …/api/rest/authentication, …/security/rate_limits (2026-11-28)

import * as z from "zod/mini";
import { singleLine } from "../base/untrusted-text.ts";
import type { TransportResponse } from "../client/transport.ts";
import {
  callHost,
  callName,
  decodeAnswer,
  type HostCall,
  type HostConnection,
  type HostDialect,
  MAX_DETAIL_CHARS,
  parsedJson,
} from "../job/code-host/host-api.ts";
import { GitLabError } from "./gitlab-error.ts";

const PAGE = 100;

export type GitLabOptions = HostConnection & {
  /** The number of the project. */
  readonly projectId: string;
};

type GitLabWrite = {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Below the project: "/issues/7". */
  readonly path: string;
  readonly body?: object;
};

/** Each call rejects with GitLabError, or with the signal's reason when it aborts. */
export interface GitLabApi {
  /** Below the project. Null for what GitLab does not show to the token. */
  read<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** Below the API: "/user". */
  readGlobal<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema>>;
  /** The items of each page in turn, at most `maxPages` of a hundred. The path is below the project, and has a query. */
  items<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    maxPages: number,
  ): AsyncGenerator<z.output<Schema>>;
  /** A POST is repeated only after a rate limit, which GitLab checks before it does anything. An empty answer is null. */
  write<Schema extends z.ZodMiniType>(write: GitLabWrite, schema: Schema): Promise<z.output<Schema>>;
}

/** Sends nothing until the first call. */
export function gitlabApi(options: GitLabOptions): GitLabApi {
  const dialect = dialectOf(options.token);
  const project = `/projects/${encodeURIComponent(options.projectId)}`;
  const send = (call: HostCall) => callHost(options, dialect, call);
  const get = async <Schema extends z.ZodMiniType>(
    path: string,
    { schema, name }: { schema: Schema; name: string },
  ): Promise<z.output<Schema>> => {
    const { body } = await send({ method: "GET", path, name });
    return decodeAnswer(dialect, { body, schema, name });
  };
  return {
    read: async (path, schema) => {
      try {
        return await get(project + path, { schema, name: callName("GET", path) });
      } catch (cause) {
        if (cause instanceof GitLabError && cause.status === 404) return null;
        throw cause;
      }
    },
    readGlobal: (path, schema) => get(path, { schema, name: callName("GET", path) }),
    async *items(path, schema, maxPages) {
      const list = z.array(schema);
      const name = callName("GET", path);
      for (let page = 1; page <= maxPages; page += 1) {
        const at = `${project}${path}&per_page=${PAGE}&page=${page}`;
        const answer = await send({ method: "GET", path: at, name });
        const items = decodeAnswer(dialect, { body: answer.body, schema: list, name });
        yield* items;
        // A page may have fewer: GitLab leaves out what the token may not see.
        const next = answer.headers("x-next-page");
        if (!(next === undefined ? items.length === PAGE : next !== "")) return;
      }
    },
    write: async ({ method, path, body }, schema) => {
      const name = callName(method, path);
      const call = { method, path: project + path, name, ...(body === undefined ? {} : { body }) };
      const answer = await send(call);
      return decodeAnswer(dialect, { body: answer.body === "" ? "null" : answer.body, schema, name });
    },
  };
}

function dialectOf(token: string): HostDialect {
  return {
    title: "GitLab",
    headers: { "private-token": token },
    failure: ({ body, ...failed }) => new GitLabError({ ...refusalIn(body), ...failed }),
    resetMs,
  };
}

/** Not every limit has a Retry-After: an older GitLab answers some of them without. */
function resetMs(answer: TransportResponse, nowMs: number): number | undefined {
  const reset = answer.headers("ratelimit-reset") ?? "";
  return /^\d{1,12}$/.test(reset) ? Math.max(0, Number(reset) * 1_000 - nowMs) : undefined;
}

/** `{message}` with a text, with texts, or with lists by field, or `{error, error_description}` of OAuth. */
const refusalSchema = z.object({
  message: z.optional(z.union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())])),
  error: z.optional(z.string()),
  error_description: z.optional(z.string()),
});

function refusalIn(body: string): { detail: string; lacksScope: boolean } {
  const refusal = refusalSchema.safeParse(parsedJson(body));
  if (!refusal.success) return { detail: "", lacksScope: false };
  const { message, error, error_description: description } = refusal.data;
  const said = Array.isArray(message)
    ? message.join(" ")
    : typeof message === "object"
      ? JSON.stringify(message)
      : message;
  const detail = singleLine(description ?? said ?? error ?? "", MAX_DETAIL_CHARS);
  return { detail, lacksScope: error === "insufficient_scope" };
}
