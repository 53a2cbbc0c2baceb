const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const callId = /^[A-Za-z0-9_-]{1,40}$/;
const mistralCallId = /^[A-Za-z0-9]{9}$/;

/** Returns a tool name that every provider accepts: a model may have called a tool by an invalid name. */
export function safeToolName(name: string): string {
  if (toolName.test(name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/**
 * Returns a function that converts call ids to ones the provider accepts, consistently for calls and results. Anthropic
 * accepts letters, digits, `_` and `-`; OpenAI's chat API at most 40 characters; Mistral nine letters and digits.
 */
export function callIdWriter(provider: string): (id: string) => string {
  if (!/^mistral\b/.test(provider)) return (id) => (callId.test(id) ? id : `call_${digest(id)}`);
  return (id) => (mistralCallId.test(id) ? id : digest(id).slice(0, 9));
}

/** Returns the key under which the package reads OpenAI options: it reads only one of the two. */
export function openAiName(
  provider: string,
  options: Readonly<Record<string, unknown>> | undefined,
): 'openai' | 'azure' {
  return provider === 'azure.responses' && options?.['azure'] !== undefined ? 'azure' : 'openai';
}

/** Returns 16 hexadecimal digits: two FNV-1a hashes with different seeds. */
function digest(text: string): string {
  return [0x811c9dc5, 0x01000193]
    .map((start) => {
      let hash = start;
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, '0');
    })
    .join('');
}
