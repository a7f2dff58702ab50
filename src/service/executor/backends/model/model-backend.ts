// The backend with a model: an agent that reads, thinks and acts through tools until its task is done.

import { RESUMED_EVENT } from "../../../../contract/runs/run-event.ts";
import { pricesOf } from "../../../core/money/model-prices.ts";
import { isPriced, type Rates } from "../../../core/money/rates.ts";
import {
  type Backend,
  BackendFailure,
  type BackendTask,
  type BareTask,
  type RepositoryTask,
} from "../../backend.ts";
import { defaultRunTokens } from "../../run-budget.ts";
import type { AskedQuestion } from "../../tools/ask-question.ts";
import { Elicitations } from "../../tools/mcp/elicitations.ts";
import { noServers } from "../../tools/mcp/run-servers.ts";
import { withEndedProcesses } from "../../tools/with-ended-processes.ts";
import { openAdvisor } from "./advisor.ts";
import { AgentLoop } from "./agent-loop.ts";
import { Conversation, openConversation } from "./conversation.ts";
import { openExplorers } from "./explorers.ts";
import { imageMessage, requestedImages } from "./image-messages.ts";
import { type LeftLoop, leftLoop, unknownCalls } from "./left-loop.ts";
import { LoopJournal } from "./loop-journal.ts";
import { ModelRequests } from "./model-requests.ts";
import { defaultLimits, type LoopSettings, type ModelLimits, type ModelSettings } from "./model-settings.ts";
import { openBriefing } from "./open-briefing.ts";
import { outputForm } from "./output-schema.ts";
import { type Asking, type ModelProvider, openFederatedProvider, openProvider } from "./provider.ts";
import { PendingQuestion } from "./question.ts";
import { Spending } from "./spending.ts";
import { readingToolbox } from "./toolbox.ts";
import { limitsOfModel } from "./wires/model-limits.ts";

/** Bounds of the event that names calls. */
const MAX_NAMES = 50;
const MAX_NAME_CHARS = 200;

/** Reads no environment, and opens no connection before a run needs it. Throws a TypeError for an invalid base URL. */
export function modelBackend(settings: ModelSettings): Backend {
  new URL(settings.baseUrl);
  const { models, rates, access, apiKey } = settings;
  const idOf = ({ model }: Pick<BackendTask, "model">) => model ?? models.executor;
  const modelOf = (task: BackendTask): RunsModel => {
    const modelId = idOf(task);
    if (!isPriced(rates, modelId)) {
      const reason = task.model === null ? "misconfigured" : "model_failed";
      throw new BackendFailure(noPriceText(modelId), { reason, isRetryable: false });
    }
    const {
      fallback: fallbackId = null,
      explorer: explorerId = null,
      advisor: advisorId,
      reviewer: reviewerId,
    } = models;
    const provider = providerOf(settings, task);
    const others = { fallbackId, explorerId, advisorId, reviewerId };
    return { modelId, ...others, provider, access, apiKey };
  };
  return agentBackend(settings, { modelOf, idOf, rates });
}

/** The same for runs that bring their own access to a model. They have no advisor and no reviewer, and their tokens no price. */
export function broughtModelBackend(settings: LoopSettings): Backend {
  const modelOf = (task: BackendTask): RunsModel => {
    const { brought, secrets } = task;
    if (brought === null) throw new TypeError("The run brings no access to a model.");
    const { model: modelId, access } = brought;
    const provider = openFederatedProvider(access, (held) => secrets.add(...held), askingOf(settings, task));
    return {
      modelId,
      fallbackId: null,
      explorerId: null,
      advisorId: null,
      reviewerId: null,
      provider,
      access,
      apiKey: null,
    };
  };
  return agentBackend(settings, { modelOf, idOf: ({ model }) => model ?? "", rates: null });
}

/** The model that one run asks. */
type RunsModel = Pick<ModelSettings, "access" | "apiKey"> & {
  readonly modelId: string;
  /** Answers in its place where that does not. */
  readonly fallbackId: string | null;
  /** Answers its explorers' questions. Null: its own model does. */
  readonly explorerId: string | null;
  /** Null: the run has no such role. */
  readonly advisorId: string | null;
  readonly reviewerId: string | null;
  readonly provider: ModelProvider;
};

/** The tokens of a run that names no number: the operator's, or by what else bounds it. */
function tokensByDefault(
  { defaultMaxTurnTokens }: ModelLimits,
  {
    task,
    rates,
    modelId,
  }: { task: Pick<BackendTask, "meter"> } & Pick<RunsModel, "modelId"> & Pick<AgentModel, "rates">,
): number {
  const { maxCostMicroUsd } = task.meter.budget;
  const hasPrice = pricesOf(rates)(modelId) !== null;
  return defaultMaxTurnTokens ?? defaultRunTokens({ maxCostMicroUsd, isPriced: hasPrice });
}

type AgentModel = {
  readonly modelOf: (task: BackendTask) => RunsModel;
  /** The model of a run's executor, without a connection. */
  readonly idOf: (task: Pick<BackendTask, "model">) => string;
  /** Null where the service charges for no tokens. */
  readonly rates: Rates | null;
};

function agentBackend(settings: LoopSettings, { modelOf, idOf, rates }: AgentModel): Backend {
  return {
    name: "model",
    needsCheckout: true,
    keepsJournal: true,
    defaultTokens(task) {
      const modelId = idOf(task);
      return tokensByDefault(limitsOf(settings, modelId), { task, rates, modelId });
    },
    countLeft(work, meter) {
      const left = leftLoop(work);
      if (left?.meter == null) return;
      meter.resume(left.meter);
      const spending = new Spending({ meter, rates });
      for (const planned of left.planned) spending.countPlanned(planned);
    },
    async run(task: RepositoryTask | BareTask, checkout) {
      const { modelId, fallbackId, explorerId, advisorId, reviewerId, ...asked } = modelOf(task);
      const { provider, access, apiKey } = asked;
      const limits = limitsOf(settings, modelId);
      const form = task.outputSchema === null ? null : outputForm(task.outputSchema);
      const left = task.journal?.left == null ? null : leftLoop(task.journal.left);
      if (left?.meter != null) {
        task.meter.resume(left.meter);
        await task.resumeChildren();
      }
      await tellTakenUp(task, left);
      // About a quarter of the context window, at four characters a token.
      const history = await task.history(limits.contextTokens);
      const { system, messages } = openConversation([...history, ...task.messages]);
      const conversation =
        left === null ? new Conversation(messages) : Conversation.resume(left.messages, left.conversation);
      const { maxCostMicroUsd } = task.meter.budget;
      const maxTokens =
        task.maxTurnTokens === 0 ? tokensByDefault(limits, { task, rates, modelId }) : task.maxTurnTokens;
      task.meter.budget.limitTokens(maxTokens);
      const spending = new Spending({ meter: task.meter, rates });
      for (const planned of left?.planned ?? []) spending.countPlanned(planned);
      const { clock, random } = settings;
      const own = { clock, random, apiKey };
      const requests = new ModelRequests({
        settings: own,
        access,
        limits,
        provider,
        task,
        spending,
        fallbackId:
          fallbackId !== null && (rates === null || isPriced(rates, fallbackId)) ? fallbackId : null,
        ...(left?.requests == null ? {} : { left: left.requests }),
      });
      const callsAllowed = limits.advisorCalls;
      const askAdvisor = openAdvisor({ modelId: advisorId, callsAllowed, task, requests, conversation });
      const question = new PendingQuestion();
      const askPeople = task.mayAsk ? (asked: AskedQuestion) => question.take(asked) : null;
      // Answered once the run goes on: a run that ends with its question knows nothing of it any more.
      const elicitations =
        askPeople === null || !task.mayPark || task.journal === null
          ? null
          : new Elicitations({
              ask: (asked) => question.takeServers(asked),
              left: left?.position.elicited ?? [],
              said: left?.continued?.message ?? null,
            });
      const explore = openExplorers({
        task,
        checkout,
        tools: readingToolbox({ checkout }),
        requests,
        modelId: explorersModel({ modelId, explorerId, rates, hasLimitOfCost: maxCostMicroUsd !== null }),
      });
      const processes = task.isJudge ? null : (settings.openProcesses?.({ task, checkout }) ?? null);
      const servers = task.isJudge
        ? noServers
        : ((await settings.openServers?.({ task, checkout, elicitations })) ?? noServers);
      try {
        const { instructions, opening, tools, toldNotes, checks } = await openBriefing({
          task,
          checkout,
          system,
          tools: task.isJudge
            ? []
            : [
                ...settings.toolbox({ task, checkout, askAdvisor, askPeople, explore, processes }),
                ...servers.tools,
              ],
          place: task.isJudge ? null : ((await settings.describePlace?.({ task, checkout })) ?? null),
          outputSchema: form?.text ?? null,
          bounds: {
            maxTurns: limits.maxTurns,
            maxTokens,
            maxCostMicroUsd,
          },
          clock: settings.clock,
        });
        conversation.repeatAfterSummaries(toldNotes);
        if (left === null) {
          // A review's request has what changed since the last one: the whole change comes behind it.
          if (opening !== null && form?.validatesFindings === true)
            conversation.add({ role: "user", content: opening });
          else if (opening !== null) conversation.sayBefore(opening);
          const images = imageMessage(await requestedImages(task.messages, checkout));
          if (images !== null) conversation.add(images);
        }
        task.signal.throwIfAborted();
        const told =
          left?.instructions ?? (servers.text === null ? instructions : `${instructions}\n\n${servers.text}`);
        const journal =
          task.journal === null
            ? null
            : new LoopJournal({
                journal: task.journal,
                conversation,
                checkout,
                meter: task.meter,
                instructions: told,
                signal: task.signal,
                clock: settings.clock,
                // Its own first turn is a fork's progress.
                begunTurn: left?.continued?.forkedFrom === undefined ? (left?.position.turn ?? 0) : 0,
              });
        if (journal !== null) requests.keepIn(journal);
        const loop = new AgentLoop({
          task,
          checkout,
          tools: processes === null ? tools : tools.map((tool) => withEndedProcesses(tool, processes)),
          processes,
          modelId,
          reviewerId,
          instructions: told,
          conversation,
          requests,
          maxTurns: limits.maxTurns,
          maxOutputTokens: limits.maxOutputTokens,
          form,
          question,
          elicitations,
          scripts: checks.scripts,
          journal,
          left,
        });
        return await loop.run();
      } finally {
        await processes?.close();
        await servers.close();
      }
    },
  };
}

/** A model whose calls cannot be counted is not asked: the run's own answers in its place. */
function explorersModel(named: {
  readonly modelId: string;
  readonly explorerId: string | null;
  readonly rates: Rates | null;
  readonly hasLimitOfCost: boolean;
}): string {
  const { modelId, explorerId, rates, hasLimitOfCost } = named;
  if (explorerId === null || (rates !== null && !isPriced(rates, explorerId))) return modelId;
  return hasLimitOfCost && pricesOf(rates)(explorerId) === null ? modelId : explorerId;
}

/** Tells the run's readers that it goes on here. */
async function tellTakenUp(task: BackendTask, left: LeftLoop | null): Promise<void> {
  const by = task.journal?.left;
  if (by == null) return;
  const turn = left === null ? 1 : left.position.turn + (left.calls === null ? 0 : 1);
  const unknown = left === null ? [] : unknownCalls(left).map((name) => name.slice(0, MAX_NAME_CHARS));
  const { message = null, forkedFrom } = left?.continued ?? {};
  const value = {
    turn,
    after: by.after,
    unknown_calls: unknown.slice(0, MAX_NAMES),
    ...(message === null ? {} : { message }),
    ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
  };
  await task.emit({ type: "CUSTOM", name: RESUMED_EVENT, value });
}

/** One for each run: its models' refusals and its cache are its own, and its mask learns the tokens that are sent. */
function providerOf(settings: ModelSettings, task: BackendTask): ModelProvider {
  const { access } = settings;
  const asking = askingOf(settings, task);
  return access === null
    ? openProvider(settings, asking)
    : openFederatedProvider(access, (held) => task.secrets.add(...held), asking);
}

function askingOf({ effort = null }: LoopSettings, { runId }: Pick<BackendTask, "runId">): Asking {
  return { effort, cacheKey: runId };
}

/** The rates may have changed since the agent was made. */
function noPriceText(modelId: string): string {
  return `The agent's model "${modelId}" has no price on this service any more. Use an agent with another model, or ask its operator to list the model in RATES_FILE.`;
}

/** The operator's limits, which win over those that are known of the model. */
function limitsOf(settings: Partial<ModelLimits>, modelId: string): ModelLimits {
  const given = Object.entries(settings).filter(
    ([name, value]) => name in defaultLimits && value !== undefined,
  );
  return { ...defaultLimits, ...limitsOfModel(modelId), ...Object.fromEntries(given) };
}
