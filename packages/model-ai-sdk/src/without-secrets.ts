const mask = '[secret]';

/** What keys look like: those of OpenAI and Anthropic, of xAI and Groq, of Google, of AWS, and what headers carry. */
const patterns: readonly RegExp[] = [
  /\b(?:sk|pk|rk|xai|gsk|key)-[\w*-]{6,}/g,
  /\bAIza[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /(?<=\bbearer\s+)[\w.~+/=-]{6,}/gi,
  /(?<=\b(?:api[-_ ]?key|authorization|x-goog-api-key)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi,
  /(?<=[?&](?:key|api_key|token)=)[^&\s"']+/gi,
];

/** A text without the secrets that are known, and without what looks like one. */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, mask);
  for (const pattern of patterns) clean = clean.replaceAll(pattern, mask);
  return clean;
}
