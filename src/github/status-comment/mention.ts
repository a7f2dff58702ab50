// Whom the comment tells that it is done. Pure.

import type { RequestSubject } from "../trigger/agent-request.ts";

/** As GitHub makes logins; those of its enterprises end with "_" and a short word. */
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The login of the user whose command it is. Null for a bot, which a mention could start, and where nobody asked. */
export function mentionOf({ asker }: Pick<RequestSubject, "asker">): string | null {
  return asker !== null && !asker.isBot && LOGIN.test(asker.login) ? asker.login : null;
}
