// Replies that decline a finding: "won't fix", "by design". Only the beginning of a line counts, and no quotation. Pure.

const MAX_LINES = 40;
const DECLINES = [
  "won't fix",
  "wont fix",
  "wontfix",
  "will not fix",
  "not fixing",
  "won't do",
  "by design",
  "as designed",
  "works as designed",
  "works as intended",
  "working as intended",
  "intended behavior",
  "intended behaviour",
  "intentional",
  "not a bug",
  "not an issue",
  "false positive",
];
const SUBJECTS = ["this is ", "it is ", "it's ", "that is ", "that's ", "we ", "i "];

export function declines(reply: string): boolean {
  return reply.split("\n", MAX_LINES).some((line) => {
    const said = spoken(line);
    const isQuestion = said.endsWith("?");
    return !isQuestion && DECLINES.some((words) => beginsWith(said, words));
  });
}

/** In lower case, without the mention, the emphasis and the subject before it. A quotation stays one: it begins with ">". */
function spoken(line: string): string {
  let said = line.trim().toLowerCase().replaceAll("’", "'").replaceAll("*", "").replaceAll("_", "");
  if (said.startsWith("@")) said = said.slice(said.indexOf(" ") + 1).trimStart();
  const subject = SUBJECTS.find((one) => said.startsWith(one)) ?? "";
  return said.slice(subject.length);
}

function beginsWith(said: string, words: string): boolean {
  if (!said.startsWith(words)) return false;
  const next = said.charAt(words.length);
  return next.toLowerCase() === next.toUpperCase() || next === "";
}
