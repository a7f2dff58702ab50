// The context of every request of a page.

import type { Context } from "hono";
import type { html } from "hono/html";
import type { OperatorSession } from "../../core/operators/operator.ts";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import type { FaceEnv, FaceParts } from "../http/face.ts";

export type WebEnv = {
  Bindings: FaceEnv["Bindings"];
  Variables: FaceEnv["Variables"] & {
    parts: FaceParts;
    /** Undefined until the cookie was read; null where nobody is signed in. */
    session: WebSession | null | undefined;
    /** The same of the operator's pages, by a cookie of their own. */
    operator: OperatorSession | null | undefined;
  };
};

export type WebContext = Context<WebEnv>;
export type Html = ReturnType<typeof html>;
