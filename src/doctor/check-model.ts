// The model's API, asked as a run would: its address, its key, its model's name.

import type { DoctorCheck, DoctorFix, Observation } from "../report/doctor-page.ts";
import { askModel, type ModelApi, type ModelAsking } from "./ask-model.ts";
import { type DoctorFace, found } from "./examination.ts";

const MODEL_HEADING = { id: "model", title: "The model's API" };

type ModelPlace = ModelAsking & { readonly face: DoctorFace };

/** Asks with a key, or without one where the settings have none. */
export async function checkModel(api: ModelApi, place: ModelPlace): Promise<DoctorCheck> {
  const seen = await observeModel(api, place);
  const { host } = new URL(api.baseUrl);
  return found(MODEL_HEADING, {
    ...seen,
    facts: { address: host, model: api.model, key: api.secret === null ? "none" : "given" },
  });
}

/** One small question, and what its answer says. */
export async function observeModel(api: ModelApi, { face, ...asking }: ModelPlace): Promise<Observation> {
  const answer = await askModel(api, asking);
  const { host } = new URL(api.baseUrl);
  const name = face === "action" ? inputNames : variableNames;
  switch (answer.type) {
    case "reached":
      return {
        state: "ok",
        found: `The API at ${host} takes ${secretText(api)}${modelText(api)}.`,
        fixes: [],
      };
    case "unlisted":
      return {
        state: "warning",
        found: `The API at ${host} answers, and its list of models has no "${api.model}".`,
        fixes: [
          { text: `Look for a slip in ${name.model}. A name that is not listed may be served all the same.` },
        ],
      };
    case "refused":
      return {
        state: "fault",
        found:
          api.secret === null
            ? `The API at ${host} takes no request without a key (${answer.status}).`
            : `The API at ${host} refuses ${secretText(api)} (${answer.status}).`,
        fixes: refusedFixes(api, name.key),
      };
    case "no_model":
      return {
        state: "fault",
        found: `The API at ${host} has no model "${api.model ?? ""}" (${answer.status}).`,
        fixes: [
          {
            text:
              api.hasNoModels === true
                ? `Correct ${name.model}, or ${addressText(api, name.baseUrl)}.`
                : `Correct ${name.model}, or the address in ${name.baseUrl}: its path includes the version, as in /v1.`,
          },
        ],
      };
    case "failed":
      return {
        state: "warning",
        found: `The API at ${host} answers ${answer.status} to a small question.`,
        fixes: [{ text: "Look at the status page of the model's provider, and at its limits for this key." }],
      };
    case "unreached":
      return {
        state: "fault",
        found: `The API at ${host} is not reached. ${answer.message}`,
        fixes: [{ text: `Correct ${addressText(api, name.baseUrl)}, or let this machine reach ${host}.` }],
      };
  }
}

const DEFAULT_RIGHT =
  "The service account has to be a member of the workspace or project whose models it uses.";

const inputNames = { model: '"model"', baseUrl: '"model-base-url"', key: '"model-api-key"' };
const variableNames = { model: "MODEL", baseUrl: "MODEL_BASE_URL", key: "MODEL_API_KEY" };

function secretText({ secret }: ModelApi): string {
  if (secret === null) return "requests without a key";
  switch (secret.type) {
    case "key":
      return "the key";
    case "token":
      return "the job's token";
    case "github_token":
      return "the job's GitHub token";
  }
}

/** The place of a federated model follows from its identifiers. */
function addressText({ hasNoModels = false }: ModelApi, baseUrl: string): string {
  return hasNoModels ? "the identifiers of its place" : baseUrl;
}

function modelText({ model }: ModelApi): string {
  return model === null ? "" : `, for the model "${model}"`;
}

function refusedFixes({ secret, neededRight }: ModelApi, keyName: string): DoctorFix[] {
  if (secret?.type === "token") return [{ text: neededRight ?? DEFAULT_RIGHT }];
  if (secret?.type === "github_token") {
    return [
      {
        text:
          "Let the job ask GitHub's models. The repository is an organization's, whose policy is " +
          '"Allow use of Copilot CLI billed to the organization":',
        code: "permissions:\n  copilot-requests: write",
      },
    ];
  }
  const text =
    secret === null
      ? `Set ${keyName}. docs/keyless-models.md shows how to do without a key.`
      : `Set ${keyName} to a key that is in use at this provider: the secret may be an old one, or another provider's.`;
  return [{ text }];
}
