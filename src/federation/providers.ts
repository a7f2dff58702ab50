// The exchanges of the providers that federate, by name. Pure.

import type { FederatingProvider } from "../contract/models/providers.ts";
import type { TokenExchange } from "./provider.ts";
import { anthropic } from "./providers/anthropic.ts";
import { bedrock } from "./providers/bedrock.ts";
import { foundry } from "./providers/foundry.ts";
import { openai } from "./providers/openai.ts";
import { openrouter } from "./providers/openrouter.ts";
import { vertex } from "./providers/vertex.ts";

export const tokenExchanges: Readonly<Record<FederatingProvider, TokenExchange>> = {
  anthropic,
  openai,
  openrouter,
  foundry,
  bedrock,
  vertex,
};
