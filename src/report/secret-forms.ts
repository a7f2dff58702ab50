// The published forms of tokens and keys that a text or a patch may leak. Each begins with words of its own, so that
// nothing is guessed by entropy. Sources, read 2026-11-22: the rules of gitleaks (config/gitleaks.toml at b58d3f1 of
// 2026-07-22); for GitHub's installation tokens, which have dots since 2026, github.blog/changelog/2026-05-15; our own
// prefixes. Not in the list: JSON Web Tokens, which fixtures are full of; test keys of Stripe, which are in its documents;
// an AWS key id without its secret. Pure.

type SecretForm = {
  /** For people: "a GitHub token". */
  readonly title: string;
  /** Source of a regular expression. Every repetition is bounded, and what it repeats needs no trying again. */
  readonly pattern: string;
};

const form = (title: string, ...patterns: readonly string[]): SecretForm => ({
  title,
  pattern: patterns.join("|"),
});

export const secretForms: readonly SecretForm[] = [
  form("a GitHub token", "gh[pour]_[A-Za-z0-9]{36,255}", "ghs_[A-Za-z0-9._-]{36,2048}", "github_pat_\\w{82}"),
  form(
    "a GitLab token",
    "gl(?:pat|dt|ptt|rt|ft|imt|agent|oas|soat|ffct)-[\\w.-]{20,300}",
    "glcbt-[A-Za-z0-9]{1,5}_[\\w-]{20}",
    "GR1348941[\\w-]{20}",
  ),
  // As its users have seen them (2026-11-29): Atlassian publishes no form.
  form("a Bitbucket token", "ATCTT3xFfGN0[\\w-]{100,250}=[0-9A-F]{8}"),
  form("a key of this service", "svc_(?:sk|at|ci)_[\\w-]{40,100}"),
  form("an Anthropic key", "sk-ant-[a-z0-9]{3,12}-[\\w-]{80,120}"),
  form(
    "an OpenAI key",
    "sk-(?:proj|svcacct|admin)-[\\w-]{58,200}",
    "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}",
  ),
  form("a Google API key", "AIza[\\w-]{35}"),
  form("an Amazon Bedrock key", "ABSK[A-Za-z0-9+/]{109,269}"),
  form(
    "a Slack token",
    "xox[bpeaors]-[0-9A-Za-z][0-9A-Za-z-]{20,250}",
    "xapp-\\d-[A-Z0-9]{5,20}-\\d{5,20}-[a-z0-9]{20,100}",
  ),
  form("a Slack webhook", "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}"),
  form("an npm token", "npm_[A-Za-z0-9]{36}"),
  form("a PyPI token", "pypi-AgE[\\w-]{50,1000}"),
  form("a RubyGems token", "rubygems_[a-f0-9]{48}"),
  form("a Stripe key", "[sr]k_(?:live|prod)_[A-Za-z0-9]{10,99}"),
  form("a SendGrid key", "SG\\.[\\w=.-]{66}"),
  form("a Hugging Face token", "hf_[A-Za-z]{34}", "api_org_[A-Za-z]{34}"),
  form("a DigitalOcean token", "do[opr]_v1_[a-f0-9]{64}"),
  form("a Databricks token", "dapi[a-f0-9]{32}"),
  form("a Vault token", "hvs\\.[\\w-]{90,120}", "hvb\\.[\\w-]{138,300}"),
  form("a Terraform token", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}"),
  form("a Grafana token", "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", "glc_[A-Za-z0-9+/]{32,400}"),
  form("a Shopify token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  form("a PlanetScale token", "pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,64}"),
  form("a Doppler token", "dp\\.pt\\.[A-Za-z0-9]{43}"),
  form("a Fly.io token", "fo1_[\\w-]{43}", "fm[12][ar]?_[A-Za-z0-9+/]{100,2000}"),
  form("a Heroku key", "HRKU-AA[\\w-]{58}"),
  form("a Linear key", "lin_api_[A-Za-z0-9]{40}"),
  form("a Notion token", "ntn_[0-9]{11}[A-Za-z0-9]{35}"),
  form("a Perplexity key", "pplx-[A-Za-z0-9]{48}"),
  form("a Pulumi token", "pul-[a-f0-9]{40}"),
  form("a Sentry token", "sntryu_[a-f0-9]{64}", "sntrys_eyJ[A-Za-z0-9+/=_]{60,400}"),
  form("a 1Password token", "ops_eyJ[A-Za-z0-9+/]{250,4000}"),
  form("an age key", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
];
