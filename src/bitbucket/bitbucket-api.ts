// Bitbucket Cloud's REST API as a job uses it. https://developer.atlassian.com/cloud/bitbucket/rest/intro (2026-11-29)

import * as z from "zod/mini";
import { singleLine } from "../base/untrusted-text.ts";
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
import { BitbucketError, type ScopeLack } from "./bitbucket-error.ts";

/** The most that every list takes. */
const PAGE = 50;
/** A diff that takes too long: https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commits/#api-repositories-workspace-repo-slug-diff-spec-get */
const TIMED_OUT = 555;

export type BitbucketOptions = HostConnection & {
  /** `workspace/repository`. */
  readonly repository: string;
};

type BitbucketWrite = {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Below the repository: "/pullrequests/7". */
  readonly path: string;
  readonly body?: object;
};

/** Each call rejects with BitbucketError, or with the signal's reason when it aborts. */
export interface BitbucketApi {
  /** Below the repository. Null for what Bitbucket does not show to the token. */
  read<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** The same, as it is, in at most so many bytes. */
  readText(path: string, maxBytes: number): Promise<string | null>;
  /** Below the API: "/user". */
  readGlobal<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema>>;
  /** The repository itself, and the scopes of the token: null where Bitbucket does not say them. */
  readRepository<Schema extends z.ZodMiniType>(
    schema: Schema,
  ): Promise<{ readonly value: z.output<Schema>; readonly scopes: readonly string[] | null }>;
  /** The items of each page in turn, at most `maxPages` of fifty. The path is below the repository, and has a query. */
  items<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    maxPages: number,
  ): AsyncGenerator<z.output<Schema>>;
  /** An empty answer is null. */
  write<Schema extends z.ZodMiniType>(write: BitbucketWrite, schema: Schema): Promise<z.output<Schema>>;
}

/** Sends nothing until the first call. */
export function bitbucketApi(options: BitbucketOptions): BitbucketApi {
  const dialect = dialectOf(options.token);
  const repository = `/repositories/${options.repository.split("/").map(encodeURIComponent).join("/")}`;
  const send = (call: HostCall) => callHost(options, dialect, call);
  const get = async <Schema extends z.ZodMiniType>(path: string, schema: Schema, name: string) => {
    const { body } = await send({ method: "GET", path, name });
    return decodeAnswer(dialect, { body, schema, name });
  };
  return {
    read: (path, schema) => shown(get(repository + path, schema, callName("GET", path))),
    readText: async (path, rawBytes) => {
      const name = callName("GET", path);
      const answer = await shown(send({ method: "GET", path: repository + path, name, rawBytes }));
      return answer?.body ?? null;
    },
    readGlobal: (path, schema) => get(path, schema, callName("GET", path)),
    readRepository: async (schema) => {
      const name = callName("GET", repository);
      const { body, headers } = await send({ method: "GET", path: repository, name });
      return {
        value: decodeAnswer(dialect, { body, schema, name }),
        scopes: scopesIn(headers("x-oauth-scopes")),
      };
    },
    async *items<Schema extends z.ZodMiniType>(path: string, schema: Schema, maxPages: number) {
      const page = z.object({ values: z.array(schema), next: z.optional(z.string()) });
      const name = callName("GET", path);
      let at: string | undefined = `${repository}${path}&pagelen=${PAGE}`;
      for (let count = 0; at !== undefined && count < maxPages; count += 1) {
        const found: z.output<typeof page> = await get(at, page, name);
        yield* found.values;
        at = found.next === undefined ? undefined : belowApi(found.next, { apiUrl: options.apiUrl, name });
      }
    },
    write: async ({ method, path, body }, schema) => {
      const name = callName(method, path);
      const call = { method, path: repository + path, name, ...(body === undefined ? {} : { body }) };
      const answer = await send(call);
      return decodeAnswer(dialect, { body: answer.body === "" ? "null" : answer.body, schema, name });
    },
  };
}

async function shown<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof BitbucketError && cause.status === 404) return null;
    throw cause;
  }
}

/** Bitbucket names the next page by its whole address; the token goes to the API alone. */
function belowApi(
  next: string,
  { apiUrl, name }: { readonly apiUrl: string; readonly name: string },
): string {
  if (next.startsWith(`${apiUrl}/`)) return next.slice(apiUrl.length);
  throw new BitbucketError({
    code: "code_host_unavailable",
    call: name,
    status: 200,
    detail: "The address of the next page is not below the API.",
  });
}

function dialectOf(token: string): HostDialect {
  return {
    title: "Bitbucket",
    headers: { authorization: `Bearer ${token}` },
    failure: ({ body, ...failed }) => new BitbucketError({ ...refusalIn(body), ...failed }),
    lasting: [TIMED_OUT],
  };
}

/** "pullrequest:write, repository" */
function scopesIn(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  return header.split(",").flatMap((scope) => scope.trim() || []);
}

const scopes = z.union([z.array(z.string()), z.string()]);
const refusalSchema = z.object({
  error: z.object({
    message: z.optional(z.string()),
    detail: z.optional(
      z.union([
        z.string(),
        z.object({ required: scopes, granted: scopes }),
        z.record(z.string(), z.unknown()),
      ]),
    ),
  }),
});

/** `{error: {message, detail}}`: the detail is a text, or of a token that lacks a scope the lists of scopes. */
function refusalIn(body: string): { detail: string; scopeLack: ScopeLack | null } {
  const refusal = refusalSchema.safeParse(parsedJson(body));
  if (!refusal.success) return { detail: "", scopeLack: null };
  const { message = "", detail } = refusal.data.error;
  const said = typeof detail === "string" ? `${message} ${detail}` : message;
  return { detail: singleLine(said.trim(), MAX_DETAIL_CHARS), scopeLack: lackIn(detail) };
}

function lackIn(detail: unknown): ScopeLack | null {
  const lack = z.object({ required: scopes, granted: scopes }).safeParse(detail);
  if (!lack.success) return null;
  return { required: [lack.data.required].flat(), granted: [lack.data.granted].flat() };
}
