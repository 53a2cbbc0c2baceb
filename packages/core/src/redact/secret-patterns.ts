/**
 * Patterns of unregistered secrets. Each scan takes linear time: classes are bounded, or are the last part of the
 * pattern. The group of a match is kept.
 */
const patterns: readonly string[] = [
  // Model providers: OpenAI, Anthropic, OpenRouter, DeepSeek; Google; Groq, xAI, Perplexity, Replicate, Hugging Face, NVIDIA …
  String.raw`\bsk-(?=[\w-]{0,64}\d)[\w-]{16,}`,
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`\bya29\.[\w-]{16,}`,
  String.raw`\b(?:gsk|hf|tgp_v1|fw|csk|r8)_\w{24,}`,
  String.raw`\b(?:xai|pplx|nvapi|csk|tvly|voyage|jina)[-_](?=[\w-]{0,64}\d)[\w-]{24,}`,
  String.raw`\b(?:lsv2_(?:pt|sk)_|[sp]k-lf-)[\w-]{16,}`,
  // Code hosts and registries: GitHub, GitLab, npm, PyPI, Docker
  String.raw`\bgh[pousr]_\w{20,}`,
  String.raw`\bgithub_pat_\w{20,}`,
  String.raw`\bgl(?:pat|ptt|dt|rt)-[\w-]{16,}`,
  String.raw`\bnpm_\w{30,}`,
  String.raw`\bpypi-[\w-]{40,}`,
  String.raw`\bdckr_(?:pat|oat)_[\w-]{20,}`,
  // Clouds and services: AWS, Slack, Stripe, SendGrid, DigitalOcean, Databricks, Shopify, Notion, Linear, Vault, Twilio, Telegram
  String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`,
  String.raw`\bxox[abeoprs]-[\w-]{10,}`,
  String.raw`\bxapp-[\w-]{16,}`,
  String.raw`(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}`,
  String.raw`\b[rs]k_(?:live|test)_\w{16,}`,
  String.raw`\bwhsec_\w{16,}`,
  String.raw`\bSG\.[\w-]{16,64}\.[\w-]{16,}`,
  String.raw`\bdo[opr]_v1_[a-f0-9]{32,}`,
  String.raw`\bdapi[a-f0-9]{32}`,
  String.raw`\bshp(?:at|ca|pa|ss)_[a-f0-9]{32}`,
  String.raw`\b(?:ntn|lin_api|lin_oauth|sbp|sb_secret|rk|pk)_(?=\w{0,64}\d)\w{30,}`,
  String.raw`\bhv[sbr]\.[\w-]{20,}`,
  String.raw`\bSK[a-f0-9]{32}\b`,
  String.raw`\b\d{8,10}:[\w-]{35}\b`,
  String.raw`\bAGE-SECRET-KEY-1\w{50,}`,
  // JSON Web Tokens
  String.raw`\beyJ[\w-]{8,512}\.[\w-]{8,}(?:\.[\w-]*){0,3}`,
  // Private keys, including escaped line ends; a single backslash belongs to a following quote
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:[\w+/=\s:,.]|-(?!----)|\\{1,15}[nrt])*(?:-----END [A-Z0-9 ]{0,60}-----)?`,
  // Passwords in URLs, and tokens in place of a user name there; not the placeholder PASSWORD
  String.raw`(:\/\/[^\s/?#:@"'\\]{0,256}:)(?!PASSWORD@)[^\s/?#"'\\]+(?=@)`,
  String.raw`(:\/\/)[^\s/?#:@"'\\]{20,}(?=@)`,
  // The credentials after the scheme in an Authorization header.
  String.raw`(\b(?:bearer|basic)(?:\s|%20|\+){1,4})(?=[\w.~+/=%-]{0,64}\d)[\w.~+/=%-]{8,}`,
];

/** All patterns as one expression. At most one group of a match is set. */
export const secretPatternSource = patterns.join('|');

/** A match without any other sign contains a word of at least this many of the characters below. */
const longWord = 15;
const wordCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./';
/** Has 1 at the code of each word character, otherwise 0. */
const isWordCode = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(wordCharacters.includes(String.fromCharCode(code))),
);

/** Returns false if no pattern can match. This check makes the search of most strings several times as fast. */
export function hasSecretSign(text: string): boolean {
  const hasUser = text.includes('://') && text.includes('@');
  return hasUser || hasLongWord(text) || text.includes('-----') || scheme.test(text);
}

const scheme = /b(?:earer|asic)/i;

function hasLongWord(text: string): boolean {
  let length = 0;
  for (let index = 0; index < text.length && length < longWord; index += 1)
    length = isWordCode[text.charCodeAt(index)] === 1 ? length + 1 : 0;
  return length === longWord;
}
