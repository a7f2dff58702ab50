// Secrets among the values of an environment, by their names and their form. Pure.

const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_\d+)?$/i;
/** Of model providers, whatever the variable is called: Anthropic, OpenAI and others, Google, Groq, xAI. */
const knownForm = /^(sk-|AIza|gsk_|xai-)[\w-]{8,}$/;
/** The name of another variable, as in "env_key": "MODEL_API_KEY". */
const variableName = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const placeholder = /^\{\w+\}$/;

const MIN_CHARS = 8;
/** A job has many variables: a word such as "production" must not count as a secret because of its variable's name. */
const MIN_RANDOM_CHARS = 16;

type KnownSecret = {
  /** Its place: `ANTHROPIC_API_KEY`, or `OPENCODE_CONFIG_CONTENT.provider.own.options.apiKey`. */
  readonly place: string;
  readonly secret: string;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Of variables that were written for one program: whatever is named like a secret, also inside of JSON. */
export function secretsIn(variables: Variables): readonly KnownSecret[] {
  return Object.entries(variables).flatMap(([name, value]) => secretsAt({ place: name, name, value }));
}

/** Of the environment of a process: what is named like a secret and looks random. */
export function secretsOfEnvironment(environment: Variables): readonly string[] {
  const isRandom = (text: string) =>
    text.length >= MIN_RANDOM_CHARS && /\d/.test(text) && /[a-z]/i.test(text);
  return secretsIn(environment)
    .map(({ secret }) => secret)
    .filter(isRandom);
}

export function isKnownForm(text: string): boolean {
  return knownForm.test(text);
}

function secretsAt(at: {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
}): KnownSecret[] {
  const { place, name, value } = at;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) =>
      secretsAt({ place: `${place}.${key}`, name: Array.isArray(value) ? name : key, value: inner }),
    );
  }
  if (typeof value !== "string") return [];
  const parsed = parseObject(value);
  if (parsed !== null) return secretsAt({ place, name, value: parsed });
  const password = URL.parse(value)?.password ?? "";
  return [
    ...(isSecret(name, value) ? [{ place, secret: value }] : []),
    ...(password === "" ? [] : [{ place, secret: password }]),
  ];
}

/** Numbers, paths and names of variables are named like secrets, too: MAX_TOKENS, SSH_KEY, "env_key". */
function isSecret(name: string, value: string): boolean {
  if (knownForm.test(value)) return true;
  if (!secretName.test(name) || value.length < MIN_CHARS || /\s/.test(value)) return false;
  return (
    !/^\d+$/.test(value) && !value.startsWith("/") && !variableName.test(value) && !placeholder.test(value)
  );
}

function parseObject(text: string): object | null {
  if (!/^\s*[{[]/.test(text) || placeholder.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}
