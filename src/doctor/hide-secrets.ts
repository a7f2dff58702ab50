// The last look at a page before it is shown: no secret of this job is on it, whoever wrote it there. Pure.

import type { DoctorCheck, DoctorPage } from "../report/doctor-page.ts";

const HIDDEN = "***";

/** The page with each secret replaced, also where a stranger's answer repeated it. */
export function hideSecrets(page: DoctorPage, secrets: ReadonlySet<string>): DoctorPage {
  const hide = (text: string): string => {
    let shown = text;
    for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, HIDDEN);
    return shown;
  };
  return { ...page, checks: page.checks.map((check) => hideInCheck(check, hide)) };
}

function hideInCheck(check: DoctorCheck, hide: (text: string) => string): DoctorCheck {
  return {
    ...check,
    found: hide(check.found),
    facts: check.facts.map(({ name, value }) => ({ name, value: hide(value) })),
    fixes: check.fixes.map(({ text, code, url }) => ({
      text: hide(text),
      ...(code === undefined ? {} : { code: hide(code) }),
      ...(url === undefined ? {} : { url: hide(url) }),
    })),
  };
}
