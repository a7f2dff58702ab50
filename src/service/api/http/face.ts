// A part of the API that is loaded at its first request: pages, OAuth, MCP. What nobody asks for costs nothing.
// Why: docs/decisions/062-faces-are-loaded-at-first-use.md

import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono, MiddlewareHandler } from "hono";
import type { Core } from "../../core/core.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import type { Env, RequestContext } from "./request-context.ts";

/** The parts that a face works with. */
export type FaceParts = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  /** Exchanges of jobs' tokens of one address. */
  readonly exchangeRatePerMinute: number;
  /** Of pages that may call the API and MCP, beside its own. */
  readonly corsOrigins: readonly string[];
};

export type FaceEnv = {
  Bindings: HttpBindings & { readonly outer: RequestContext };
  Variables: Env["Variables"];
};

export type FaceContext = Context<FaceEnv>;

/** Its paths are those of Hono; it answers everything below them. */
export type Face = {
  readonly paths: readonly string[];
  /** Hosts that are the face's alone, whichever the path: nothing else is served there. */
  readonly ownsHost?: (core: Core, host: string) => boolean;
  /** Opens no connection and no file but its own code. */
  load(): Promise<(parts: FaceParts) => Hono<FaceEnv>>;
};

/** A face whose hosts are served already, before its paths. */
type MountedFace = { mountPaths(): void };

/** Before every route: what it owns, nothing else serves. A load that fails is tried again at the next request. */
export function mountFace(app: Hono<Env>, { paths, ownsHost, load }: Face, parts: FaceParts): MountedFace {
  let loading: Promise<Hono<FaceEnv>> | null = null;
  const open = (): Promise<Hono<FaceEnv>> => {
    loading ??= load().then(
      (make) => make(parts),
      (cause: unknown) => {
        loading = null;
        throw cause;
      },
    );
    return loading;
  };
  const serve = async (context: RequestContext): Promise<Response> => {
    const face = await open();
    const answer = await face.fetch(context.req.raw, { ...context.env, outer: context });
    // With the headers that every answer has.
    return context.newResponse(answer.body, answer);
  };
  if (ownsHost !== undefined) {
    app.use(async (context, next) => {
      const isOwn = ownsHost(parts.core, context.req.header("host") ?? "");
      return isOwn ? await serve(context) : await next();
    });
  }
  return {
    mountPaths: () => {
      for (const path of paths) app.all(path, serve);
    },
  };
}

/** First in a face: what the request has got so far, and errors where they are told. */
export function prepareFace(app: Hono<FaceEnv>): void {
  const takeOver: MiddlewareHandler<FaceEnv> = async (context, next) => {
    const { outer } = context.env;
    context.set("requestId", outer.get("requestId"));
    context.set("log", outer.get("log"));
    context.set("address", outer.get("address"));
    await next();
    const problem = context.get("problem");
    if (problem !== undefined) outer.set("problem", problem);
  };
  app.use(takeOver);
  app.onError((cause) => {
    throw cause;
  });
}
