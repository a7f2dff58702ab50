// Text of an agent without quick actions: GitLab executes lines such as "/label ~admin" or "/close" of a new issue's text, with the rights of
// whoever files it. https://docs.gitlab.com/user/project/quick_actions (2026-11-28). Pure.

/** Of Markdown that `inertMarkdown` has written: it has backticks in the marks of its fences alone. */
const FENCE = /^[ \t>*+\-\d.)]*(`{3,})/;

/**
 * No line begins with a slash any more. In text it is escaped, which shows as a slash; in code, where GitLab looks for none but an older
 * one may lose count of the fences, a space stands before it.
 */
export function withoutQuickActions(text: string): string {
  let fence: string | null = null;
  return text
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      if (fence === null && mark !== undefined) {
        fence = mark;
        return line;
      }
      if (fence !== null) {
        if (line.trim().replace(/^[> ]+/, "") === fence) fence = null;
        return line.startsWith("/") ? ` ${line}` : line;
      }
      return line.replace(/^(\s*)\//, "$1\\/");
    })
    .join("\n");
}
