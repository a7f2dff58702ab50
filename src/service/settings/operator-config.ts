// The operator's pages: which identities may sign in there. Pure.

import type { Environment } from "../../base/environment.ts";
import { listOf } from "../../base/settings/kinds.ts";
import { described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import { identityText, isSameIdentity, type OperatorIdentity } from "../core/operators/operator.ts";
import type { SignInPolicy } from "../core/sign-in/sign-in-policy.ts";

/** OpenID Connect Core 1.0, section 2: a subject has 255 ASCII characters at most. */
const SUBJECT = /^[!-~]{1,255}$/;

export const operatorSettings = {
  OPERATOR_IDENTITIES: described({
    kind: listOf({
      allowed:
        "identities as <issuer>#<subject>, separated by commas, such as https://github.com#583231: never addresses",
      separator: /,/,
      item: identityOf,
    }),
    fallback: [],
    description:
      "Who may sign in to the [operator's pages](operator.md) by a provider above: issuer and subject, as the page of a refused sign-in prints them. On GitHub the subject is the user's number.",
    shownDefault: "none",
  }),
};

/** Adds a line to `problems` for an identity that no provider of these settings can prove. */
export function readOperatorIdentities(
  environment: Environment,
  { signIn, problems }: { readonly signIn: SignInPolicy; readonly problems: string[] },
): readonly OperatorIdentity[] {
  const { values, problems: faults } = readSettings(operatorSettings, variablesOf(environment));
  problems.push(...faults);
  const issuers = signIn.providers.map((one) => (one.id === "github" ? one.webUrl : one.issuer));
  for (const identity of values.OPERATOR_IDENTITIES) {
    const { subject } = identity;
    if (issuers.some((known) => isSameIdentity({ issuer: known, subject }, identity))) continue;
    problems.push(
      `OPERATOR_IDENTITIES has ${JSON.stringify(identityText(identity))}, whose issuer nobody signs in with here: ${issuers.length === 0 ? "set SIGN_IN_ISSUER or SIGN_IN_GITHUB_CLIENT_ID" : `the providers are ${issuers.join(" and ")}`}.`,
    );
  }
  return values.OPERATOR_IDENTITIES;
}

function identityOf(text: string): OperatorIdentity | undefined {
  const at = text.indexOf("#");
  const [issuer, subject] = [text.slice(0, at), text.slice(at + 1)];
  const isUrl = at > 0 && /^https?:\/\/[^\s@]+$/.test(issuer) && URL.canParse(issuer);
  return isUrl && SUBJECT.test(subject) ? { issuer, subject } : undefined;
}
