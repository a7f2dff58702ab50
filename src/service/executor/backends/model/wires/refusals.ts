// The meaning of an API's refusal of a request: the parameter that it does not take, the limit that an answer has. Pure. No API
// has codes for all of it, and gateways have their own, so that wordings are matched. Each row of a table names whose wording it
// is, from its documentation or from errors that its users published, looked up on 2026-11-22.

import { type Body, dropAt, isObject, mapObjects, numberAt, replaceAt, textAt, valueAt } from "./body.ts";

/** Changes of later requests of a run: a field that they do without, or have otherwise. Paths are dotted, such as `reasoning.effort`. */
export type Refusal =
  | { readonly type: "drop"; readonly path: string }
  | { readonly type: "rename"; readonly path: string; readonly to: string }
  | { readonly type: "replace"; readonly path: string; readonly value: string }
  /** Tokens of one answer. */
  | { readonly type: "limit"; readonly path: string; readonly most: number }
  /** A field of messages, tools or instructions, wherever it is. */
  | { readonly type: "drop-everywhere"; readonly field: string }
  | { readonly type: "developer-role" }
  /** Every answer of the history has a thought, where it is only a space. */
  | { readonly type: "reasoning-content" }
  /** Ids of calls that have signs which the API does not take. */
  | { readonly type: "call-ids" }
  /** The model takes tools by another API of the same address: Responses in place of Chat Completions. */
  | { readonly type: "responses" };

/** Longer texts say nothing more. */
const MAX_TEXT_CHARS = 8_000;

/** Fields in which the wires say how long an answer may be. */
const OUTPUT_LIMITS = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "generationConfig.maxOutputTokens",
];

type NamedParameter = {
  readonly names: readonly string[];
  /** The first that was sent is dropped. */
  readonly paths: readonly string[];
};

/** By which words a refusal names a parameter that may be left out. */
const parameters: readonly NamedParameter[] = [
  same(
    "stream_options",
    "parallel_tool_calls",
    "tool_choice",
    "temperature",
    "top_p",
    "prompt_cache_key",
    "store",
  ),
  // OpenAI without a verified organization: "must be verified to generate reasoning summaries".
  [{ names: ["reasoning.summary", "reasoning summaries"], paths: ["reasoning.summary"] }],
  // OpenAI, of a model that does not reason: "Encrypted content is not supported with this model."
  [{ names: ["encrypted content", "reasoning.encrypted_content", "include"], paths: ["include"] }],
  // xAI writes reasoningEffort for each of its spellings.
  [
    {
      names: ["reasoning_effort", "reasoningEffort", "reasoning.effort"],
      paths: ["reasoning_effort", "reasoning.effort"],
    },
  ],
  [{ names: ["reasoning"], paths: ["reasoning", "reasoning_effort"] }],
  // Anthropic, and servers that speak its protocol.
  [{ names: ["output_config.effort", "output_config", "effort"], paths: ["output_config"] }],
  [{ names: ["thinking", "thinking.type", "budget_tokens"], paths: ["thinking"] }],
  // Google: a model without levels, and one that does not think at all.
  [
    {
      names: ["thinking level", "thinking_level", "thinkingLevel", "thinking_budget", "thinkingBudget"],
      paths: [
        "generationConfig.thinkingConfig.thinkingLevel",
        "generationConfig.thinkingConfig.thinkingBudget",
      ],
    },
  ],
  [
    {
      names: ["thinking", "thinking_config", "thinkingConfig", "include_thoughts", "includeThoughts"],
      paths: ["generationConfig.thinkingConfig"],
    },
  ],
].flat();

/** Fields that a server may not take in messages. */
const MESSAGE_FIELDS = ["cache_control", "reasoning_content", "reasoning_details"];

/** Beginnings and ends of sentences that refuse a parameter. */
const refusing = [
  // OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model."; Groq, Google, Mistral are like it.
  /\b(?:unsupported|not supported|not enabled|only enabled when)\b/i,
  // xAI: "Model grok-4 does not support parameter reasoningEffort."
  /\b(?:does not|doesn't) support\b/i,
  // OpenAI: "Unknown parameter: 'x'.", "Unrecognized request argument supplied: x"; Google: "Unknown name "x"".
  /\b(?:unknown (?:parameter|name|field|argument)|unrecognized|unexpected keyword)\b/i,
  // Whatever validates by pydantic: Anthropic, Mistral, vLLM, Fireworks.
  /\b(?:extra inputs are not permitted|extra_forbidden|not permitted|not allowed)\b/i,
  // OpenAI, of reasoning summaries.
  /\bmust be verified\b/i,
];

/** Wordings in which a text names the field by itself; the last of a dotted path is meant. */
const namings = [
  // Anthropic: "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted".
  /([\w.]{1,200}): extra inputs are not permitted/i,
  // Fireworks: "Extra inputs are not permitted, field: 'stream_options'"; Azure: "Validation error at #/stream_options: Extra …".
  /not permitted, field: ["'`]([\w.]{1,100})/i,
  // pydantic's list: {"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],…}, and as Python writes it.
  /["'](?:type|msg)["']: ?["']extra_forbidden["'], ?["']loc["']: ?[[(][^\])]{0,200}["'](\w{1,100})["'][\])]/i,
  // Groq: "'messages.1' : property 'reasoning_content' is unsupported".
  /property ["'`](\w{1,100})["'`] is unsupported/i,
  // Google: Unknown name "thinkingLevel" at 'generation_config.thinking_config': Cannot find field.
  /unknown name \\?["'](\w{1,100})/i,
  // OpenAI's body: "param": "reasoning.summary".
  /\\?"param\\?": ?\\?"([\w.]{1,100})\\?"/i,
];

/** The longest answer that a refusal names. */
const limits = [
  // OpenAI: "max_tokens is too large: 16000. This model supports at most 4096 completion tokens, whereas you provided 16000."
  /supports at most (\d{1,9}) (?:completion|output) tokens/i,
  // Anthropic: "max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229".
  /\d{1,9} > (\d{1,9}), which is the maximum allowed/i,
  // OpenAI (Responses), Volcano Engine: "integer above maximum value. Expected a value <= 12288, but got 32000 instead."
  /expected a value <= (\d{1,9})/i,
  // Groq: "`max_tokens` must be less than or equal to `8192`".
  /less than or equal to ["'`]?(\d{1,9})/i,
  // DeepSeek: "the valid range of max_tokens is [1, 8192]"; Alibaba: "Range of max_tokens should be [1, 8192]".
  /range of \w{1,40} (?:is|should be) \[\d{1,9}, ?(\d{1,9})\]/i,
  // Amazon Bedrock: "The maximum tokens you requested exceeds the model limit of 4096."
  /maximum tokens you requested exceeds the model limit of (\d{1,9})/i,
];
/** Google: "the supported range is from 1 (inclusive) to 8193 (exclusive)". */
const exclusiveLimit = /supported range is from \d{1,9} \(inclusive\) to (\d{1,9}) \(exclusive\)/i;

/** A model that takes no tools. */
const withoutTools = [
  // OpenRouter (404): "No endpoints found that support tool use."
  /no endpoints found that support tool use/i,
  // Ollama: "registry.ollama.ai/library/gemma:7b does not support tools".
  /does not support tools/i,
  // Groq: "`tool calling` is not supported with this model"; others write it without quotes.
  /(?:tool|function) calling[`'"]? is not (?:supported|enabled)/i,
  // Amazon Bedrock: "This model doesn't support tool use.", "… tool use in streaming mode."
  /(?:doesn't|does not) support tool (?:use|calling)/i,
  // vLLM without its flags: "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set".
  /tool choice requires --enable-auto-tool-choice/i,
  // llama.cpp without its flag (500): "tools param requires --jinja flag".
  /tools param requires --jinja/i,
];

/** True where the text says that the model, or its server as it is started, takes no tools. */
export function refusesTools(text: string): boolean {
  const said = text.slice(0, MAX_TEXT_CHARS);
  return withoutTools.some((wording) => wording.test(said));
}

/** The lesson of a refusal of this body, or null where there is none. */
export function learnRefusal(text: string, sent: Body): Refusal | null {
  const said = text.slice(0, MAX_TEXT_CHARS);
  // A conversation that is too long is another failure, with numbers of its own.
  if (refusesTools(said) || /context (?:length|window|size)|prompt is too long/i.test(said)) return null;
  return (
    otherApi(said, sent) ??
    callIds(said, sent) ??
    outputLimit(said, sent) ??
    otherName(said, sent) ??
    otherValue(said, sent) ??
    missingThought(said, sent) ??
    role(said, sent) ??
    left(said, sent)
  );
}

/** The body without what was refused. The same one where there was nothing of it. */
export function withoutRefused(body: Body, refusal: Refusal): Body {
  switch (refusal.type) {
    case "drop":
      return dropAt(body, refusal.path);
    case "rename": {
      const value = valueAt(body, refusal.path);
      return value === undefined ? body : { ...dropAt(body, refusal.path), [refusal.to]: value };
    }
    case "replace":
      return textAt(body, refusal.path) === null ? body : replaceAt(body, refusal.path, refusal.value);
    case "limit": {
      const asked = numberAt(body, refusal.path);
      return asked === null || asked <= refusal.most ? body : replaceAt(body, refusal.path, refusal.most);
    }
    case "drop-everywhere":
      return mapObjects(body, (value) => (refusal.field in value ? dropAt(value, refusal.field) : value));
    case "developer-role":
      return mapObjects(body, (value) => (value.role === "developer" ? { ...value, role: "system" } : value));
    case "reasoning-content":
      return mapObjects(body, (value) =>
        isThoughtless(value) ? { ...value, reasoning_content: " " } : value,
      );
    case "call-ids":
      return mapObjects(body, withTakenIds);
    case "responses":
      return body;
  }
}

function outputLimit(said: string, sent: Body): Refusal | null {
  const path = OUTPUT_LIMITS.find((some) => numberAt(sent, some) !== null);
  const asked = path === undefined ? null : numberAt(sent, path);
  if (path === undefined || asked === null) return null;
  const exclusive = exclusiveLimit.exec(said)?.[1];
  const named = limits.map((wording) => wording.exec(said)?.[1]).find((number) => number !== undefined);
  const most = exclusive === undefined ? Number(named ?? Number.NaN) : Number(exclusive) - 1;
  return most >= 1 && most < asked ? { type: "limit", path, most } : null;
}

/** OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." */
function otherName(said: string, sent: Body): Refusal | null {
  const [, path = "", to = ""] =
    /["'`](\w{1,60})["'`] is not supported[^.]{0,60}\. use ["'`](\w{1,60})["'`] instead/i.exec(said) ?? [];
  if (path !== "" && to !== "" && path in sent && !(to in sent)) return { type: "rename", path, to };
  // Servers that know the older name alone.
  const isNewRefused = namedIn(said).includes("max_completion_tokens") && "max_completion_tokens" in sent;
  return isNewRefused && isRefusing(said)
    ? { type: "rename", path: "max_completion_tokens", to: "max_tokens" }
    : null;
}

/** OpenAI: "'reasoning.effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'." */
function otherValue(said: string, sent: Body): Refusal | null {
  const list = /supported values are:? ([^.]{1,200})/i.exec(said)?.[1];
  const path = ["reasoning.effort", "reasoning_effort", "output_config.effort"].find(
    (some) => textAt(sent, some) !== null,
  );
  if (list === undefined || path === undefined || !/effort/i.test(said)) return null;
  const offered = efforts.filter((effort) => new RegExp(`\\b${effort}\\b`, "i").test(list));
  const asked = efforts.indexOf(textAt(sent, path) ?? "");
  const below = offered.findLast((effort) => efforts.indexOf(effort) < asked);
  const value = below ?? offered.at(0);
  return value === undefined || value === textAt(sent, path)
    ? { type: "drop", path }
    : { type: "replace", path, value };
}

const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * OpenAI: "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use
 * /v1/responses or set reasoning_effort to 'none'." Also where no effort was sent, and GPT-6.1 has no "none": onyx issue 15008,
 * LiteLLM discussion 43742; looked up on 2026-11-27.
 */
function otherApi(said: string, sent: Body): Refusal | null {
  return /function tools\b[^.]{0,200}not supported/i.test(said) &&
    /\/responses\b/.test(said) &&
    Array.isArray(sent.messages)
    ? { type: "responses" }
    : null;
}

/**
 * Anthropic: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'". Ids of other models behind the same
 * gateway have dots and colons: Kimi's are "functions.read_file:0". Looked up on 2026-11-27.
 */
function callIds(said: string, sent: Body): Refusal | null {
  const refusal: Refusal = { type: "call-ids" };
  const isMeant = /tool_use(?:_id|\.id)\b[^'"]{0,40}should match pattern/i.test(said);
  return isMeant && withoutRefused(sent, refusal) !== sent ? refusal : null;
}

function withTakenIds(value: Body): Body {
  const field = value.type === "tool_use" ? "id" : value.type === "tool_result" ? "tool_use_id" : null;
  const id = field === null ? null : textAt(value, field);
  if (field === null || id === null || takenId(id) === id) return value;
  return { ...value, [field]: takenId(id) };
}

/** The same id for a call and its result, and another one for every other call. */
function takenId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
}

/** OpenAI: "'messages[0].role' does not support 'developer' with this model"; Alibaba: "developer is not one of ['system', …". */
function role(said: string, sent: Body): Refusal | null {
  if (!/\bdeveloper\b/i.test(said)) return null;
  const turns = valueAt(sent, "messages") ?? valueAt(sent, "input");
  const isSent = Array.isArray(turns) && turns.some((turn) => isObject(turn) && turn.role === "developer");
  return isSent ? { type: "developer-role" } : null;
}

/**
 * DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API."; Moonshot: "thinking is enabled but
 * reasoning_content is missing in assistant tool call message at index 2". An empty one is refused, too; looked up on 2026-11-23.
 */
function missingThought(said: string, sent: Body): Refusal | null {
  const isMissing =
    /reasoning_content\W.{0,80}(?:must be passed back|is missing)|missing \W{0,3}reasoning_content/i.test(
      said,
    );
  const turns = valueAt(sent, "messages");
  const lacksOne = Array.isArray(turns) && turns.some((turn) => isObject(turn) && isThoughtless(turn));
  return isMissing && lacksOne ? { type: "reasoning-content" } : null;
}

function isThoughtless(turn: Body): boolean {
  return turn.role === "assistant" && !("reasoning_content" in turn);
}

/** The field that a request can do without. */
function left(said: string, sent: Body): Refusal | null {
  if (!isRefusing(said)) return null;
  for (const name of namedIn(said)) {
    const refusal = leftOut(name, sent);
    if (refusal !== null) return refusal;
  }
  const named = [...parameters.flatMap(({ names }) => names), ...MESSAGE_FIELDS]
    .map((name) => ({ name, at: indexOfWord(said, name) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at || other.name.length - one.name.length);
  for (const { name } of named) {
    const refusal = leftOut(name, sent);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Null where it was not sent. */
function leftOut(name: string, sent: Body): Refusal | null {
  if (MESSAGE_FIELDS.includes(name)) {
    const refusal: Refusal = { type: "drop-everywhere", field: name };
    return withoutRefused(sent, refusal) === sent ? null : refusal;
  }
  for (const { names, paths } of parameters) {
    const path = names.includes(name) ? paths.find((some) => valueAt(sent, some) !== undefined) : undefined;
    if (path !== undefined) return { type: "drop", path };
  }
  return null;
}

function isRefusing(said: string): boolean {
  return refusing.some((wording) => wording.test(said));
}

/** The fields that the text names by itself, whole and without what they are in. */
function namedIn(said: string): string[] {
  return namings.flatMap((naming) => {
    const name = naming.exec(said)?.[1];
    return name === undefined ? [] : [name, name.slice(name.lastIndexOf(".") + 1)];
  });
}

/** The index at which a word stands by itself; -1 where it does not. */
function indexOfWord(text: string, word: string): number {
  const within = text.toLowerCase();
  const wanted = word.toLowerCase();
  for (let at = within.indexOf(wanted); at >= 0; at = within.indexOf(wanted, at + 1)) {
    const around = `${within[at - 1] ?? " "}${within[at + wanted.length] ?? " "}`;
    if (!/\w/.test(around)) return at;
  }
  return -1;
}

function same(...names: readonly string[]): NamedParameter[] {
  return names.map((name) => ({ names: [name], paths: [name] }));
}
