// The content security policy of pages: nothing inline, nothing of another origin, never inside another page. Pure.

type PageNeeds = {
  /** Whether it has a script. */
  readonly hasScript: boolean;
  /** Origins or schemes that a form's answer may lead to, beside this service. Browsers apply `form-action` to redirects too. */
  readonly formTargets: readonly string[];
  /** The address of the session socket, where the page follows one. */
  readonly socketUrl: string | null;
};

export function contentPolicy({ hasScript, formTargets, socketUrl }: PageNeeds): string {
  return [
    "default-src 'none'",
    `script-src ${hasScript ? "'self'" : "'none'"}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...(socketUrl === null ? [] : [socketUrl])].join(" ")}`,
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
