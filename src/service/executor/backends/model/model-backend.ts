// The backend with a model: an agent that reads, thinks and acts through tools until its task is done.

import { isPriced } from "../../../core/money/rates.ts";
import { type Backend, BackendFailure, type BareTask, type RepositoryTask } from "../../backend.ts";
import { openAdvisor } from "./advisor.ts";
import { AgentLoop } from "./agent-loop.ts";
import { Conversation, openConversation } from "./conversation.ts";
import { instructionsFor } from "./instructions.ts";
import { ModelRequests } from "./model-requests.ts";
import { defaultLimits, type ModelLimits, type ModelSettings } from "./model-settings.ts";
import { outputForm } from "./output-schema.ts";
import { openProvider } from "./provider.ts";
import { Spending } from "./spending.ts";

/** Reads no environment, and opens no connection before a run needs it. Throws a TypeError for an invalid base URL. */
export function modelBackend(settings: ModelSettings): Backend {
  const provider = openProvider(settings);
  const limits = limitsOf(settings);
  const { models, rates, toolbox } = settings;
  return {
    name: "model",
    needsCheckout: true,
    async run(task: RepositoryTask | BareTask, checkout) {
      const modelId = task.model ?? models.executor;
      if (!isPriced(rates, modelId)) throw new BackendFailure(noPriceText(modelId), { isRetryable: false });
      const form = task.outputSchema === null ? null : outputForm(task.outputSchema);
      // About a quarter of the context window, at four characters a token.
      const history = await task.history(limits.contextTokens);
      const { system, messages } = openConversation([...history, ...task.messages]);
      const conversation = new Conversation(messages);
      const maxTokens = task.maxTurnTokens === 0 ? limits.defaultMaxTurnTokens : task.maxTurnTokens;
      const spending = new Spending({ meter: task.meter, rates, maxTokens });
      const requests = new ModelRequests({ settings, limits, provider, task, spending });
      const callsAllowed = limits.advisorCalls;
      const askAdvisor = openAdvisor({ modelId: models.advisor, callsAllowed, task, requests, conversation });
      const tools = toolbox({ task, checkout, askAdvisor });
      const instructions = instructionsFor({
        task,
        hasTools: tools.length > 0,
        system,
        repositorys: await checkout.instructions(),
        outputSchema: form?.text ?? null,
      });
      task.signal.throwIfAborted();
      const loop = new AgentLoop({
        task,
        checkout,
        tools,
        modelId,
        reviewerId: models.reviewer,
        instructions,
        conversation,
        requests,
        maxTurns: limits.maxTurns,
        maxOutputTokens: limits.maxOutputTokens,
        form,
      });
      return await loop.run();
    },
  };
}

/** The rates may have changed since the agent was made. */
function noPriceText(modelId: string): string {
  return `The agent's model "${modelId}" has no price on this service any more. Use an agent with another model, or ask its operator to list the model in RATES_FILE.`;
}

function limitsOf(settings: Partial<ModelLimits>): ModelLimits {
  const given = Object.entries(settings).filter(
    ([name, value]) => name in defaultLimits && value !== undefined,
  );
  return { ...defaultLimits, ...Object.fromEntries(given) };
}
