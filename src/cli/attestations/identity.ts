// The identity in a certificate, and what it must be for a commit of a repository. Pure.

/** As the code host vouched for the job that signed. */
export type SignerIdentity = {
  /** Of the job's ID token. */
  readonly issuer: string;
  /** The workflow that signed, with its ref: a reusable one may be another repository's. */
  readonly signer: string;
  /** The address of the repository that the job worked for. */
  readonly repository: string;
  readonly repositoryId: string | null;
  /** The workflow that was started, with its ref. */
  readonly workflow: string | null;
  /** `github-hosted` or `self-hosted`. */
  readonly runner: string | null;
  /** The page of the job's attempt. */
  readonly invocation: string | null;
};

export type Expected = {
  readonly issuer: string;
  /** Without a trailing slash. */
  readonly serverUrl: string;
  readonly repository: string;
  /** `.github/workflows/agent.yml`, or `owner/name/.github/…` of another repository. Null: any of the repository's. */
  readonly workflow: string | null;
};

/** Why it is not what was expected; null where it is. Names are compared as GitHub does, whatever their case. */
export function identityFault(identity: SignerIdentity, expected: Expected): string | null {
  const { issuer, serverUrl, repository, workflow } = expected;
  if (identity.issuer !== issuer)
    return `It was signed for an identity of ${identity.issuer}, not of ${issuer}.`;
  const own = `${serverUrl}/${repository}`;
  if (!isSame(identity.repository, own))
    return `It was signed by a job of ${identity.repository}, not of ${own}.`;
  const inOwn = workflow === null || workflow.startsWith(".github/");
  const path = inOwn ? `${own}/${workflow ?? ".github/workflows/"}` : `${serverUrl}/${workflow}`;
  const begins = workflow === null ? path : `${path}@`;
  if (isSame(identity.signer.slice(0, begins.length), begins)) return null;
  return `It was signed by the workflow ${identity.signer}, not by ${path}.`;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
