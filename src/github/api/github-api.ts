// GitHub's API as the step uses it: one repository, every answer decoded. https://docs.github.com/en/rest

import * as z from "zod/mini";
import { safeDetail } from "./failures.ts";
import { GitHubError } from "./github-error.ts";
import type { CodeHostOptions, HostOctokit } from "./octokit.ts";

const PAGE = 100;

type GitHubWrite = {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the repository: "/issues/7/comments". Encoded. */
  readonly path: string;
  readonly body?: unknown;
  /** True where a second time changes nothing more: then a lost answer is retried, too. */
  readonly isRepeatable: boolean;
};

/** Each call rejects with GitHubError, or with the signal's reason when it aborts. Paths are below the repository. */
export interface GitHubApi {
  readonly repository: string;
  /** Null for what the code host does not know. */
  read<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** As `read`, of issues, pull requests and comments with their text as HTML, too. The path may have a query. */
  readFull<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** The items of each page in turn, at most `maxPages` of a hundred. None for what the code host does not know. */
  items<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    maxPages: number,
  ): AsyncGenerator<z.output<Schema>>;
  /**
   * The text at the address that a path redirects to, which gets no token. Null for what the code host does not have, or
   * has no more. One of more than `maxBytes` is `code_host_unavailable`.
   */
  readRedirected(path: string, maxBytes: number): Promise<string | null>;
  write<Schema extends z.ZodMiniType>(write: GitHubWrite, schema: Schema): Promise<z.output<Schema>>;
  /**
   * The `data` of one GraphQL operation. Errors in the answer are `code_host_refused`, of the status that REST has for
   * them. Not repeated.
   */
  graphql<Schema extends z.ZodMiniType>(
    operation: { query: string; variables: Readonly<Record<string, unknown>> },
    schema: Schema,
  ): Promise<z.output<Schema>>;
}

/** Loads and sends nothing until the first call. */
export function githubApi(options: CodeHostOptions): GitHubApi {
  const { repository } = options;
  let opened: Promise<HostOctokit> | null = null;
  const open = async () => {
    opened ??= import("./octokit.ts").then(async ({ openOctokit }) => await openOctokit(options));
    return await opened;
  };
  const urlOf = (path: string) => `/repos/${repository}${path}`;
  const read = async <Schema extends z.ZodMiniType>(
    path: string,
    { schema, isFull }: { readonly schema: Schema; readonly isFull: boolean },
  ): Promise<z.output<Schema> | null> => {
    try {
      const octokit = await open();
      const { data } = await octokit.request({ method: "GET", url: urlOf(path), request: { isFull } });
      return decode(data, { schema, call: `GET ${path}` });
    } catch (cause) {
      if (isUnknown(cause)) return null;
      throw cause;
    }
  };
  return {
    repository,
    read: (path, schema) => read(path, { schema, isFull: false }),
    readFull: (path, schema) => read(path, { schema, isFull: true }),
    async *items(path, schema, maxPages) {
      const list = z.array(schema);
      const octokit = await open();
      const pages = octokit.paginate.iterator({ method: "GET", url: urlOf(path), per_page: PAGE });
      let count = 0;
      try {
        for await (const { data } of pages) {
          yield* decode(data, { schema: list, call: `GET ${path}` });
          count += 1;
          if (count >= maxPages) return;
        }
      } catch (cause) {
        if (!isUnknown(cause)) throw octokitError(cause, `GET ${path}`);
      }
    },
    readRedirected: async (path, maxBytes) => {
      try {
        const octokit = await open();
        const request = { mayRedirect: true };
        const { headers } = await octokit.request({ method: "GET", url: urlOf(path), request });
        const { downloadText } = await import("./download-text.ts");
        const call = `GET ${path}`;
        return await downloadText(options, { url: headers.location ?? "", call, maxBytes });
      } catch (cause) {
        if (isGone(cause)) return null;
        throw cause;
      }
    },
    write: async ({ method, path, body, isRepeatable }, schema) => {
      const request = { isRepeatable };
      const octokit = await open();
      const { data } = await octokit.request({ method, url: urlOf(path), data: body, request });
      return decode(data, { schema, call: `${method} ${path}` });
    },
    graphql: async ({ query, variables }, schema) => {
      const call = "POST /graphql";
      try {
        const octokit = await open();
        const data = await octokit.graphql<unknown>(query, variables);
        if (data !== undefined) return decode(data, { schema, call });
      } catch (cause) {
        const errors = graphqlErrorsSchema.safeParse(cause);
        if (!errors.success) throw octokitError(cause, call);
        const [first] = errors.data.errors;
        throw refusedOperation(first, cause);
      }
      throw refusedOperation();
    },
  };
}

/** GraphQL answers 200 to what it refuses. */
const graphqlErrorSchema = z.object({ message: z.string(), type: z.optional(z.string()) });
const graphqlErrorsSchema = z.object({ errors: z.array(graphqlErrorSchema) });
/** The statuses by which REST says the same, so that callers ask one thing. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["FORBIDDEN", 403],
  ["NOT_FOUND", 404],
]);

function refusedOperation(error?: z.infer<typeof graphqlErrorSchema>, cause?: unknown): GitHubError {
  const detail = safeDetail(error?.message ?? "It came without data.");
  const status = STATUS_OF_TYPE.get(error?.type ?? "") ?? 200;
  return new GitHubError({ code: "code_host_refused", call: "POST /graphql", status, detail, cause });
}

function isUnknown(cause: unknown): boolean {
  return cause instanceof GitHubError && cause.status === 404;
}

/** GitHub deletes logs after a time, and answers 410 from then on. */
function isGone(cause: unknown): boolean {
  return cause instanceof GitHubError && (cause.status === 404 || cause.status === 410);
}

function decode<Schema extends z.ZodMiniType>(
  data: unknown,
  { schema, call }: { schema: Schema; call: string },
): z.output<Schema> {
  const decoded = schema.safeParse(data);
  if (decoded.success) return decoded.data;
  throw unreadable(decoded.error, call);
}

/** Octokit reads fields of an answer that may be a text. */
function octokitError(cause: unknown, call: string): unknown {
  return cause instanceof TypeError ? unreadable(cause, call) : cause;
}

function unreadable(cause: Error, call: string): GitHubError {
  const detail = "The answer does not have the shape that GitHub publishes.";
  return new GitHubError({ code: "code_host_unavailable", call, status: 200, detail, cause });
}
