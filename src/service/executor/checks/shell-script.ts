// A script of a shell as far as it matters here: the simple commands in it, and of which of them the script's exit code tells. What
// is not understood tells nothing. Pure.

type SimpleCommand = {
  readonly words: readonly string[];
  /** Whether the script's exit code is not 0 where this command's is not. */
  readonly isTold: boolean;
};

type Token = { readonly text: string; readonly isOperator: boolean };

/** Longest first. */
const operators = ["&&", "||", ";;", "|&", "&>", "\n", ";", "|", "&", "(", ")"];
const MAX_TOKENS = 2_000;

type Pipeline = { readonly commands: (readonly string[])[]; after: string };

/** Words that begin a compound command, or stand before a command of it. */
const keywords = new Set(["then", "do", "else", "{", "}", "(", ")", "fi", "done", "esac", "!", "time"]);
/** What follows is a condition. */
const conditions = new Set(["if", "elif", "while", "until", "for", "case", "select", "function", "!"]);

export function simpleCommands(script: string): readonly SimpleCommand[] {
  const pipelines = pipelinesIn(tokensOf(script));
  const options = pipelines.flatMap(({ commands }) => commands.filter(([name]) => name === "set").flat());
  const stopsAtErrors = options.some((word) => /^-\w*e/.test(word) || word === "errexit");
  const tellsPipes = options.includes("pipefail");
  const lastList = startOfLastList(pipelines);
  return pipelines.flatMap(({ commands, after }, at) => {
    const isInList = at >= lastList || stopsAtErrors;
    const isMasked = after === "&" || (after === "||" && !endsInFailure(pipelines[at + 1]));
    return commands.map((words, position) => {
      const isLast = position === commands.length - 1 || tellsPipes;
      const isCondition = conditions.has(words[0] ?? "");
      return {
        words: commandIn(words),
        isTold: isInList && !isMasked && isLast && !isCondition,
      };
    });
  });
}

/** `|| exit 1` and `|| false` pass a failure on. */
function endsInFailure(next: Pipeline | undefined): boolean {
  const [name, code] = next?.commands.at(-1) ?? [];
  return name === "false" || ((name === "exit" || name === "return") && code !== "0");
}

function startOfLastList(pipelines: readonly Pipeline[]): number {
  const before = pipelines.findLastIndex(
    ({ after }, at) => at < pipelines.length - 1 && after !== "&&" && after !== "||",
  );
  return before + 1;
}

function commandIn(words: readonly string[]): readonly string[] {
  const first = words.findIndex(
    (word) => !keywords.has(word) && !conditions.has(word) && !/^\w+\+?=/.test(word),
  );
  return first < 0 ? [] : words.slice(first);
}

function pipelinesIn(tokens: readonly Token[]): readonly Pipeline[] {
  const pipelines: Pipeline[] = [];
  let commands: (readonly string[])[] = [];
  let words: string[] = [];
  const endCommand = () => {
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const endPipeline = (after: string) => {
    endCommand();
    if (commands.length > 0) pipelines.push({ commands, after });
    commands = [];
  };
  for (const { text, isOperator } of tokens) {
    if (!isOperator) words.push(text);
    else if (text === "|" || text === "|&") endCommand();
    else if (text === "(" || text === ")") endCommand();
    else endPipeline(text);
  }
  endPipeline("");
  return pipelines;
}

/** Words without their quotes, and operators. Redirections and comments are left out, documents in the script (`<<`) too. */
function tokensOf(script: string): readonly Token[] {
  const tokens: Token[] = [];
  let word = "";
  let hasWord = false;
  const documents: string[] = [];
  const endWord = () => {
    if (hasWord) tokens.push({ text: word, isOperator: false });
    word = "";
    hasWord = false;
  };
  for (let at = 0; at < script.length && tokens.length < MAX_TOKENS; ) {
    const char = script[at] ?? "";
    const rest = script.slice(at, at + 2);
    if (char === "\\") {
      if (script[at + 1] !== "\n") {
        word += script[at + 1] ?? "";
        hasWord = true;
      }
      at += 2;
      continue;
    }
    if (char === "'" || char === '"') {
      const end = endOfQuote(script, at);
      word += script.slice(at + 1, end);
      hasWord = true;
      at = end + 1;
      continue;
    }
    if (char === "#" && !hasWord) {
      const end = script.indexOf("\n", at);
      at = end < 0 ? script.length : end;
      continue;
    }
    if (rest === "$(" || char === "`") {
      // What it executes tells nothing.
      at = endOfSubstitution(script, at);
      hasWord = true;
      continue;
    }
    if (char === "<" || char === ">" || rest === "&>") {
      const redirection =
        /^(?:&>>?|<<-?|<<<|[<>]&?[\d-]*|>>|>\|)/.exec(script.slice(at, at + 4))?.[0] ?? char;
      if (/^\d+$/.test(word)) {
        word = "";
        hasWord = false;
      }
      endWord();
      at += redirection.length;
      const target = /^[ \t]*(?:(["'])([^"'\n]*)\1|([^\s;|&()<>]*))/.exec(script.slice(at));
      if (!/&[\d-]+$/.test(redirection)) at += target?.[0].length ?? 0;
      if (/^<<-?$/.test(redirection)) documents.push(target?.[2] ?? target?.[3] ?? "");
      continue;
    }
    const operator = operators.find((one) => script.startsWith(one, at));
    if (operator !== undefined) {
      endWord();
      tokens.push({ text: operator, isOperator: true });
      at += operator.length;
      if (operator === "\n") at = afterDocuments(script, at, documents.splice(0));
      continue;
    }
    if (/\s/.test(char)) endWord();
    else {
      word += char;
      hasWord = true;
    }
    at += 1;
  }
  endWord();
  return tokens;
}

function endOfQuote(script: string, start: number): number {
  const quote = script[start];
  for (let at = start + 1; at < script.length; at += 1) {
    if (quote === '"' && script[at] === "\\") at += 1;
    else if (script[at] === quote) return at;
  }
  return script.length;
}

function endOfSubstitution(script: string, start: number): number {
  if (script[start] === "`") {
    const end = script.indexOf("`", start + 1);
    return end < 0 ? script.length : end + 1;
  }
  let depth = 0;
  for (let at = start + 1; at < script.length; at += 1) {
    const char = script[at];
    if (char === "'" || char === '"') at = endOfQuote(script, at);
    else if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return script.length;
}

/** Behind the documents whose first lines come next. */
function afterDocuments(script: string, start: number, ends: readonly string[]): number {
  let at = start;
  for (const end of ends) {
    for (;;) {
      const lineEnd = script.indexOf("\n", at);
      const line = lineEnd < 0 ? script.slice(at) : script.slice(at, lineEnd);
      at = lineEnd < 0 ? script.length : lineEnd + 1;
      if (line.trim() === end || at >= script.length) break;
    }
  }
  return at;
}
