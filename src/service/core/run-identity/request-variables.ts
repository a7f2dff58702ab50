// The variables in which commands of a run find where to ask for its ID tokens: those of GitHub's runner, so that programs which know
// these work as they are. Pure.
// https://docs.github.com/en/actions/reference/security/oidc, looked up on 2026-11-29

export const REQUEST_PATH = "/id-token";

/** Programs append `&audience=…` to the address: it has a query already. */
export function requestVariables({
  port,
  secret,
}: {
  readonly port: number;
  readonly secret: string;
}): Readonly<Record<string, string>> {
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}${REQUEST_PATH}?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret,
  };
}
