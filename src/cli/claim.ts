// agent-service claim: asks for the agent of the repository that a claim link names, over the API; `claim release` is
// the operator's.

import { openClient, serviceFlags } from "./account.ts";
import { readFlags, takeArguments, UsageError } from "./flags.ts";
import { printFields, printJson } from "./print.ts";

/** Resolves to the exit code. Throws UsageError or CommandError, or as the client does. */
export async function claim(args: readonly string[]): Promise<number> {
  if (args[0] === "release") {
    const { releaseClaim } = await import("./claim-release.ts");
    return await releaseClaim(args.slice(1));
  }
  const { values, positionals } = readFlags(args, serviceFlags);
  const [link = ""] = takeArguments("claim <url>", positionals);
  const token = readToken(link);
  const claimed = await openClient(values).claims.create({ body: { claim: token } });
  if (values.json === true) {
    printJson(claimed);
    return 0;
  }
  const { repository, agent_id, status, expires_at } = claimed;
  printFields({ repository: repository.name, agent: agent_id, status, "to accept until": expires_at });
  if (status === "pending") {
    process.stderr.write(
      'The repository has yet to accept it: give its workflow the input "account" with your account id, and let it run on a push or by hand.\n',
    );
  }
  return 0;
}

/** The last part of a claim link, or the token by itself. The link's host is not asked: the key goes to the service alone. */
function readToken(link: string): string {
  const token = /(?:^|\/claim\/)(svc_claim_[\w-]+)\/?$/.exec(link)?.[1];
  if (token !== undefined) return token;
  throw new UsageError("<url> must be a claim link, https://…/claim/svc_claim_…, got something else.");
}
