// The prompt of a task out of a commit's message: without trailers, and without the line of a merge. Pure.

const MAX_CHARS = 8_000;
/** A message of less says nothing that could be done. */
const MIN_CHARS = 12;
const trailer =
  /^(?:(?:[\w-]+-by|change-id|cc|bug|link|see-also|pull-request|pr-url|reviewed-on|refs?|fixes|closes|resolves):[^\n]*|(?:refs?|fix(?:es)?|closes|resolves) (?:[\w./-]*#|https?:)[^\n]*|\(cherry picked from commit [^\n]*)$/i;
const mergeLine =
  /^Merge (?:pull request #\d+ from|(?:remote-tracking )?branch |branch(?:es)? |commit )[^\n]*$/;
const INTRODUCTION =
  "Make the change to this repository that its author described as follows. Tests that you do not see decide whether it works.";

type Message = { readonly subject: string; readonly body: string };

export function messageParts(message: string): Message {
  const lines = message.replaceAll("\r", "").trim().split("\n");
  const kept = mergeLine.test(lines[0] ?? "") ? dropBlank(lines.slice(1)) : lines;
  const [subject = "", ...body] = kept;
  return {
    subject: subject.replace(/ \((?:#|!)\d+\)$/, "").trim(),
    body: withoutTrailers(body).join("\n").trim(),
  };
}

/** Null where the message says too little. */
export function promptOf(message: string): string | null {
  const { subject, body } = messageParts(message);
  const words = [subject, ...(body === "" ? [] : [body])].join("\n\n").slice(0, MAX_CHARS);
  if (words.length < MIN_CHARS || !/\s/.test(words)) return null;
  return `${INTRODUCTION}\n\n${words}`;
}

/** The last paragraph, where each of its lines is a trailer or goes one on. */
function withoutTrailers(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0) {
    const line = lines[end - 1] ?? "";
    if (line.trim() !== "" && !trailer.test(line.trim())) break;
    end -= 1;
  }
  return lines.slice(0, end);
}

function dropBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first);
}
