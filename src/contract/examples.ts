// Examples of bodies and answers, of the types of the routes that they belong to. Pure.

import type * as z from "zod/mini";
import type { JsonBody, NounRoutes, Route } from "./route.ts";
import type { ClientFrame } from "./sessions/client-frames.ts";
import type { ServerFrame } from "./sessions/socket.ts";
import type { NamedExamples } from "./story.ts";

type BodyExamples<One extends Route> = One extends { readonly body: JsonBody<infer Schema> }
  ? { readonly body: NamedExamples<z.input<Schema>> }
  : object;

type AnswerExamples<One extends Route> = One extends {
  readonly answer: infer Schema extends z.ZodMiniType;
}
  ? { readonly answers: { readonly [Status in keyof One["answers"]]: NamedExamples<z.input<Schema>> } }
  : One extends { readonly answer: "socket" }
    ? { readonly frames: SocketExamples }
    : object;

type SocketExamples = {
  readonly client: NamedExamples<ClientFrame>;
  readonly server: NamedExamples<ServerFrame>;
};

/** Examples for every body and every answer that can have them: a route without does not compile. */
export type ExamplesOf<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: BodyExamples<Routes[Name]> & AnswerExamples<Routes[Name]>;
};

/** As the document reads them. */
export type RouteExamples = {
  readonly body?: NamedExamples;
  readonly answers?: Readonly<Record<number, NamedExamples>>;
  readonly frames?: SocketExamples;
};
