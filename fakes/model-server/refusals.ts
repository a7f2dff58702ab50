// Refusals of a request by APIs, with their status, their form of an error and their words. From their documentation and
// from errors that their users published, looked up on 2026-11-22.

import type { ModelRequest } from "./request.ts";
import { fault, type Turn } from "./turn.ts";

export type Refusing = (request: ModelRequest) => Turn | null;

/** The first that refuses. */
export function refuseAll(...rules: readonly Refusing[]): Refusing {
  return (request) => rules.map((rule) => rule(request)).find((turn) => turn !== null) ?? null;
}

/** OpenAI's models that reason, at Chat Completions. */
export const maxTokensRenamed: Refusing = (request) =>
  has(request, "max_tokens")
    ? openAi({
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: "max_tokens",
        code: "unsupported_parameter",
      })
    : null;

/** OpenAI, of any parameter. */
export function unsupportedParameter(param: string): Refusing {
  return (request) =>
    has(request, param)
      ? openAi({
          message: `Unsupported parameter: '${param}' is not supported with this model.`,
          param,
          code: "unsupported_parameter",
        })
      : null;
}

/** OpenAI, of an answer that is too long. */
export function outputLimit(most: number): Refusing {
  return (request) => {
    const asked = Number(valueIn(request, "max_tokens") ?? valueIn(request, "max_completion_tokens") ?? 0);
    return asked > most
      ? openAi({
          message: `max_tokens is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
          param: "max_tokens",
          code: "invalid_value",
        })
      : null;
  };
}

/** Anthropic, of an answer that is too long. */
export function anthropicOutputLimit(most: number): Refusing {
  return (request) => {
    const asked = Number(valueIn(request, "max_tokens") ?? 0);
    return asked > most
      ? fault({
          status: 400,
          message: `max_tokens: ${asked} > ${most}, which is the maximum allowed number of output tokens for ${request.model}`,
        })
      : null;
  };
}

/** Anthropic, of a budget of thinking, and of one for models that have none. */
export const thinkingBudget: Refusing = (request) => {
  const budget = valueIn(request, "thinking.budget_tokens");
  if (budget === undefined) return null;
  if (/-4-[78]|-5/.test(request.model.replace(/-4-5/, "")))
    return fault({
      status: 400,
      message:
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" instead.',
    });
  if (Number(budget) < 1_024)
    return fault({
      status: 400,
      message: "thinking.budget_tokens: Input should be greater than or equal to 1024",
    });
  return Number(budget) < Number(valueIn(request, "max_tokens"))
    ? null
    : fault({ status: 400, message: "`max_tokens` must be greater than `thinking.budget_tokens`." });
};

/** Whatever validates bodies with pydantic: Mistral, older vLLM. */
export function extraForbidden(field: string): Refusing {
  return (request) => {
    if (!has(request, field)) return null;
    const detail = [
      {
        type: "extra_forbidden",
        loc: ["body", ...field.split(".")],
        msg: "Extra inputs are not permitted",
        input: valueIn(request, field),
      },
    ];
    return fault({
      status: 422,
      body: { object: "error", message: { detail }, type: "invalid_request_error" },
    });
  };
}

/** Groq, of reasoning in the history. */
export const reasoningContentUnsupported: Refusing = (request) => {
  const at = messagesOf(request).findIndex((message) => "reasoning_content" in message);
  return at < 0
    ? null
    : openAi({
        message: `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property 'reasoning_content' is unsupported)]`,
        param: null,
        code: null,
      });
};

/** Anthropic, and gateways to it, of marks for the cache. */
export const cacheMarksForbidden: Refusing = ({ body }) =>
  JSON.stringify(body).includes('"cache_control"')
    ? fault({
        status: 400,
        message: "messages.0.content.0.text.cache_control: Extra inputs are not permitted",
      })
    : null;

/** Alibaba, and others that know no role "developer". */
export const developerRoleUnknown: Refusing = (request) =>
  messagesOf(request).some(({ role }) => role === "developer")
    ? openAi({
        message:
          "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'",
        param: null,
        code: "invalid_parameter_error",
      })
    : null;

/** OpenAI, of an organization that is not verified. */
export const summariesUnverified: Refusing = (request) =>
  has(request, "reasoning.summary")
    ? openAi({
        message:
          "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization. If you just verified, it can take up to 15 minutes for access to propagate.",
        param: "reasoning.summary",
        code: "unsupported_value",
      })
    : null;

/** OpenAI, of an effort that a model does not have. */
export function effortsAre(...efforts: readonly string[]): Refusing {
  return (request) => {
    const param = has(request, "reasoning.effort") ? "reasoning.effort" : "reasoning_effort";
    const asked = valueIn(request, param);
    if (asked === undefined || efforts.includes(String(asked))) return null;
    const supported = efforts.map((effort) => `'${effort}'`).join(", ");
    return openAi({
      message: `Unsupported value: '${param}' does not support '${String(asked)}' with this model. Supported values are: ${supported}.`,
      param,
      code: "unsupported_value",
    });
  };
}

/** OpenAI, of models that reason, at Chat Completions: "set or not" (LiteLLM pull request 34569, 2026-07-24). */
export const toolsNeedResponses: Refusing = (request) =>
  request.wire === "openai-chat" && has(request, "tools") && valueIn(request, "reasoning_effort") !== "none"
    ? openAi({
        message: `Function tools with reasoning_effort are not supported for ${request.model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        param: "reasoning_effort",
        code: null,
      })
    : null;

/** A gateway that has no route for the Responses API. */
export const withoutResponses: Refusing = (request) =>
  request.wire === "openai-responses" ? fault({ status: 404, body: { detail: "Not Found" } }) : null;

/** xAI, whose errors are a text. */
export const effortUnsupported: Refusing = (request) =>
  has(request, "reasoning_effort")
    ? fault({
        status: 400,
        body: {
          code: "Client specified an invalid argument",
          error: `Model ${request.model} does not support parameter reasoningEffort.`,
        },
      })
    : null;

/** Google, of a model that does not think. */
export const thinkingNotEnabled: Refusing = (request) =>
  has(request, "generationConfig.thinkingConfig")
    ? fault({ status: 400, message: `Thinking is not enabled for models/${request.model}` })
    : null;

/** DeepSeek, of a model that thinks: every answer of the history has its thought, and be it a space. */
export const reasoningContentRequired: Refusing = (request) =>
  messagesOf(request).some(({ role, reasoning_content }) => role === "assistant" && !reasoning_content)
    ? openAi({
        message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
        param: null,
        code: "invalid_request_error",
      })
    : null;

/** Ollama, of a model without tools. */
export const ollamaWithoutTools: Refusing = (request) =>
  has(request, "tools")
    ? fault({
        status: 400,
        body: {
          error: {
            message: `registry.ollama.ai/library/${request.model} does not support tools`,
            type: "api_error",
            param: null,
            code: null,
          },
        },
      })
    : null;

/** OpenRouter, where no provider of a model has tools. */
export const openRouterWithoutTools: Refusing = (request) =>
  has(request, "tools")
    ? fault({
        status: 404,
        body: {
          error: {
            message:
              "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection",
            code: 404,
          },
        },
      })
    : null;

function openAi(error: { message: string; param: string | null; code: string | null }): Turn {
  return fault({ status: 400, body: { error: { type: "invalid_request_error", ...error } } });
}

function has(request: ModelRequest, path: string): boolean {
  return valueIn(request, path) !== undefined;
}

function valueIn({ body }: ModelRequest, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
}

function messagesOf({ body }: ModelRequest): Record<string, unknown>[] {
  const messages = isRecord(body) ? (body.messages ?? body.input) : [];
  return Array.isArray(messages) ? messages.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
