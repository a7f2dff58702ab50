// The few reads of GitHub's REST API that decide whether an event may start a run: by the job's own token, with a bound
// on retries. https://docs.github.com/en/rest

import * as z from "zod/mini";
import type { BackoffPolicy } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import {
  type PullRequestEnds,
  pullRequestEnds,
  pullRequestSchema,
  type Remark,
  type RemarkTrigger,
} from "../../ci/github-trigger.ts";
import { DecodeError } from "../../client/errors.ts";
import { type RetryNotice, retrying } from "../../client/retry.ts";
import type { Transport, TransportResponse } from "../../client/transport.ts";
import { Declined } from "./declined.ts";

const RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 500, maxDelayMs: 60_000 };
const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const standingSchema = z.object({
  permission: z.string(),
  role_name: z.optional(z.string()),
  user: z.nullable(z.object({ id: z.int() })),
});
const writtenSchema = z.object({
  title: z.optional(z.string()),
  body: z.nullable(z.string()),
  updated_at: z.optional(z.string()),
});

const commentsSchema = z.array(
  z.object({
    id: z.int(),
    body: z.nullable(z.string()),
    user: z.nullable(z.object({ login: z.string() })),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);
const PAGE = 100;
const MAX_PAGES = 10;

/** What an account may do in the repository now. */
export type Standing = { readonly mayWrite: boolean; readonly accountId: number | null };

/** What an issue, a pull request, a comment or a review says now. */
export type Written = {
  readonly title: string | null;
  readonly body: string;
  readonly updatedAt: string | null;
};

export type EarlierComment = { readonly login: string | null; readonly body: string };

/** Each read is null for what the forge does not know, and rejects with Declined when it gives no answer. */
export interface ForgeReader {
  standing(login: string): Promise<Standing | null>;
  remark(trigger: RemarkTrigger): Promise<Written | null>;
  issue(number: number): Promise<Written | null>;
  pullRequest(number: number): Promise<PullRequestEnds | null>;
  /** The conversation before `remark`, oldest first, without what was edited since; of the first thousand comments. */
  comments(number: number, remark: Pick<Remark, "id" | "createdAt">): Promise<readonly EarlierComment[]>;
}

export type ForgeReaderOptions = {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

/** Opens nothing until it is asked. */
export function forgeReader(options: ForgeReaderOptions): ForgeReader {
  const read = async <Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> => {
    const response = await retrying({ ...options, policy: RETRY }, () => ask(options, path)).catch(
      (cause: unknown) => {
        options.signal?.throwIfAborted();
        if (cause instanceof Declined) throw cause;
        const detail = cause instanceof Error ? ` ${cause.message}` : "";
        const message = `GitHub's API gave no answer, so nobody knows who may start the agent.${detail} Re-run the job.`;
        throw new Declined("forge_unavailable", message, { cause });
      },
    );
    return response === null ? null : decode(path, response, schema);
  };
  const written = async (path: string): Promise<Written | null> => {
    const found = await read(path, writtenSchema);
    if (found === null) return null;
    return { title: found.title ?? null, body: found.body ?? "", updatedAt: found.updated_at ?? null };
  };
  return {
    standing: async (login) => {
      const found = await read(`/collaborators/${encodeURIComponent(login)}/permission`, standingSchema);
      if (found === null) return null;
      const roles = [found.permission, found.role_name ?? ""];
      const mayWrite = ["write", "maintain", "admin"].some((role) => roles.includes(role));
      return { mayWrite, accountId: found.user?.id ?? null };
    },
    remark: (trigger) => written(remarkPath(trigger)),
    issue: (number) => written(`/issues/${number}`),
    pullRequest: async (number) => {
      const found = await read(`/pulls/${number}`, pullRequestSchema);
      return found === null ? null : pullRequestEnds(found);
    },
    comments: async (number, { id, createdAt }) => {
      const askedAt = Date.parse(createdAt);
      const earlier: EarlierComment[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const path = `/issues/${number}/comments?per_page=${PAGE}&page=${page}`;
        const found = (await read(path, commentsSchema)) ?? [];
        for (const { user, body, ...comment } of found) {
          const isEarlier = comment.id !== id && Date.parse(comment.updated_at) <= askedAt;
          if (isEarlier) earlier.push({ login: user?.login ?? null, body: body ?? "" });
        }
        if (found.length < PAGE) break;
      }
      return earlier;
    },
  };
}

function remarkPath({ type, thread, remark }: RemarkTrigger): string {
  switch (type) {
    case "issue_comment":
      return `/issues/comments/${remark.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${remark.id}`;
    case "pull_request_review":
      return `/pulls/${thread.number}/reviews/${remark.id}`;
  }
}

/** Null for 404. Rejects with what may pass by itself, or with Declined for what will not. */
async function ask(options: ForgeReaderOptions, path: string): Promise<TransportResponse | null> {
  const { apiUrl, token, repository, transport, clock, signal } = options;
  const response = await transport({
    method: "GET",
    url: `${apiUrl}/repos/${repository}${path}`,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "agent-service-action",
      "x-github-api-version": "2022-11-28",
    },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    signal,
  });
  const { status, headers } = response;
  const contentType = headers("content-type") ?? "";
  if (status === 200 && !contentType.includes("html")) return response;
  if (status === 404) return null;
  const retryAfterMs = waitOf(response, clock.now());
  const isLimited = (status === 403 || status === 429) && retryAfterMs !== undefined;
  if (status === 200 || status >= 500 || status === 429 || isLimited) {
    const message = `It answered ${status} to ${path}.`;
    throw new DecodeError({ message, status: isLimited ? 429 : status, contentType, retryAfterMs });
  }
  throw new Declined(
    "forge_refused",
    `GitHub refused to say who may start the agent (${status} to ${path}). Give "github-token" the job's token, ` +
      'and the job "permissions: contents: read, issues: read, pull-requests: read".',
  );
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function waitOf({ headers }: TransportResponse, nowMs: number): number | undefined {
  const seconds = headers("retry-after");
  if (seconds !== undefined && /^\d{1,6}$/.test(seconds)) return Number(seconds) * 1000;
  const reset = headers("x-ratelimit-reset");
  if (headers("x-ratelimit-remaining") !== "0" || reset === undefined || !/^\d{1,12}$/.test(reset)) {
    return undefined;
  }
  return Math.max(0, Number(reset) * 1000 - nowMs);
}

function decode<Schema extends z.ZodMiniType>(
  path: string,
  response: TransportResponse,
  schema: Schema,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(response.body));
  } catch (cause) {
    const message = `GitHub's API answered ${path} in a shape that it does not publish. Re-run the job.`;
    throw new Declined("forge_unavailable", message, { cause });
  }
}
