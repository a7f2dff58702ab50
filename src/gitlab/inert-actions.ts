// Text of an agent without quick actions: GitLab executes lines such as "/label ~admin" or "/close" of a new issue's text, with the rights of
// whoever files it. https://docs.gitlab.com/user/project/quick_actions (2026-11-28). Pure.

import { mapLines } from "../job/code-host/mapped-lines.ts";

/**
 * No line begins with a slash any more. In text it is escaped, which shows as a slash; in code, where GitLab looks for none but an older
 * one may lose count of the fences, a space stands before it.
 */
export function withoutQuickActions(text: string): string {
  return mapLines(text, {
    text: (line) => line.replace(/^(\s*)\//, "$1\\/"),
    code: (line) => (line.startsWith("/") ? ` ${line}` : line),
  });
}
