// Quick actions of a text, as GitLab finds them: lines that begin with a slash and a known word, outside of code. Both ways in which GitLab has
// looked for them: by the Markdown's paragraphs, and by patterns over the text that know plain fences alone.
// https://docs.gitlab.com/user/project/quick_actions (2026-11-28)

const WORDS =
  "assign|assign_reviewer|close|confidential|copy_metadata|done|duplicate|label|labels|lock|move|reopen|relabel|title|todo|unlabel";
const ACTION = new RegExp(`^/(?:${WORDS})(?:\\s.*)?$`, "i");
const FENCE = /^```/;

/** The actions, and the text without them. */
export function quickActionsIn(text: string): { readonly text: string; readonly actions: readonly string[] } {
  const actions: string[] = [];
  const kept: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    // Only three backticks alone on their line end what it takes for code.
    if (!isCode && FENCE.test(line)) isCode = true;
    else if (isCode && line === "```") isCode = false;
    if (!isCode && ACTION.test(line)) actions.push(line);
    else kept.push(line);
  }
  // A fence that it does not see ends nowhere: then it takes the lines for text.
  if (isCode) for (const line of kept.filter((one) => ACTION.test(one))) actions.push(line);
  return { text: kept.join("\n"), actions };
}
