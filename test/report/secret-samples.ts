// Made-up secrets in the published forms, put together here: as they stand in a file, scanners would report them.

/** Of these characters in turn: no real token repeats itself, and neither do these within their last characters. */
const ALPHANUMERIC = "kD3vQ9xZp7Lw2TfHc8RmYb5NgJs4Ue6Va1Ko";
const HEX = "9f3b7c1e5a8d2046";

export function filler(length: number, alphabet = ALPHANUMERIC): string {
  return alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
}

export function hex(length: number): string {
  return filler(length, HEX);
}

const pemOf = (kind: string, newline = "\n") =>
  [
    `-----BEGIN ${kind}PRIVATE`,
    ` KEY-----${newline}`,
    filler(64),
    newline,
    filler(48),
    newline,
    `-----END ${kind}PRIVATE KEY-----`,
  ].join("");

export const awsKeyId = `AK${"IA"}QW3RTY2UPOI5LKJH`;
export const awsSecret = `${filler(20)}/${filler(19)}`;

/** By what a reader is told of them. */
export const samples: Readonly<Record<string, readonly string[]>> = {
  "a GitHub token": [
    `gh${"p_"}${filler(36)}`,
    `gh${"o_"}${filler(36)}`,
    `gh${"s_"}${filler(36)}`,
    `gh${"s_"}12345_eyJ${filler(60)}.eyJ${filler(200)}.${filler(86)}`,
    `github_${"pat_"}${filler(22)}_${filler(59)}`,
  ],
  "a Bitbucket token": [`ATCTT3${"xFfGN0"}${filler(160)}=1A2B3C4D`],
  "a GitLab token": [`gl${"pat-"}${filler(20)}`, `gl${"rt-"}${filler(27)}.01.${filler(9)}`],
  "a key of this service": [`svc_${"sk_"}${filler(49)}`, `svc_${"ci_"}${filler(49)}`],
  "an Anthropic key": [`sk-${"ant-"}api03-${filler(93)}AA`],
  "an OpenAI key": [
    `sk-${"proj-"}${filler(74)}T3Blbk${"FJ"}${filler(74)}`,
    `sk-${filler(20)}T3Blbk${"FJ"}${filler(20)}`,
  ],
  "a Google API key": [`AI${"za"}${filler(35)}`],
  "a Slack token": [`xox${"b-"}123456789012-123456789012-${filler(24)}`],
  "a Slack webhook": [`https://hooks.slack.com/${"services"}/T${filler(8)}/B${filler(10)}/${filler(24)}`],
  "an npm token": [`npm${"_"}${filler(36)}`],
  "a PyPI token": [`pypi-${"AgE"}IcHlwaS5vcmc${filler(100)}`],
  "a Stripe key": [`sk_${"live_"}${filler(24)}`, `rk_${"live_"}${filler(99)}`],
  "a SendGrid key": [`SG${"."}${filler(22)}.${filler(43)}`],
  "a DigitalOcean token": [`dop_${"v1_"}${hex(64)}`],
  "a Databricks token": [`dap${"i"}${hex(32)}`],
  "a private key": [pemOf("RSA "), pemOf(""), pemOf("OPENSSH "), pemOf("EC ", "\\n")],
  "an AWS secret key": [],
};

/** What looks a little like one. */
export const harmless: readonly string[] = [
  `gh${"p_"}${"x".repeat(36)}`,
  `Use a token such as gh${"p_"}… or <token>.`,
  `const prefix = "gh${"p_"}";`,
  `sk-${"ant-"}api03-${"X".repeat(93)}`,
  `sk_${"test_"}${filler(24)}`,
  "-----BEGIN PRIVATE KEY-----",
  'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return parse(text);',
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEkD3vQ9xZp7Lw2TfHc8RmYb5NgJs4Ue6V\n-----END PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----\nMIIBkD3vQ9xZp7Lw2TfHc8RmYb5NgJs4Ue6Va1KoMIIBkD3vQ9xZp7Lw2TfHc8Rm\n-----END CERTIFICATE-----",
  `${awsKeyId} without its secret`,
  `AK${"IA"}IOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`,
  "sha512-kD3vQ9xZp7Lw2TfHc8RmYb5NgJs4Ue6Va1KokD3vQ9xZp7Lw2TfHc8RmYb5NgJs4Ue6Va1KokD3vQ9xZp7Lw2T==",
  "d34db33fd34db33fd34db33fd34db33fd34db33f",
  "0197c0de-0000-7000-8000-000000000001",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  "npm_config_registry=https://registry.example.com npm_lifecycle_event=test",
  "tensorflow_hf_hub, xoxo-hugs-and-kisses, dapiary, pulp-fiction, do_re_mi_v1",
  "src/glpat-like/very-long-folder/and-more/index.ts",
];
