// A browser that is signed in to the pages of a core fixture.

import type { Core } from "../../src/service/core/core.ts";
import { openWebSession } from "../../src/service/core/web-sessions/web-sessions.ts";

export type SignedIn = { readonly accountId: string; readonly secret: string; readonly cookie: string };

/** Signs in without a page. The cookie is that of plain http. */
export async function signInTo(core: Core, accountId: string): Promise<SignedIn> {
  const { secret } = await openWebSession(core, { accountId, method: "link", userAgent: "a browser" });
  return { accountId, secret, cookie: `session=${secret}` };
}
